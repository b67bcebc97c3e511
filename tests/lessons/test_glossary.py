"""The glossary: every term in both languages, and where terms stand in a text."""

import pytest

from explorer.lessons.glossary import mentions, terms


def test_every_term_has_words_and_a_meaning_in_both_languages() -> None:
    """And no word means two things."""
    for language in ("zh", "en"):
        names = [name.lower() for term in terms() for name in term.names(language)]
        assert len(names) == len(set(names)) and all(names)
    assert all(term.told.zh and term.told.en and term.zh and term.en for term in terms())
    assert len(terms()) >= 30


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("解码器用因果掩码，掩码盖住后面。", "zh", ["解码器", "因果掩码", "掩码"]),
        ("每个头有一行权重；权重加起来是 1。", "zh", ["头", "权重"]),
        ("Self-attention looks at tokens, and a token at tokens.", "en", ["Self-attention", "tokens"]),
        ("A headline about keyboards and valued layers.", "en", ["layers"]),
        ("用方向键或鼠标右键选一个键。", "zh", ["键"]),
        ("", "zh", []),
    ],
)
def test_a_term_is_found_where_it_stands_first(text: str, language: str, found: list[str]) -> None:
    """The longest name counts, and an English one is a whole word."""
    assert [text[each.start : each.end] for each in mentions(text, language)] == found
