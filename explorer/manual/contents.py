"""All chapters of the manual in one language, in the order of `assets/manual/contents.toml`."""

import tomllib

import attrs

from explorer import page_list
from explorer.errors import MissingAsset
from explorer.lang import Words, told_text
from explorer.lessons.lesson import Text
from explorer.manual.chapter import Chapter, Made, made_chapter
from explorer.resources import asset_text

PAGES = "pages"
"""The name in the list of contents that stands for a chapter about every page."""


@attrs.frozen
class ManualPart:
    """A part of the manual: its title, and the names of its chapters, each of which is a file in every language."""

    title: Text
    chapters: tuple[str, ...]


def parts() -> tuple[ManualPart, ...]:
    """The parts in order. Raises MissingAsset."""
    rows = tomllib.loads(asset_text("manual/contents.toml"))["part"]
    return tuple(ManualPart(Text(row["zh"], row["en"]), tuple(row["chapters"])) for row in rows)


def chapters(words: Words, made: Made) -> tuple[Chapter, ...]:
    """All of them. Raises MissingAsset for a chapter without a file."""
    made_of: list[Chapter] = []
    for part in parts():
        title = part.title.of(words.language)
        for name in part.chapters:
            if name == PAGES:
                made_of += [_about_page(key, title, words) for key in page_list.KEYS]
            else:
                made_of.append(made_chapter(name, title, told_text(f"manual/{words.language}/{name}.md"), made))
    return tuple(made_of)


def _about_page(key: str, part: str, words: Words) -> Chapter:
    """The page's own explanation with a link that opens the page; a page without one has its chapter in the manual's folder."""
    try:
        text = told_text(f"explain/{words.language}/{key}.md")
    except MissingAsset:
        text = told_text(f"manual/{words.language}/page_{key}.md")
    title = words(f"page.{key}")
    return made_chapter(f"page_{key}", part, f"# {title}\n\n[{words('manual.show')}](page:{key})\n\n{text}", {})
