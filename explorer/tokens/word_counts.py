"""A dictionary of half a million words and their counts, kept in a file that is read in a fifth of a second.

In the form in which jieba stores the words, reading takes 0.7 s. To read the file in one go would stop all other threads for
that time, so it is read in slices. It has a line of JSON, then one line for each word, then the counts.
"""

import contextlib
import json
import zlib
from array import array
from collections.abc import Callable, Mapping
from pathlib import Path

from explorer.errors import CannotWrite, ExplorerError
from explorer.files import opened, replacing
from explorer.json_text import read_json_text

_SLICE = 16_384  # So many words take a few milliseconds.
_FORM = "word counts 2"
_LONGEST_HEAD, _MOST_BYTES = 1000, 2**26  # bytes; jieba's words take 9 MB.

Counts = tuple[dict[str, int], int]
"""The count of each word, and the total. jieba counts words of two lines twice, so the total may be more than the sum."""


def word_counts(path: Path, key: str, build: Callable[[], Counts]) -> Counts:
    """The counts that `build` makes, read from the file if it has the same key. A file that cannot be written is no error."""
    try:
        return _read(path, key)
    # The file may be absent, a foreign one, or broken anywhere: JSON can be nested without end, a length can be any number.
    except (ExplorerError, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError):
        made = build()
        with contextlib.suppress(CannotWrite):
            _write(path, key, made)
        return made


def _read(path: Path, key: str) -> Counts:
    with opened(path) as file:
        about = read_json_text(file.readline(_LONGEST_HEAD))
        if (about["form"], about["key"]) != (_FORM, key):
            raise ValueError
        rest = file.read(_MOST_BYTES)
    if _digest(about, rest) != about["crc32"]:  # The file was cut short or changed.
        raise ValueError
    words = rest[: about["bytes"]].decode("utf-8").split("\n")
    counts = array("I", rest[about["bytes"] :])
    total = int(about["total"])
    if not len(words) == len(counts) == about["words"] or total <= 0:
        raise ValueError
    found: dict[str, int] = {}
    for start in range(0, len(words), _SLICE):
        found.update(zip(words[start : start + _SLICE], counts[start : start + _SLICE], strict=True))
    return found, total


def _digest(about: Mapping[str, object], rest: bytes) -> int:
    """The checksum of the words, the counts and their sizes."""
    return zlib.crc32(rest, zlib.crc32(f"{about['words']} {about['bytes']} {about['total']}".encode()))


def _write(path: Path, key: str, counts: Counts) -> None:
    each, total = counts
    words = "\n".join(each).encode("utf-8")
    rest = words + array("I", each.values()).tobytes()
    about = {"form": _FORM, "key": key, "words": len(each), "bytes": len(words), "total": total}
    about["crc32"] = _digest(about, rest)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        file.write(json.dumps(about).encode("utf-8") + b"\n" + rest)
