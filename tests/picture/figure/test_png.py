"""A palette PNG, held against Qt's decoder."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage

from explorer.picture.figure.png import FilmWriter, encode, encode_pixels
from explorer.picture.scales import CENTRED, CLOSED, GAP, LEVELS, NOT_A_NUMBER, SEQUENTIAL, palette, table
from explorer.picture.theme import DARK, LIGHT, Theme


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (40, 256)])
def test_qt_reads_the_very_indices_and_colours(shape: tuple[int, int]) -> None:
    """Every byte, every colour, transparency too."""
    index = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    colours = np.random.default_rng(1).integers(0, 256, (256, 4), np.uint8)
    image = QImage.fromData(encode(index, colours), "PNG")
    assert (image.height(), image.width()) == shape
    assert image.format() == QImage.Format.Format_Indexed8
    assert [image.pixelIndex(x, y) for y in range(shape[0]) for x in range(shape[1])] == index.ravel().tolist()
    read = [((c >> 16) & 255, (c >> 8) & 255, c & 255, c >> 24) for c in image.colorTable()]
    assert read == [tuple(row) for row in colours.tolist()]


@pytest.mark.parametrize("colours", SEQUENTIAL + CENTRED)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_palette_holds_the_table_and_what_is_no_data(colours: str, theme: Theme) -> None:
    """Data are opaque, gaps are nothing, closed and unknown are the theme's."""
    made = palette(colours, theme)
    assert np.array_equal(made[:LEVELS, :3], table(colours))
    assert (made[:LEVELS, 3] == 255).all()
    assert made[GAP].tolist() == [0, 0, 0, 0]
    assert made[CLOSED].tobytes().hex() == theme.closed[1:] + "ff"
    assert made[NOT_A_NUMBER].tobytes().hex() == theme.unknown[1:] + "ff"


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (40, 256)])
def test_qt_reads_the_very_pixels(shape: tuple[int, int], channels: int) -> None:
    """Every channel of every pixel, and how large they are on paper."""
    pixels = np.random.default_rng(2).integers(0, 256, (*shape, channels), np.uint8)
    image = QImage.fromData(encode_pixels(pixels.reshape(shape[0], -1), channels, 7559), "PNG")
    read = [image.pixelColor(x, y).getRgb()[:channels] for y in range(shape[0]) for x in range(shape[1])]
    assert (image.height(), image.width(), image.dotsPerMeterX(), image.dotsPerMeterY()) == (*shape, 7559, 7559)
    assert image.hasAlphaChannel() == (channels == 4)
    assert read == [tuple(pixel) for pixel in pixels.reshape(-1, channels).tolist()]


@given(
    runs=st.lists(st.tuples(st.integers(1, 40), st.booleans()), min_size=1, max_size=8),
    width=st.integers(1, 90),
    seed=st.integers(0, 9),
)
def test_lines_that_equal_those_above_are_packed_as_all_others_are(runs: list[tuple[int, bool]], width: int, seed: int) -> None:
    """The compressed stream holds the very bytes, and its checksum is that of all of them: zlib reads it."""
    numbers = np.random.default_rng(seed)
    lines: list[np.ndarray] = []
    for n, same in runs:
        drawn = numbers.integers(0, 256, (1 if same else n, 3 * width), np.uint8)
        lines += [drawn] if not same else [np.repeat(drawn, n, axis=0)]
    flat = np.concatenate(lines)
    packed = b"".join(content for kind, content in chunks(encode_pixels(flat, 3, 1)) if kind == b"IDAT")
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(len(flat), -1)

    assert (rows[:, 0] == 2).all()  # the filter's number
    assert (np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8) == flat).all()


def test_a_stream_whose_checksum_is_another_is_refused() -> None:
    """zlib looks at it, so that the test above can fail."""
    flat = np.repeat(np.arange(9, dtype=np.uint8)[None], 20, axis=0)
    (packed,) = (content for kind, content in chunks(encode_pixels(flat, 3, 1)) if kind == b"IDAT")
    with pytest.raises(zlib.error):
        zlib.decompress(packed[:-1] + bytes([packed[-1] ^ 1]))


def chunks(file: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each chunk of a PNG, whose sums are checked."""
    place = 8
    while place < len(file):
        (length,) = struct.unpack(">I", file[place : place + 4])
        kind, content = file[place + 4 : place + 8], file[place + 8 : place + 8 + length]
        assert struct.unpack(">I", file[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + content)
        yield kind, content
        place += 12 + length


def unpacked(data: bytes, wide: int, high: int) -> np.ndarray:
    """[row, column, red green blue] of lines that are stored as their difference from the line above."""
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(high, 3 * wide + 1)
    assert (lines[:, 0] == 2).all()
    return np.cumsum(lines[:, 1:], axis=0, dtype=np.uint8).reshape(high, wide, 3)


def played(file: bytes) -> list[tuple[np.ndarray, int]]:
    """The frames of an APNG as a player makes them, each with its milliseconds. W3C PNG, third edition, 11.3.6."""
    canvas = np.zeros((0, 0, 3), np.uint8)
    frames: list[tuple[np.ndarray, int]] = []
    about: tuple[int, ...] = ()
    numbers, told = [], 0
    for kind, content in chunks(file):
        if kind == b"IHDR":
            wide, high = struct.unpack(">II", content[:8])
            canvas = np.zeros((high, wide, 3), np.uint8)
        elif kind == b"acTL":
            told = struct.unpack(">II", content)[0]
        elif kind == b"fcTL":
            about = struct.unpack(">IIIIIHHBB", content)
            numbers.append(about[0])
        elif kind in (b"IDAT", b"fdAT"):
            if kind == b"fdAT":
                numbers.append(struct.unpack(">I", content[:4])[0])
                content = content[4:]
            _number, wide, high, left, top, delay, per_second, dispose, blend = about
            assert (dispose, blend) == (0, 0)
            canvas[top : top + high, left : left + wide] = unpacked(content, wide, high)
            frames.append((canvas.copy(), delay * 1000 // per_second))
    assert numbers == list(range(len(numbers))) and told == len(frames)
    return frames


def written(frames: list[np.ndarray]) -> bytes:
    writer = FilmWriter()
    for place, frame in enumerate(frames):
        writer.add(frame, 10 * (place + 1))
    return writer.finished()


def test_a_film_plays_the_very_frames() -> None:
    """Only what has changed is stored, and a frame that is shown again lasts longer."""
    first = np.random.default_rng(4).integers(0, 256, (9, 14, 3), np.uint8)
    second, third = first.copy(), first.copy()
    second[2:5, 3:11] = 7
    third[8, 13] = 0
    file = written([first, second, second.copy(), third])

    assert [delay for _frame, delay in played(file)] == [10, 50, 40]
    for (frame, _delay), wanted in zip(played(file), (first, second, third), strict=True):
        np.testing.assert_array_equal(frame, wanted)
    places = [struct.unpack(">IIIIIHHBB", content)[1:5] for kind, content in chunks(file) if kind == b"fcTL"]
    assert places[0] == (14, 9, 0, 0) and places[1] == (8, 3, 3, 2)


def test_a_program_that_knows_no_film_shows_its_first_frame() -> None:
    """As Qt does."""
    first, second = np.full((4, 5, 3), 200, np.uint8), np.full((4, 5, 3), 9, np.uint8)
    image = QImage.fromData(written([first, second]), "PNG")
    assert (image.width(), image.height()) == (5, 4)
    assert {image.pixelColor(x, y).getRgb()[:3] for y in range(4) for x in range(5)} == {(200, 200, 200)}


def test_another_pixel_would_be_found() -> None:
    """So that the comparison says something."""
    first = np.zeros((4, 5, 3), np.uint8)
    wrong = first.copy()
    wrong[3, 4, 2] = 1
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(played(written([wrong]))[0][0], first)
