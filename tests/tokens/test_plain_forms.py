"""What an English character is looked up as."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.tokens.plain_forms import plain_forms
from tests.tokens.texts import unhurried


@pytest.mark.parametrize(
    ("typed", "form"),
    [("T", "t"), ("É", "é"), ("É", "e"), ("e\u0301", "é"), ("’", "'"), ("“", '"'), ("，", ","), ("Ｔ", "t"), ("—", "-")],
)
def test_a_character_has_a_plainer_form(typed: str, form: str) -> None:
    """A small letter, the usual mark, a letter without its accent."""
    assert form in plain_forms(typed)


@pytest.mark.parametrize("character", ["t", "1", "'", "我", "🙂", "ß"])
def test_a_plain_character_has_no_other_form(character: str) -> None:
    """Nothing is looked up in its place."""
    assert list(plain_forms(character)) == []


def test_the_nearest_form_comes_first() -> None:
    """An accent is given up last."""
    assert list(plain_forms("E\u0301")) == ["É", "é", "e"]


@unhurried
@given(st.characters(exclude_categories=["Cs"]))
def test_no_form_is_empty_or_the_character_itself(character: str) -> None:
    """Whatever was typed: a lone accent too."""
    forms = list(plain_forms(character))

    assert all(forms) and character not in forms and len(set(forms)) == len(forms)
