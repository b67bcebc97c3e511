"""Films to files: an APNG, or a folder with a PNG for each frame."""

from collections.abc import Iterator
from pathlib import Path

from explorer.export import raster
from explorer.files import replacing
from explorer.picture.figure.film import FRAMES_PER_SECOND, Film
from explorer.picture.figure.png import FilmWriter, encode_pixels

WIDTH_PX = 960  # px, where nobody asks for another width
_DOTS_PER_METER = 3780  # 96 dots per inch


def write_apng(film: Film, path: Path, width_px: int | None) -> Iterator[list[Path]]:
    """Write the film as one APNG, frame by frame; the file appears with the last one. Raises CannotWrite."""
    raster.ensure_application()
    writer = FilmWriter()
    for place, (time, delay_ms) in enumerate(zip(film.times, film.delays_ms(), strict=True)):
        writer.add(raster.pixels(film.frame(time), width_px or WIDTH_PX), delay_ms)
        if place < len(film) - 1:
            yield []
    with replacing(path) as unfinished:
        unfinished.write_bytes(writer.finished())
    yield [path]


def write_frames(film: Film, folder: Path, width_px: int | None) -> Iterator[list[Path]]:
    """Write PNG files into a folder, 30 for each second; a frame that lasts longer is repeated. Raises CannotWrite."""
    raster.ensure_application()
    number = 0
    for time, delay_ms in zip(film.times, film.delays_ms(), strict=True):
        pixels = raster.pixels(film.frame(time), width_px or WIDTH_PX)
        made = encode_pixels(pixels.reshape(len(pixels), -1), 3, _DOTS_PER_METER)
        paths = []
        for _ in range(max(1, round(delay_ms * FRAMES_PER_SECOND / 1000))):
            number += 1
            paths.append(folder / f"frame-{number:05d}.png")
            with replacing(paths[-1]) as unfinished:
                unfinished.write_bytes(made)
        yield paths
