"""The plainer forms of a character of an English text: what is looked up where a vocabulary lacks what was typed.

A vocabulary of small letters has no T, so that "The" and "the" share their tokens. Typographic and full-width marks are looked
up as the usual ones, and a letter with an accent as the letter below it.
"""

import unicodedata
from collections.abc import Iterator

_MARKS = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "。": ".", "、": ","})


def plain_forms(character: str) -> Iterator[str]:
    """Other forms of a character, the nearest first: composed, small, of usual width and punctuation, without accents."""
    composed = unicodedata.normalize("NFC", character)
    small = composed.lower()
    usual = unicodedata.normalize("NFKC", small).translate(_MARKS)
    bare = "".join(each for each in unicodedata.normalize("NFD", usual) if not unicodedata.combining(each))
    yield from (form for form in dict.fromkeys((composed, small, usual, bare)) if form not in ("", character))
