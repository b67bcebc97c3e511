"""The manual as one HTML page."""

import re
from html.parser import HTMLParser

import pytest

from explorer.lang import LANGUAGES, Words
from explorer.manual.chapter import made_chapter
from explorer.manual.page import as_page
from tests.manual.test_contents import manual

_EMPTY = {"meta", "br"}


class _Reader(HTMLParser):
    """Holds open elements, names of places and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.places: list[str] = []
        self.links: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.places.append(str(values["id"]))
        if values.get("href"):
            self.links.append(str(values["href"]))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    return reader


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_whole_and_needs_nothing_else(language: str) -> None:
    """Every element is closed, every link leads into it or to the network, no place is named twice, nothing is loaded."""
    html = as_page(manual(language), Words.load(language))
    found = read(html)
    assert found.open == found.faults == []
    assert len(found.places) == len(set(found.places))
    assert [
        link for link in found.links if not link.startswith("https://") and link.removeprefix("#") not in found.places
    ] == []
    assert not re.search(r"<(script|img|link)\b|url\(|@import", html)
    assert all(chapter.title in html for chapter in manual(language))


def test_a_link_into_the_program_keeps_its_text_unless_it_stands_alone() -> None:
    """On paper nothing can be opened; a list of lessons stays a list."""
    text = (
        "# X\n\n[Open](page:why)\n\nSee [Why](page:why). Told. [Open it](page:why).\n\n- [One](lesson:a1)\n\n[y](manual:x#s1)"
    )
    html = as_page((made_chapter("x", "", text + "\n\n## Y\n\nb", {}),), Words.load("en"))
    assert "<p>See Why. Told.</p><ul><li>One</li></ul>" in html and "Open" not in html
    assert '<a href="#x-s1">y</a>' in html and '<a id="x-s1"></a>' in html


def test_an_element_that_is_not_closed_would_be_found() -> None:
    """Of both kinds."""
    assert read("<p><b>x</p>").faults == ["p"]
    assert read("<p>x").open == ["p"]
