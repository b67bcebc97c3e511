"""jieba's full mode with offsets: every dictionary word in a run of text, overlapping ones too.

jieba returns the words without their places, and equal words could not be told apart afterwards. So this file goes through
jieba's own table of words by their start. Words and order are the same as jieba's, with one exception: letters on both sides of
a dictionary word are two words here, while jieba joins them to one word that is not in the text.
"""

from collections.abc import Iterator, Mapping, Sequence

from explorer.tokens.graphemes import Span


def full_spans(lasts_by_start: Mapping[int, Sequence[int]], text: str) -> Iterator[Span]:
    """The spans of all words. `lasts_by_start` has for each offset the last offsets of the words that begin there."""
    letters: list[Span] = []
    covered = 0  # The text before this offset is covered by words.
    for start, lasts in lasts_by_start.items():
        if not _is_letter(text[start]):
            yield from letters
            letters.clear()
        if len(lasts) > 1 or start < covered:
            for last in lasts:
                if last > start:  # A single character is a word only if no longer word begins with it.
                    yield start, last + 1
                    covered = last + 1
            continue
        covered = lasts[0] + 1
        if not _is_letter(text[start]):
            yield start, covered
        elif letters and letters[-1][1] == start:
            letters[-1] = (letters[-1][0], covered)
        else:
            letters.append((start, covered))
    yield from letters


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()
