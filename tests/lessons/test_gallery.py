"""The gallery of sentences: what its notes say of a translation is what the translator writes."""

import pytest

import explorer
from explorer.lessons.gallery import Example, gallery
from explorer.tokens.check import check_text


def test_there_are_twelve_sentences_in_both_languages() -> None:
    """Each with its note, none twice."""
    examples = gallery()
    assert len(examples) == len({example.text for example in examples}) == 12
    assert all(example.note.zh and example.note.en and example.written for example in examples)


@pytest.mark.slow
@pytest.mark.parametrize("example", gallery(), ids=lambda example: example.text)
def test_a_sentence_is_translated_as_its_note_says(example: Example) -> None:
    """By the search of the window; a further training must look at the notes again."""
    check_text(example.text)
    assert explorer.translate(example.text, beam=4) == example.written
