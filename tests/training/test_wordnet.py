"""Which of WordNet's examples are sentences."""

from pathlib import Path

import pytest

from tests.training.wordnet import FILES, sentence, sentences


@pytest.mark.parametrize(
    ("example", "made"),
    [
        ("he was born out of wedlock", "He was born out of wedlock."),
        ("Darkness enclosed him", "Darkness enclosed him."),
        ("the buildings were badly shaken", "The buildings were badly shaken."),
        ("I will never marry you!", "I will never marry you!"),
        ("A British term is `tup'", "A British term is 'tup'."),
        ("the pervasive odor of garlic", ""),
        ("grit roads", ""),
        ("He ran", ""),
        ("he said ... that", ""),
    ],
)
def test_a_phrase_is_no_sentence(example: str, made: str) -> None:
    """A sentence gets its capital letter and its full stop."""
    assert sentence(example) == made


def test_examples_are_read_from_the_glosses(tmp_path: Path) -> None:
    """In WordNet's own format, of which the first lines are its licence."""
    line = '00001740 29 v 01 breathe 0 000 01 + 02 00 | draw air in; "I can breathe now"; "grit roads"; "She sang"\n'
    for name in FILES:
        (tmp_path / name).write_text("  1 This software and database\n" + line, encoding="latin-1")

    assert list(sentences(tmp_path)) == ["I can breathe now."] * len(FILES)
