"""Untrusted texts on a terminal: what steers it, or turns the order of letters, is written as Python escapes it."""

import unicodedata

_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # Unicode's categories: controls, formats, half letters, line ends
_KEPT = frozenset("\n\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")


def printed(text: str) -> str:
    """The text with its line feeds, and with escapes such as `\\u202e` for whatever steers."""
    return "".join(letter if letter.isprintable() or not _steers(letter) else repr(letter)[1:-1] for letter in text)


def _steers(letter: str) -> bool:
    return letter not in _KEPT and unicodedata.category(letter) in _STEERING
