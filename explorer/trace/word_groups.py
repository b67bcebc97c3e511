"""Which tokens are one written word, and how that word is written: ␣T · ian · an · men is Tiananmen.

The tokens alone decide: their places in the text, the marks of their vocabulary, and letters. A token goes on with
the word before it where it stands right behind it and both are letters or digits, where an apostrophe or a hyphen stands
between them (didn't, well-known), where both are bytes of one character, or where both are what a word fell apart into that
the vocabulary lacks. Scripts that are written without spaces have no other
words: there a word is what jieba, or the vocabulary, has cut.

Attention between words folds the rows and columns of a word's tokens into one row and one column. The attention *to* a word is
the sum over its tokens, since a row is shared out among the keys and shares add up. The attention *of* a word is the average
over its tokens, each of which has a row of its own. So a folded row sums to 1 as those that it was made of. Clark et al. 2019,
section 4.1.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.levels import Closed

Groups = tuple[tuple[int, ...], ...]
"""The places of the tokens of each word; every token is in one of them."""


def singles(n_tokens: int) -> Groups:
    """Every token by itself."""
    return tuple((place,) for place in range(n_tokens))


def folds(groups: Groups) -> bool:
    """Whether a word has more than one token."""
    return any(len(group) > 1 for group in groups)


def folded(weights: Array, queries: Groups, keys: Groups, closed: Closed | None = None) -> Array:
    """[…, word of queries, word of keys] of [..., query, key], computed in float64.

    A cell that is closed, or NaN, gives nothing to a sum. A query without any number is left out of the average. A folded
    cell whose cells are all without a number is NaN. Raises ValueError where the words do not have every query and key once.
    """
    _check(queries, weights.shape[-2])
    _check(keys, weights.shape[-1])
    missing = np.isnan(weights)
    open_ = ~missing if missing.any() else np.ones(weights.shape[-2:], bool)  # All heads may share them.
    open_ = open_ if closed is None else open_ & ~closed  # […, query, key]
    numbers = weights if open_.all() else np.where(open_, weights, np.float32(0))
    # F[i,j] = Σ_q∈i Σ_k∈j A[q,k] / n_i, over the n_i tokens of word i that have numbers
    sums = _summed(numbers, queries, keys)
    n_rows = _along(np.expand_dims(open_.any(axis=-1), -1), queries, -2)  # […, word, 1]
    n_cells = _summed(open_, queries, keys)
    made: Array = np.where(n_cells > 0, sums / np.maximum(n_rows, 1), np.nan).astype(np.float32)
    return made


def folded_closed(closed: Closed, queries: Groups, keys: Groups) -> Closed:
    """[…, word of queries, word of keys] True where all cells [..., query, key] of two words are closed."""
    none: Closed = _summed(~closed, queries, keys) == 0
    return none


def before(groups: Groups, n_rows: int) -> Groups:
    """The words of rows that each stand for the token one place later, as those of cross-attention do.

    The first token has no row. Rows behind the last token, such as that of the end symbol, are words by themselves.
    """
    moved = (tuple(place - 1 for place in group if place > 0) for group in groups)
    written = tuple(group for group in moved if group)
    n_written = sum(map(len, written))
    return (*written, *((place,) for place in range(n_written, n_rows)))


def _summed(values: NDArray[Any], queries: Groups, keys: Groups) -> NDArray[np.float64]:
    """[…, word, word] the sums over each word's rows and columns, in float64."""
    return _along(_along(values, queries, -2), keys, -1)  # Rows lie apart in memory and are added faster: they come first.


def _along(values: NDArray[Any], groups: Groups, axis: int) -> NDArray[np.float64]:
    order = list(chain.from_iterable(groups))
    if order != list(range(len(order))):
        values = values.take(order, axis=axis)
    starts = np.cumsum([0, *map(len, groups[:-1])])
    summed: NDArray[np.float64] = np.add.reduceat(values, starts, axis=axis, dtype=np.float64)
    return summed


def _check(groups: Sequence[Sequence[int]], n_places: int) -> None:
    if sorted(chain.from_iterable(groups)) != list(range(n_places)) or not all(groups):
        raise ValueError(f"the words have to have each of the {n_places} places once")


_SPACE, _GOES_ON = "␣", "##"  # the space that begins a word, and BERT's mark of a word's rest
_JOINTS = ("'", "’", "-", "‐", "‑")  # apostrophes and hyphens
_BYTE = re.compile(r"<0x([0-9A-F]{2})>\Z")
_PART = re.compile(r"(?P<whole>.+?)(?:⟨(?P<of>\d+)/\d+⟩ [0-9A-F ]+| (?P<own>\d+)/\d+)\Z", re.DOTALL)
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO", "TIBETAN")


def word_groups(tokens: Sequence[Token]) -> Groups:
    """The places of the tokens of each word, in the order of the text."""
    groups: list[list[int]] = []
    for place, token in enumerate(tokens):
        if groups and (_goes_on(tokens[place - 1], token) or _is_joined([tokens[each] for each in groups[-1]], tokens[place:])):
            groups[-1].append(place)
        else:
            groups.append([place])
    return tuple(map(tuple, groups))


def word_text(tokens: Sequence[Token]) -> str:
    """The word of these tokens, without marks: of the bytes of a character the character."""
    if len(tokens) == 1 and _byte_part(tokens[0]) is None:
        return _bare(tokens[0]) or tokens[0].text
    shown, raw = "", b""
    for number, token in enumerate(tokens):
        found = _BYTE.match(token.text)
        if found:
            raw += bytes.fromhex(found[1])
            continue
        shown, raw = shown + _decoded(raw), b""
        if number == 0 or not _same_character(tokens[number - 1], token):
            shown += _bare(token)
    return (shown + _decoded(raw)) or tokens[0].text


def word_texts(tokens: Sequence[Token], groups: Groups) -> tuple[str, ...]:
    """The written word of each group."""
    return tuple(word_text([tokens[place] for place in group]) for group in groups)


def _goes_on(last: Token, token: Token) -> bool:
    """Whether a token belongs to the word of the one before it."""
    if last.special or token.special:
        return False
    if _same_character(last, token) or (token.word is not None and token.word == last.word):
        return True
    before, after = _bare(last), _bare(token)
    if not before and last.text == _SPACE:  # A mark that stands alone begins the word of letters behind it.
        return token.text == after and token.start <= last.end and bool(after) and _spaced_letter(after[0])
    if not _touches(last, token):
        return False
    if token.text.startswith(_GOES_ON) and after:
        return bool(before)
    return _is_between(before, after)


def _is_joined(word: Sequence[Token], behind: Sequence[Token]) -> bool:
    """Whether the first token behind a word belongs to it by an apostrophe or a hyphen between letters."""
    token, written = behind[0], "".join(map(_bare, word))
    text = _bare(token)
    if not text or not _touches(word[-1], token):
        return False
    if text[0] in _JOINTS:
        later = text[1:] or (_bare(behind[1]) if len(behind) > 1 and _touches(token, behind[1]) else "")
        return _is_between(written, later)
    return written[-1:] in _JOINTS and _is_between(written[:-1], text)


def _touches(last: Token, token: Token) -> bool:
    """Whether a token stands right behind another one, and both have been read."""
    return token.start == last.end and not token.text.startswith(_SPACE) and not (last.special or token.special)


def _is_between(before: str, after: str) -> bool:
    """Whether what stands between two texts stands between letters."""
    return bool(before and after) and _spaced_letter(before[-1]) and _spaced_letter(after[0])


def _same_character(last: Token, token: Token) -> bool:
    """Whether both are bytes of one character, of which the second is not the first."""
    here, there = _byte_part(token), _byte_part(last)
    if here is None or there is None:
        return False
    if here == 0:  # Only the place says which byte this is.
        return (last.start, last.end) == (token.start, token.end) and token.end > token.start
    return here == there + 1


def _byte_part(token: Token) -> int | None:
    """Which part of a character a token is, from 1; 0 where that is not said; None where it is none."""
    if _BYTE.match(token.text):
        return 0
    found = _PART.match(token.text)
    return int(found["of"] or found["own"]) if found else None


def _bare(token: Token) -> str:
    """The text of a token without the marks of its vocabulary."""
    found = _PART.match(token.text)
    text = found["whole"] if found else token.text
    return text.lstrip(_SPACE).removeprefix(_GOES_ON)


def _decoded(raw: bytes) -> str:
    """The text of some bytes; as they are named where they are none."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in raw)


def _spaced_letter(letter: str) -> bool:
    """Whether a letter or digit, or a mark on one, is of a script that has spaces between words."""
    if not (letter.isalnum() or unicodedata.category(letter).startswith("M")):
        return False
    return not unicodedata.name(letter, "").startswith(_UNSPACED)
