"""Which language a text is in, by its letters."""

import pytest

from explorer.presets import load_preset
from explorer.tokens.language import language_of
from tests.translators import TRANSLATORS


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我爱北京天安门。", "zh"),
        ("我用 Python 写程序。", "zh"),
        ("爱 Tom", "zh"),
        ("The animal didn't cross the well-known café's street 🙂.", "en"),
        ("The word 爱 means love.", "en"),
        ("Я люблю кошек.", ""),
        ("3.14 + 2 = 🙂?", ""),
        ("", ""),
    ],
)
def test_a_text_is_in_the_language_of_most_of_it(text: str, language: str) -> None:
    """A Chinese character counts as much as a word in Latin letters; other letters and none say nothing."""
    assert language_of(text) == language


@pytest.mark.parametrize("preset", TRANSLATORS)
def test_a_models_own_sentence_is_in_the_language_that_it_reads(preset: str) -> None:
    """It is what opens first in that language."""
    assert language_of(load_preset(preset).text) == load_preset(preset).reads
