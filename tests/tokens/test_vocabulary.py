"""Symbols, ids and the files they are kept in."""

from pathlib import Path

import pytest

from explorer.resources import asset
from explorer.tokens.bpe import BYTES
from explorer.tokens.vocabulary import SPECIALS, Vocabulary

SMALL = Vocabulary((*SPECIALS, "我", "爱", "\u2028"))


def test_a_symbol_has_its_line_as_id() -> None:
    """Ids count from 0 in the order of the symbols."""
    assert [SMALL.id_of(symbol) for symbol in ("<pad>", "<unk>", "<bos>", "<eos>", "我", "北")] == [0, 1, 2, 3, 4, None]
    assert len(SMALL) == 7


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """One symbol a line, rare line separators included."""
    SMALL.write(tmp_path / "words.txt")

    assert (tmp_path / "words.txt").read_bytes().decode().split("\n")[4] == "我"
    assert Vocabulary.read(tmp_path / "words.txt") == SMALL


def test_a_cap_keeps_the_first_symbols() -> None:
    """The special ones always, and never more than there are."""
    assert SMALL.capped(5).symbols == (*SPECIALS, "我")
    assert SMALL.capped(1).symbols == SPECIALS
    assert SMALL.capped(100) is SMALL


@pytest.mark.parametrize("symbols", [(), ("我", *SPECIALS), (*SPECIALS, "我", "我"), (*SPECIALS, "")])
def test_a_list_that_is_no_vocabulary_is_refused(symbols: tuple[str, ...]) -> None:
    """Specials first, each symbol once, none empty."""
    with pytest.raises(ValueError, match="special symbols first"):
        Vocabulary(symbols)


def test_the_bundled_words_have_the_well_known_ones() -> None:
    """Every word of the example list, within the usual size."""
    usual = Vocabulary.read(asset("vocabulary/words.txt")).capped(8000)
    examples = asset("vocabulary/examples.txt").read_text(encoding="utf-8").split()

    assert [word for word in examples if usual.id_of(word) is None] == []
    assert [each for word in examples for each in word if usual.id_of(each) is None] == []


def test_the_bundled_files_are_of_the_planned_size() -> None:
    """Some 14,000 words and 8,000 symbols, bytes first."""
    bpe = Vocabulary.read(asset("vocabulary/bpe.txt"))

    assert 10_000 <= len(Vocabulary.read(asset("vocabulary/words.txt"))) <= 15_000
    assert len(bpe) == 8000
    assert bpe.symbols[4:260] == BYTES
