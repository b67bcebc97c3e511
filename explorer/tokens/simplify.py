"""From traditional to simplified Chinese, character by character, so that all offsets stay the same.

jieba's dictionary is in simplified Chinese and would segment traditional text differently.
"""

from collections.abc import Callable

from opencc import OpenCC

Convert = Callable[[str], str]


class Simplifier:
    """Simplifies texts without changing their length."""

    def __init__(self, convert: Convert | None = None) -> None:
        self._convert: Convert = convert or OpenCC("t2s").convert

    def simplified(self, text: str) -> str:
        """The text in simplified characters; its length stays the same."""
        converted = self._convert(text)
        if len(converted) == len(text):
            return converted
        # A phrase has become longer or shorter. One character at a time loses the context but keeps all places.
        return "".join(self._character(each) for each in text)

    def _character(self, character: str) -> str:
        converted = self._convert(character)
        return converted if len(converted) == 1 else character
