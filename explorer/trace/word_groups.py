"""Which tokens are one written word, and how that word is written: ＿T · ian · an · men is Tiananmen.

The tokens alone decide: their places in the text, the marks of their vocabulary, and letters. A token goes on with
the word before it where it stands right behind it and both are letters or digits, where both are bytes of one character, or
where both are what a word fell apart into that the vocabulary lacks. Scripts that are written without spaces have no other
words: there a word is what jieba, or the vocabulary, has cut.
"""

import re
import unicodedata
from collections.abc import Sequence

from explorer.tokens.token import Token
from explorer.trace.folding import Groups

_OWN_MARK, _SPACE, _GOES_ON = (
    "＿",
    "␣",
    "##",
)  # as our vocabularies mark a word's begin, as others do, and as BERT a word's rest
_BYTE = re.compile(r"<0x([0-9A-F]{2})>\Z")
_PART = re.compile(r"(?P<whole>.+?)(?:⟨(?P<of>\d+)/\d+⟩ [0-9A-F ]+| (?P<own>\d+)/\d+)\Z", re.DOTALL)
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO", "TIBETAN")


def word_groups(tokens: Sequence[Token]) -> Groups:
    """The places of the tokens of each word, in the order of the text."""
    groups: list[list[int]] = []
    for place, token in enumerate(tokens):
        if groups and _goes_on(tokens[place - 1], token):
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
    if not before and last.text in (_OWN_MARK, _SPACE):  # A mark that stands alone begins the word of letters behind it.
        return token.text == after and token.start <= last.end and bool(after) and _spaced_letter(after[0])
    if token.start != last.end or token.text.startswith((_OWN_MARK, _SPACE)):
        return False
    if token.text.startswith(_GOES_ON) and after:
        return bool(before)
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
    return text.lstrip(_OWN_MARK + _SPACE).removeprefix(_GOES_ON)


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
