"""A State as a line of text."""

import re
import zlib
from base64 import urlsafe_b64encode

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import BadState, CannotOpenPrompt, NewerState
from explorer.state.state import State
from explorer.state.state_file import VERSION
from explorer.state.state_link import OpenLink, OpenPrompt, link_in, link_of, state_of
from tests.state.test_state_file import FULL


def linked(content: str) -> str:
    """A link that holds any text."""
    return "explorer:" + urlsafe_b64encode(zlib.compress(content.encode())).decode().rstrip("=")


def test_every_field_comes_back() -> None:
    """As from a file; an intent sets it up in place of what was there."""
    assert state_of(link_of(FULL)) == (FULL, ())
    assert OpenLink(link_of(FULL)).applied(State.from_preset("tiny"), None) == FULL


@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    """Half a surrogate pair as a question mark, as in the file."""
    state = State.from_preset("tiny", text)
    told = text.encode("utf-8", "replace").decode()
    assert state_of(link_of(state))[0] == attrs.evolve(state, wish=attrs.evolve(state.wish, text=told))


def test_a_link_is_one_short_word() -> None:
    """A message or an address line does not break it; a sentence and some knobs are two hundred characters."""
    link = link_of(State.from_preset("translator", "他在图书馆看书。", temperature=0.5))
    assert re.fullmatch(r"explorer:[A-Za-z0-9_-]+", link)
    assert len(link) < 200


def test_it_is_found_within_a_text() -> None:
    """Wherever somebody pasted it; the word alone is none."""
    link = link_of(State.from_preset("tiny"))
    assert link_in(f"看这个 {link}。") == link
    assert link_in(f"我爱{link} 北京") == link
    assert link_in("explorer: a program") == link_in("import explorer") == link_in("explorer:short") == ""


@pytest.mark.parametrize(
    ("link", "error"),
    [
        ("explorer:" + "A" * 40, BadState),
        ("explorer:" + "A" * 41, BadState),
        (link_of(FULL)[:-30], BadState),
        (linked("preset = ["), BadState),
        (linked('version = 1\npreset = "nonsense"'), BadState),
        (linked(f'version = {VERSION + 1}\npreset = "tiny"'), NewerState),
        (linked("x" * 2**22), BadState),
        (linked("[" * 5000), BadState),
    ],
)
def test_what_is_no_link_is_refused(link: str, error: type[Exception]) -> None:
    """Noise, a link that was cut, no TOML, an unknown preset, a later version, more than fits, too deep."""
    with pytest.raises(error) as caught:
        state_of(link)
    assert len(str(caught.value)) < 300


def test_unknown_names_are_told() -> None:
    """A later version may have written them."""
    state, unknown = state_of(linked('version = 1\npreset = "tiny"\nnew = 3'))
    assert (state, unknown) == (attrs.evolve(State.from_preset("tiny"), page=""), ("new",))


def test_a_prompt_opens_with_the_model_of_its_result() -> None:
    """What the passes were made with, and the text; Look and page stay. A model that is gone is named."""
    made = State.from_preset("tiny", "", n_heads=2)
    before = State.from_preset("translator", "我爱北京")
    opened = OpenPrompt(made.to_table(), "冬天来了", "春天来了").applied(before, None)
    assert opened.wish == attrs.evolve(made.wish, text="冬天来了", other="春天来了")
    assert opened.look == before.look and opened.page == before.page
    with pytest.raises(CannotOpenPrompt, match="gone"):
        OpenPrompt({"preset": "/gone", "text": ""}, "冬天来了").applied(before, None)
