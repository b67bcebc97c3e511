"""jieba's full mode with offsets: every dictionary word in a run of text, overlapping ones too.

jieba yields the words without their places, and equal words cannot be told apart afterwards; so this walks jieba's own
table of words by start. Order and words are jieba's, with one exception: letters on both sides of a dictionary word
are two words here, where jieba glues them to one that is not in the text.
"""

from collections.abc import Iterator, Mapping, Sequence

from explorer.tokens.graphemes import Span


def full_spans(lasts_by_start: Mapping[int, Sequence[int]], text: str) -> Iterator[Span]:
    """The spans of all words, from the last offsets of the words that begin at each offset."""
    letters: list[Span] = []
    covered = 0  # end of the word given last
    for start, lasts in lasts_by_start.items():
        if not _is_letter(text[start]):
            yield from letters
            letters.clear()
        if len(lasts) > 1 or start < covered:
            for last in lasts:
                if last > start:  # single characters are words only where nothing longer begins
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
