"""Just enough of the PNG format to put a palette image into an SVG. W3C PNG specification, sections 5 and 11."""

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.picture.scales import CLOSED, GAP, LEVELS, NOT_A_NUMBER, table
from explorer.picture.theme import Theme


def palette(colours: str, theme: Theme) -> NDArray[np.uint8]:
    """[256, 4] red, green, blue, alpha of every colour index; gaps are transparent."""
    rgba = np.zeros((256, 4), np.uint8)
    rgba[:LEVELS] = np.column_stack([table(colours), np.full(LEVELS, 255)])
    rgba[CLOSED] = (*_rgb(theme.closed), 255)
    rgba[NOT_A_NUMBER] = (*_rgb(theme.unknown), 255)
    rgba[GAP] = 0
    return rgba


def encode(index: NDArray[np.uint8], colours: NDArray[np.uint8]) -> bytes:
    """A PNG file of [row, column] palette indices."""
    height, width = index.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each line begins with its filter, 0: none
    rows[:, 1:] = index
    return b"\x89PNG\r\n\x1a\n" + b"".join((
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _chunk(b"PLTE", colours[:, :3].tobytes()),
        _chunk(b"tRNS", colours[:, 3].tobytes()),
        _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)),
        _chunk(b"IEND", b""),
    ))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _rgb(hexa: str) -> tuple[Any, ...]:
    return tuple(bytes.fromhex(hexa[1:]))
