"""Pieces of vocabularies as text that one can read.

Many vocabularies are made of bytes. A character that is no piece of theirs is split into several, none of which is text by
itself: each is shown as the character, the part's number and its bytes, such as 一⟨1/3⟩ E4. White space, which begins most
pieces of English, is shown as ␣. A broken character is never shown.
"""

import re
import unicodedata
from collections.abc import Sequence

_HEXADECIMAL = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_BROKEN = "\ufffd"
_SIGNS = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "␣", "\u3000": "␣"}


def _alphabet() -> dict[str, int]:
    """The byte of each letter of GPT-2's alphabet: printable ones are themselves, the others take the letters from 256 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTES = _alphabet()


def piece_bytes(piece: str, *, by_bytes: bool) -> bytes:
    """The bytes for which a piece stands: in GPT-2's alphabet if `by_bytes`, else as <0xE4> or as text with ▁ for a space."""
    if by_bytes:
        return bytes(_BYTES[letter] for letter in piece) if all(letter in _BYTES for letter in piece) else piece.encode()
    found = _HEXADECIMAL.fullmatch(piece)
    return bytes.fromhex(found[1]) if found else piece.replace("▁", " ").encode("utf-8", "replace")


def legible(text: str) -> str:
    """The text with signs for white space and codes for what cannot be seen."""
    return "".join(_SIGNS.get(letter) or (_code(letter) if _is_invisible(letter) else letter) for letter in text)


def alone(raw: bytes) -> str:
    """Some bytes as text, or as numbers where they are none."""
    text = as_text(raw)
    return _hexadecimal(raw) if text is None else legible(text)


def together(raws: Sequence[bytes]) -> list[str]:
    """A row of pieces as texts. Pieces that are text only together show the part's number and their bytes."""
    shown: list[str] = []
    first = 0
    while first < len(raws):
        last = _end_of_group(raws, first)
        if last == first + 1:
            shown.append(alone(raws[first]))
        else:
            whole = alone(b"".join(raws[first:last]))
            n = last - first
            shown += [f"{whole}⟨{part + 1}/{n}⟩ {_hexadecimal(raw)}" for part, raw in enumerate(raws[first:last])]
        first = last
    return shown


def as_text(raw: bytes) -> str | None:
    """The text of some bytes; None if they are none, or none that can be shown."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if _BROKEN in text else text


def _end_of_group(raws: Sequence[bytes], first: int) -> int:
    """The end of the shortest row of pieces from `first` on that is text; of one piece where there is none."""
    if as_text(raws[first]) is None:
        for last in range(first + 2, min(first + 9, len(raws) + 1)):  # A character has four bytes at most.
            if as_text(b"".join(raws[first:last])) is not None:
                return last
    return first + 1


def _hexadecimal(raw: bytes) -> str:
    return raw.hex(" ").upper()


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and letter != "\u200d"


def _code(letter: str) -> str:
    return f"U+{ord(letter):04X}"
