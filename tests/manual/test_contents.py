"""The chapters: the same in both languages, no link dead, and everything in them that is declared in the program."""

import re
from functools import lru_cache
from html import escape, unescape
from pathlib import Path

import pytest

from explorer import errors, page_list
from explorer.config import KNOBS
from explorer.errors import MissingAsset
from explorer.lang import LANGUAGES, Words
from explorer.lessons.gallery import galleries
from explorer.lessons.glossary import terms
from explorer.lessons.read import bundled_lessons, read_lesson
from explorer.lessons.stations import stations
from explorer.lessons.teaching import teaching_questions
from explorer.manual.chapter import Chapter, made_chapter
from explorer.manual.contents import chapters, parts
from explorer.manual.made import made_parts
from explorer.manual.menu_key import MenuKey
from explorer.manual.search import search
from explorer.resources import asset
from explorer.state.state_link import link_of
from explorer.trace.measures.head_measures import MEASURES

_LINK = re.compile(r'href="([^"]+)"')
_PAGE_LINK = re.compile(r'href="page:(\w+)"[^>]*>([^<]+)<')
_KEYS = (MenuKey("File", "Export…", "Ctrl+E"), MenuKey("File", "Nothing yet", ""), MenuKey("Help", "Manual", "Ctrl+F1"))


@lru_cache(maxsize=2)
def manual(language: str) -> tuple[Chapter, ...]:
    words = Words.load(language)
    return chapters(words, made_parts(words, _KEYS, "<table><tr><td>wheel</td></tr></table>"))


def text_of(language: str, name: str) -> str:
    """What stands in a chapter, without tags."""
    (chapter,) = [each for each in manual(language) if each.name == name]
    return unescape(re.sub(r"<[^>]+>", "", chapter.html))


def dead_links(language: str) -> list[str]:
    """Links to chapters, sections, pages, lessons and states that are not there."""
    places = {f"{each.name}#{section.anchor}" for each in manual(language) for section in each.sections}
    known = {f"manual:{place}" for place in places} | {f"manual:{each.name}" for each in manual(language)}
    known |= {f"page:{key}" for key in page_list.KEYS} | {f"lesson:{lesson.key}" for lesson in bundled_lessons()[0]}
    known |= {link_of(station.state) for station in stations()}
    links = [link for each in manual(language) for link in _LINK.findall(each.html)]
    return [link for link in links if not link.startswith(("https://", "action:")) and link not in known]


def test_both_languages_have_the_same_chapters_and_sections() -> None:
    """By their anchors, so that a change of language keeps the place."""

    def shape(language: str) -> list[object]:
        return [(each.name, [section.anchor for section in each.sections]) for each in manual(language)]

    zh, en = (shape(language) for language in LANGUAGES)
    # The news of older versions is told in as many sections in both, and all other chapters are alike as well.
    assert zh == en


def test_no_file_is_left_out() -> None:
    """Each file of the folder is a chapter, and each chapter has a title."""
    for language in LANGUAGES:
        names = {path.stem for path in asset(f"manual/{language}").glob("*.md")}
        assert names <= {chapter.name for chapter in manual(language)}
        assert all(chapter.title and chapter.part and chapter.sections for chapter in manual(language))
    assert all(part.title.zh and part.title.en for part in parts())


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_link_is_dead(language: str) -> None:
    """Chapters, sections, pages and lessons are there; the window's tests follow the actions."""
    assert dead_links(language) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_to_a_page_is_its_name(language: str) -> None:
    """The name that the window has for it, or an invitation to open it."""
    words = Words.load(language)
    links = {link for each in manual(language) for link in _PAGE_LINK.findall(each.html)}
    names = {(key, words(f"page.{key}").lower()) for key in page_list.KEYS}
    told = {(key, text.lower()) for key, text in links}

    assert told & names
    assert [link for link in told - names if not link[1].startswith(("open th", "打开"))] == []


def test_a_dead_link_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each kind."""
    chapter = made_chapter(
        "x", "", "# X\n\n[a](page:gone) [b](manual:gone) [c](lesson:gone) [d](explorer:gone) [e](https://example.org)", {}
    )
    monkeypatch.setitem(globals(), "manual", lambda language: (chapter,))
    assert dead_links("en") == ["page:gone", "manual:gone", "lesson:gone", "explorer:gone"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_is_declared_is_there(language: str) -> None:
    """Knobs with their hints and choices, pages, measures, terms, lessons, sentences, keys, questions and commands."""
    words = Words.load(language)
    knobs = text_of(language, "knobs")
    for knob in KNOBS:
        assert words(f"knob.{knob.name}.name") in knobs and words(f"knob.{knob.name}.hint") in knobs and knob.name in knobs
        assert all(words(f"choice.{knob.name}.{choice}") in knobs for choice in knob.choices)
    assert {f"page_{key}" for key in page_list.KEYS} <= {chapter.name for chapter in manual(language)}
    (heads,) = [chapter.html for chapter in manual(language) if chapter.name == "heads"]
    for key, measure in MEASURES.items():
        assert escape(words(f"heads.measure.{key}")) in heads and measure.own in heads and measure.across in heads
    assert all(term.told.of(language) in text_of(language, "glossary") for term in terms())
    assert all(lesson.title.of(language) in text_of(language, "lessons") for lesson in bundled_lessons()[0])
    assert all(each.text in text_of(language, "gallery") for examples in galleries().values() for each in examples)
    keys = text_of(language, "keys")
    assert all(each in keys for each in ("Export…", "Ctrl+E", "Nothing yet", "–", "Ctrl+F1", "wheel"))
    for question in teaching_questions():
        assert question.asked.of(language) in text_of(language, "teaching")
        assert all(choice.of(language) in text_of(language, "teaching") for choice in question.choices)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_is_told(language: str) -> None:
    """With … where its values stand."""
    told = text_of(language, "errors")
    words = Words.load(language)
    assert words.without_values("error.too_long") in told and "…" in words.without_values("error.too_long")
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.ExplorerError)]
    keys = {each.key for each in kinds} - {errors.ExplorerError.key}
    assert len(keys) > 100
    assert [key for key in keys if words.without_values(key) not in told] == []


def test_the_families_of_errors_stand_in_alphabetical_order() -> None:
    """Whoever has a name from Python finds it; those without a family come last."""
    (chapter,) = [each for each in manual("en") if each.name == "errors"]
    *families, rest = [section.title for section in chapter.sections[1:]]

    assert "BadText" in families and families == sorted(families)
    assert rest == errors.ExplorerError.__name__


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lesson_of_the_chapter_for_teachers_can_be_opened(language: str, tmp_path: Path) -> None:
    """Whoever copies the text has a lesson of two steps with a question, and its claim is computed on a Trace."""
    text = (asset(f"manual/{language}") / "write_a_lesson.md").read_text("utf-8")
    path = tmp_path / "temperature.toml"
    path.write_text(text.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    lesson = read_lesson(path)
    assert [step.question is not None for step in lesson.steps] == [False, True]
    (claim,) = lesson.steps[1].claims
    assert claim.expected and claim.true == "sum(tap('encoder.layers.1.self_attn.weights')[6, 0])"


def test_both_languages_teach_the_same_lesson() -> None:
    """The example is one text in both."""
    zh, en = ((asset(f"manual/{language}") / "write_a_lesson.md").read_text("utf-8") for language in LANGUAGES)
    assert zh.partition("```toml")[2].partition("```")[0] == en.partition("```toml")[2].partition("```")[0]


def test_a_place_for_which_nothing_is_made_is_a_bug() -> None:
    """It is not left empty."""
    with pytest.raises(KeyError):
        made_chapter("x", "", "# X\n\n{{nothing}}", {})


def test_a_chapter_without_its_file_is_a_missing_asset(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the file."""
    monkeypatch.setattr("explorer.manual.contents.parts", lambda: (type(parts()[0])(parts()[0].title, ("gone",)),))
    with pytest.raises(MissingAsset) as caught:
        chapters(Words.load("en"), {})
    assert caught.value.values == {"name": "assets/manual/en/gone.md"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "word",
    [
        "query",
        "key",
        "value",
        "overfitting",
        "ablation",
        "attribution",
        "KV cache",
        "查询",
        "键",
        "值",
        "过拟合",
        "消融",
        "归因",
        "KV 缓存",
    ],
)
def test_the_search_finds_the_words_of_the_field_where_they_are_explained(language: str, word: str) -> None:
    """In the glossary, with the explanation of the term, in the language of the manual or by its other name."""
    found = [hit for hit in search(manual(language), word) if hit.chapter.name == "glossary"]
    (term,) = [each for each in terms() if word in (*each.zh, *each.en)]

    assert any(term.told.of(language).lower() in hit.section.text for hit in found)
