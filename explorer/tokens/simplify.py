"""From traditional to simplified Chinese, character by character, so that all offsets stay the same.

jieba's dictionary is in simplified Chinese and would cut traditional text otherwise.
"""

from collections.abc import Callable
from functools import lru_cache

from opencc import OpenCC

Convert = Callable[[str], str]
_A_WORD = 16  # characters; what is longer is hardly asked for twice
_MOST_KNOWN = 4096


@lru_cache(maxsize=1)
def _by_opencc() -> Convert:
    """OpenCC's conversion, whose dictionaries all Simplifiers of a process share: to read them takes 3 ms."""
    convert: Convert = OpenCC("t2s").convert
    return convert


class Simplifier:
    """Simplifies texts without changing their length."""

    def __init__(self, convert: Convert | None = None) -> None:
        self._convert: Convert = convert or _by_opencc()
        self._known = lru_cache(_MOST_KNOWN)(self._made)  # Each key asks for every word of the sentence anew.

    def simplified(self, text: str) -> str:
        """The text in simplified characters; its length stays the same."""
        return self._known(text) if len(text) <= _A_WORD else self._made(text)

    def _made(self, text: str) -> str:
        converted = self._convert(text)
        if len(converted) == len(text):
            return converted
        # A phrase has become longer or shorter. One character at a time loses the context but keeps all places.
        return "".join(self._character(each) for each in text)

    def _character(self, character: str) -> str:
        converted = self._convert(character)
        return converted if len(converted) == 1 else character
