"""Which texts are refused, and with which numbers."""

import pytest

from explorer.errors import ControlCharacter, EmptyText, LoneSurrogate
from explorer.tokens.check import check_text


@pytest.mark.parametrize("text", ["我爱北京", " a\tb\r\nc ", "👨‍👩‍👧", "❤️", "\u200fשלום", "\ue000", "\U0010ffff"])
def test_an_ordinary_text_comes_back_as_it_is(text: str) -> None:
    """Joiners, variation selectors, direction marks, tabs and line ends are part of ordinary text."""
    assert check_text(text) is text


@pytest.mark.parametrize("text", ["", " ", "\t\r\n", "\u3000\u2028"])
def test_white_space_alone_is_an_empty_text(text: str) -> None:
    """A text nobody can see is refused."""
    with pytest.raises(EmptyText):
        check_text(text)


@pytest.mark.parametrize(("text", "place", "code"), [("\0", 1, "U+0000"), ("我\x1b", 2, "U+001B"), (" \x85", 2, "U+0085")])
def test_a_control_character_is_named_with_its_place(text: str, place: int, code: str) -> None:
    """The error says where, counted from 1, and which."""
    with pytest.raises(ControlCharacter) as caught:
        check_text(text)

    assert caught.value.values == {"place": place, "code": code}


def test_a_lone_surrogate_is_named_with_its_place() -> None:
    """Half of a UTF-16 pair is its own kind of mistake."""
    with pytest.raises(LoneSurrogate) as caught:
        check_text("我\ud800")

    assert caught.value.values == {"place": 2, "code": "U+D800"}
