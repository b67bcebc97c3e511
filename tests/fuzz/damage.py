"""What happens to files: bytes change, go and come, lines are exchanged, and a place is taken by something that is no file."""

import os
import shutil
from pathlib import Path
from random import Random

_TELLING = (
    b"\0",
    b"\xff",
    b"\n",
    b"\r",
    b"\t",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xc3",
    b"9" * 30,
    b"-",
    b"{",
    b"[",
    b'"',
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\0\0\0\0\0\0\0\x80",
    b"nan",
    b"inf",
    b"null",
    b"1e999",
)


def damaged(data: bytes, chance: Random) -> bytes:
    """Some bytes at a time; what is at the beginning is met more often, since headers stand there."""
    way = chance.randrange(7)
    if way == 0:
        return data[: _place(data, chance)]
    if way == 1:
        return data + bytes(chance.randrange(256) for _ in range(chance.choice((1, 8, 1000))))
    if way == 2:
        return b""
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        at = _place(data, chance)
        size = chance.choice((1, 1, 2, 8, 40))
        new = chance.choice((bytes(chance.randrange(256) for _ in range(size)), chance.choice(_TELLING), b""))
        data = data[:at] + new + data[at + (len(new) if way < 5 else size) :]
    return data


def reordered(text: str, chance: Random) -> str:
    """Lines of a text doubled, dropped, exchanged, joined or broken."""
    lines = text.split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
        way = chance.randrange(5)
        if way == 0:
            lines.insert(b, lines[a])
        elif way == 1 and len(lines) > 1:
            del lines[a]
        elif way == 2:
            lines[a], lines[b] = lines[b], lines[a]
        elif way == 3:
            lines[a] += chance.choice(("", " ", "\t")) + lines[b]
        else:
            at = chance.randint(0, len(lines[a]))
            lines[a : a + 1] = [lines[a][:at], lines[a][at:]]
    return "\n".join(lines)


def put_odd(path: Path, chance: Random) -> None:
    """In place of a file: a folder, a pipe, a device, a circle of links, a file that nobody may read, or nothing."""
    clear(path)
    way = chance.randrange(9)
    if way == 0:
        path.mkdir()
    elif way == 1 and hasattr(os, "mkfifo"):
        os.mkfifo(path)
    elif way in (2, 3, 4):
        path.symlink_to(
            chance.choice(
                ("/dev/zero", "/dev/random", "/dev/null", "/dev/full", "/dev/tty", "/proc/self/mem", "/proc/self/environ")
            )
        )
    elif way == 5:
        path.symlink_to(path)
    elif way == 6:
        path.symlink_to(path.parent)
    elif way == 7:
        path.write_bytes(b"")
        path.chmod(0)


def clear(path: Path) -> None:
    """Remove what stands there, which may be odd, too."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _place(data: bytes, chance: Random) -> int:
    return min(len(data), int(chance.choice((chance.random() * 300, chance.random() * len(data)))))
