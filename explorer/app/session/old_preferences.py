r"""The preferences of earlier versions: a file INI as Qt wrote it, read as plain text.

    [General]
    theme=dark
    geometry=@ByteArray(\x1\xd9\xd0\xcb\0\x3)

Decision: of all that Qt's format can say, texts and rows of bytes are read. Rejected: QSettings, because a value `@Variant(…)`
may hold any object of Python's, which PySide unpickles: whoever could write the file could run a program.
"""

import base64
import re

_SECTION = "[General]"
_ESCAPE = re.compile(r"\\(?:x(?P<hex>[0-9a-fA-F]{1,6})|(?P<octal>[0-7]{1,3})|(?P<one>.))", re.DOTALL)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LAST = 0x10FFFF
_BYTES, _TEXT = re.compile(r"@ByteArray\((.*)\)", re.DOTALL), re.compile(r"@String\((.*)\)", re.DOTALL)
_NAME = re.compile(r"\w+", re.ASCII)


def read_old_preferences(content: bytes) -> dict[str, str]:
    """The texts of a file by name, and its rows of bytes in base64. What is anything else is left out."""
    found: dict[str, str] = {}
    section = ""
    for line in content.decode("utf-8", errors="replace").splitlines():
        if line.startswith("["):
            section = line.strip()
        name, sign, written = line.partition("=")
        if section == _SECTION and sign and _NAME.fullmatch(name) and (value := _value(written)) is not None:
            found[name] = value
    return found


def _value(written: str) -> str | None:
    """What a value means; None for a list, and for an object."""
    if written.startswith('"') and written.endswith('"') and len(written) > 1:
        written = written[1:-1]
    elif "," in written:
        return None
    plain = _ESCAPE.sub(_meant, written)
    if plain.startswith("@@"):
        return plain[1:]
    if not plain.startswith("@"):
        return plain
    if (row := _BYTES.fullmatch(plain)) is not None:
        return base64.b64encode(row[1].encode("latin-1", errors="replace")).decode("ascii")
    return text[1] if (text := _TEXT.fullmatch(plain)) is not None else None


def _meant(escape: re.Match[str]) -> str:
    """The letter that an escape stands for."""
    if escape["one"] is not None:
        return _LETTERS.get(escape["one"], escape["one"])
    number = int(escape["hex"], 16) if escape["hex"] else int(escape["octal"], 8)
    return chr(number) if number <= _LAST and not 0xD800 <= number <= 0xDFFF else "\ufffd"
