"""A small PNG writer: palette images inside an SVG, figures in true colour, and films (APNG).

Qt's own writer needs 0.1 s for a figure, mostly to compress rows that equal the rows above them. Here each row is
stored as its difference from the row above, which is nearly all zeros: a twelfth of the time.
W3C PNG specification, third edition, sections 5, 9 and 11; 11.3.6 on animation.

Decision: rows are compressed at level 2. Rejected: level 1 and run lengths alone, because zlib takes 9.5 of 13 ms for the lines
that differ, and neither saves anything.
"""

import struct
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def encode(index: NDArray[np.uint8], colours: NDArray[np.uint8]) -> bytes:
    """A PNG file of [row, column] palette indices."""
    height, width = index.shape
    rows = np.zeros((height, width + 1), np.uint8)  # Each row begins with its filter: 0, none.
    rows[:, 1:] = index
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", colours[:, :3].tobytes()),
            _chunk(b"tRNS", colours[:, 3].tobytes()),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def encode_small(index: NDArray[np.uint8], colours: NDArray[np.uint8]) -> bytes:
    """The same picture with only those colours in its palette that it has: a thumbnail needs no 256."""
    used, place = np.unique(index, return_inverse=True)
    return encode(place.reshape(index.shape).astype(np.uint8), colours[used])


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LONGEST_MS = 65_535  # ms; two bytes hold a frame's time
_UP = 2  # the filter number: each byte minus the byte above it
_LEVEL = 2  # the compression level: a higher one takes three times as long and saves a third
_ZLIB, _END = b"\x78\x01", b"\x03\x00"  # how a stream begins, and its last block, which is empty
_ADLER = 65_521


def encode_pixels(flat: NDArray[np.uint8], channels: int, dots_per_meter: int) -> bytes:
    """A PNG file of [row, column·channel] pixels; `channels` is 3 (red, green, blue) or 4 (with alpha)."""
    height, width = flat.shape[0], flat.shape[1] // channels
    return _SIGNATURE + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", dots_per_meter, dots_per_meter, 1)),
            _chunk(b"IDAT", _packed(flat)),
            _chunk(b"IEND", b""),
        )
    )


def _packed(flat: NDArray[np.uint8]) -> bytes:
    """Compressed lines of bytes, each as its difference from the line above it.

    In a figure most lines equal the one above. They are compressed once for all figures: zlib took half of an export to go
    through their zeros. RFC 1950 and 1951: pieces that begin anew at whole bytes may stand behind each other.
    """
    changed = np.ones(len(flat), bool)
    np.any(flat[1:] != flat[:-1], axis=1, out=changed[1:])
    ends = [*np.flatnonzero(changed[1:] != changed[:-1]) + 1, len(flat)]  # of runs of lines of one kind
    pieces, first, check = [_ZLIB], 0, 1
    for end in map(int, ends):
        if changed[first]:
            rows = np.empty((end - first, flat.shape[1] + 1), np.uint8)
            rows[:, 0], rows[0, 1:] = _UP, flat[0] if first == 0 else flat[first] - flat[first - 1]
            np.subtract(flat[first + 1 : end], flat[first : end - 1], out=rows[1:, 1:])
            pieces.append(_piece(rows))
            check = zlib.adler32(rows.data, check)
        else:
            n = end - first
            pieces += [_same_lines(1 << bit, flat.shape[1]) for bit in range(n.bit_length()) if n >> bit & 1]
            check = _checked_same_lines(check, n, flat.shape[1])
        first = end
    return b"".join((*pieces, _END, struct.pack(">I", check)))


def _piece(rows: NDArray[np.uint8]) -> bytes:
    """Bytes as a part of a compressed stream that refers to nothing before it."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(rows.data) + packer.flush(zlib.Z_FULL_FLUSH)


@lru_cache(maxsize=256)  # row "48 labelled maps to PNG": 2.9 ms of a file would be 3.6
def _same_lines(n: int, width: int) -> bytes:
    """The piece of `n` lines that equal those above them."""
    rows = np.zeros((n, width + 1), np.uint8)
    rows[:, 0] = _UP
    return _piece(rows)


def _checked_same_lines(check: int, n: int, width: int) -> int:
    """The checksum Adler-32 after `n` such lines, of which each has the filter's number and `width` zeros."""
    # a sums the bytes, b sums what a is after each byte; line i leaves a at a₀ + i·up.
    a, b = check & 0xFFFF, check >> 16
    b += (width + 1) * (n * a + _UP * n * (n + 1) // 2)
    return b % _ADLER << 16 | (a + _UP * n) % _ADLER


class FilmWriter:
    """An APNG file under way: frames are added one by one, and each is kept as the rectangle that has changed.

    A frame that equals the one before it lengthens that one's time. Programs that know no APNG show the first frame.
    """

    def __init__(self) -> None:
        self._last: NDArray[np.uint8] | None = None  # [row, column, red green blue] the newest frame
        self._frames: list[tuple[int, tuple[int, int, int, int], bytes]] = []  # milliseconds; left, top, width, height; data

    def add(self, pixels: NDArray[np.uint8], delay_ms: int) -> None:
        """Add a frame [row, column, red green blue], which stays for `delay_ms`. All frames have one size."""
        height, width = pixels.shape[:2]
        left, top, right, bottom = 0, 0, width, height
        if self._last is not None:
            changed = (pixels != self._last).any(axis=2)  # [row, column]
            rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
            if not len(rows):
                before, place, data = self._frames[-1]
                self._frames[-1] = before + delay_ms, place, data
                return
            left, top, right, bottom = int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
        part = np.ascontiguousarray(pixels[top:bottom, left:right]).reshape(bottom - top, -1)
        self._frames.append((delay_ms, (left, top, right - left, bottom - top), _packed(part)))
        self._last = pixels

    def finished(self) -> bytes:
        """The whole file; it plays without end. There must be a frame."""
        assert self._last is not None
        height, width = self._last.shape[:2]
        chunks = [
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"acTL", struct.pack(">II", len(self._frames), 0)),
        ]
        number = 0
        for place, (delay_ms, (left, top, wide, high), data) in enumerate(self._frames):
            about = struct.pack(">IIIIIHHBB", number, wide, high, left, top, min(delay_ms, _LONGEST_MS), 1000, 0, 0)
            chunks.append(_chunk(b"fcTL", about))
            number += 1
            if place:
                chunks.append(_chunk(b"fdAT", struct.pack(">I", number) + data))
                number += 1
            else:
                chunks.append(_chunk(b"IDAT", data))
        return _SIGNATURE + b"".join([*chunks, _chunk(b"IEND", b"")])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
