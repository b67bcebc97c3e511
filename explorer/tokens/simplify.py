"""Traditional to simplified Chinese, character for character, so that every offset stays.

jieba's dictionary is simplified and cuts traditional text differently.
"""

from collections.abc import Callable

from opencc import OpenCC

Convert = Callable[[str], str]


class Simplifier:
    """Simplified forms of the same length as what was typed."""

    def __init__(self, convert: Convert | None = None) -> None:
        self._convert: Convert = convert or OpenCC("t2s").convert

    def simplified(self, text: str) -> str:
        """`text` in simplified characters; `len` stays the same."""
        converted = self._convert(text)
        if len(converted) == len(text):
            return converted
        # Some phrase became longer or shorter: single characters lose its context but keep their places.
        return "".join(self._character(each) for each in text)

    def _character(self, character: str) -> str:
        converted = self._convert(character)
        return converted if len(converted) == 1 else character
