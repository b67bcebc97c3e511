"""Learning symbols, and the command that makes the bundled files."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from explorer.tokens.bpe import BYTES
from explorer.tokens.learn_bpe import learn
from explorer.tokens.pieces import MARK
from explorer.tokens.vocabulary import SPECIALS, Vocabulary
from explorer.training import bundled_vocabularies as command

TEXTS = ["low lower lowest"] * 5 + ["new newer newest 我们 我们"] * 6 + ["wide 们我"] * 3


def learned_slowly(n_merges: int) -> list[str]:
    """Byte-pair encoding as the paper has it: count everything anew before each merge."""
    words = [[MARK, *word] for text in TEXTS for word in text.split() if word.isascii()]
    words += [list(word) for text in TEXTS for word in text.split() if not word.isascii()]
    symbols: list[str] = []
    while len(symbols) < n_merges:
        counts = Counter(pair for word in words for pair in pairwise(word))
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        symbols.append("".join(best))
        for word in words:
            for at in range(len(word) - 2, -1, -1):
                if (word[at], word[at + 1]) == best:
                    word[at : at + 2] = ["".join(best)]
    return symbols


def test_learning_step_by_step_is_learning_from_scratch() -> None:
    """Counts kept up to date give the merges that counting anew gives."""
    merges = [symbol for symbol in learn(TEXTS, 31) if len(symbol) > 1]

    assert merges == learned_slowly(len(merges))
    assert len(merges) > 10


def test_learning_twice_gives_the_same() -> None:
    """Ties are settled by the symbols themselves."""
    assert learn(TEXTS, 40) == learn(reversed(TEXTS), 40)


def test_no_symbol_stands_before_its_parts() -> None:
    """So a shorter list is a smaller encoding."""
    symbols = learn(TEXTS, 60)

    for at, symbol in enumerate(symbols):
        parts = set(symbols[:at])
        assert len(symbol) == 1 or any(symbol[:cut] in parts and symbol[cut:] in parts for cut in range(1, len(symbol)))


def test_the_number_of_symbols_is_kept() -> None:
    """Fewer only when there is nothing left to merge."""
    assert len(learn(TEXTS, 20)) == 20
    assert len(learn(TEXTS, 5)) == 5
    assert len(learn(TEXTS, 10_000)) < 100


def test_what_is_always_wanted_is_there_and_rare_characters_are_not() -> None:
    """A rare character has its bytes; merges with it are not learned."""
    symbols = learn(["龘们", "龘们", MARK, "aaa aaa aaa"], 100, always=("Z",))

    assert "Z" in symbols
    assert not any("龘" in symbol for symbol in symbols)
    assert symbols.count(MARK) == 1


def test_a_symbol_that_comes_about_twice_is_one() -> None:
    """Each symbol has one id."""
    symbols = learn(["abab abc bcab cabc aabc ababc"] * 3, 100)

    assert len(set(symbols)) == len(symbols)


def test_the_command_writes_both_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Only training rows count; what must be there is there."""
    monkeypatch.setattr(command, "cache_folder", lambda: cache)
    rows = ["split\tzh\ten"] + ['train\t汤姆说"好"。\tTom said "yes".'] * 6 + ["test\t骆驼骆驼\tcamel"] * 9
    (tmp_path / "pairs.tsv").write_text("\n".join(rows), encoding="utf-8")

    command.main(str(tmp_path / "pairs.tsv"), str(tmp_path))

    words = Vocabulary.read(tmp_path / "words.txt")
    assert words.symbols[:4] == SPECIALS
    assert {"汤姆", "汤", "Tom", "said", "yes", ".", "。", "~", "天安门"} <= set(words.symbols)
    assert not {"骆驼", "骆", "camel"} & set(words.symbols)
    bpe = Vocabulary.read(tmp_path / "bpe.txt")
    assert bpe.symbols[:260] == (*SPECIALS, *BYTES)
    assert {"汤姆说", f"{MARK}Tom", "京", "~"} <= set(bpe.symbols)
