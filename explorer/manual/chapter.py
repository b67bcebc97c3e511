"""A chapter and its sections, as frozen values, and how a chapter is made of Markdown."""

import re
from collections.abc import Callable, Mapping
from html import unescape

import attrs

from explorer.manual.markdown import blocks

_PLACE = re.compile(r"^\{\{(\w+)\}\}$", re.MULTILINE)
_TAG = re.compile(r"<[^>]+>")

Made = Mapping[str, Callable[[], str]]
"""What replaces a line such as {{knobs}} in a chapter: Markdown or HTML."""


@attrs.frozen
class Section:
    """A part of a chapter with its heading.

    `text` is `html` without tags, in small letters, for the search.
    """

    anchor: str
    title: str
    html: str
    text: str = ""


@attrs.frozen
class Chapter:
    """A chapter: `name` is that of its file, `part` the title of the part of the manual in which it stands."""

    name: str
    part: str
    title: str
    sections: tuple[Section, ...]

    @property
    def html(self) -> str:
        """The whole chapter under its title."""
        return f"<h1>{self.title}</h1>{''.join(section.html for section in self.sections)}"


def made_chapter(name: str, part: str, text: str, made: Made) -> Chapter:
    """A chapter from Markdown, whose first line is its title. Raises KeyError for an unknown {{name}}."""
    text = _PLACE.sub(lambda found: made[found[1]](), text)
    title = ""
    sections: list[Section] = [Section("", "", "")]
    for level, words, html in blocks(text):
        if level == 1:
            title = words
        elif level == 2:
            anchor = f"s{len(sections)}"
            sections.append(Section(anchor, words, f'<h2><a name="{anchor}"></a>{html}</h2>'))
        else:
            more = html if level == 0 else f"<h{level}>{html}</h{level}>"
            sections[-1] = attrs.evolve(sections[-1], html=sections[-1].html + more)
    return Chapter(name, part, title, tuple(_searchable(section) for section in sections if section.html))


def _searchable(section: Section) -> Section:
    return attrs.evolve(section, text=unescape(_TAG.sub(" ", section.html)).lower())
