"""Files in GGUF: bytes of a real one changed, and headers made from nothing that grow when they are read."""

import struct
from pathlib import Path
from random import Random

from tests.foreign.gguf_files import gguf
from tests.fuzz import damage, values, writing

_TEXT, _LIST = 8, 9
_NUMBERS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes by the number of the kind
_HOLES = 2**28  # bytes; a sparse file takes none of the disk
_COUNTS = (0, 1, 3, 1000, 2**20, 2**25, 2**27, 2**32, 2**61, 2**63, 2**64 - 1)


def write(path: Path, real: bytes, chance: Random) -> None:
    """A file of one of these kinds."""
    way = chance.randrange(6)
    if way < 2:
        path.write_bytes(_changed(real, chance))
    elif way == 2:
        path.write_bytes(gguf({"general.architecture": "llama"} | _told(chance), {}))
    else:
        _with_holes(path, chance)


def _changed(data: bytes, chance: Random) -> bytes:
    """Some counts of the header, which is at the beginning, become others."""
    if chance.random() < 0.3:
        return damage.damaged(data, chance)
    for _ in range(chance.choice((1, 2, 5))):
        at = chance.randrange(8, 1200)
        new = struct.pack("<Q", chance.choice(_COUNTS))[: chance.choice((4, 8))]
        data = data[:at] + new + data[at + len(new) :]
    return data


def _told(chance: Random) -> dict[str, object]:
    """Keys of a model with values of any kind."""
    keys = ("embedding_length", "block_count", "attention.head_count", "context_length", "rope.freq_base", writing.word(chance))
    told: dict[str, object] = {}
    for key in keys:
        number = values.number(chance)
        small = number if isinstance(number, int) and 0 <= number < 2**32 else 1.5
        told[f"llama.{key}".encode("utf-8", "replace").decode()] = chance.choice((small, "8", True, [1, 2], ["a", ""], []))
    return told


def _with_holes(path: Path, chance: Random) -> None:
    """A short beginning, and then zeros without end: as a list of numbers, or of empty texts, as far as a header may go."""
    kind = chance.choice((*_NUMBERS, _TEXT, _TEXT, _TEXT))
    size = _NUMBERS.get(kind, 8)
    n = chance.choice(((_HOLES - 100) // size, 2**24, 2**20, 1000))
    begin = b"GGUF" + struct.pack("<IQQ", 3, chance.choice((0, 1, 2**16)), chance.choice((1, 2, 2**12)))
    begin += struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", _LIST, kind, n)
    with path.open("wb") as file:
        file.write(begin)
        file.truncate(chance.choice((_HOLES, _HOLES - 1, 2**30, len(begin) + n * size)))
