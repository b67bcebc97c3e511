"""Pictures that move, to files."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from explorer.errors import UnknownFormat
from explorer.export.formats import FILMS, FORMATS
from explorer.export.job import Export
from explorer.export.raster import write_apng, write_frames
from explorer.picture.figure.film import Film
from explorer.picture.figure.kinds import kind_of
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.follow import follow
from explorer.state.look import Look
from tests.picture.examples import example, words
from tests.picture.figure.test_png import played


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> None:
    """Drawing needs one, and Qt allows only one in a process."""


def grey(level: float) -> str:
    """A square of one grey, from 0 to 1."""
    colour = f"#{round(255 * level):02x}" + 2 * f"{round(255 * level):02x}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"><rect width="8" height="6" fill="{colour}"/></svg>'


FILM = Film((0.0, 0.1, 0.2), 1.0, grey)


def test_a_film_becomes_one_file_with_its_times(tmp_path: Path) -> None:
    """Three frames, the last of which stays; as wide as was asked for."""
    path = tmp_path / "a.png"
    steps = list(write_apng(FILM, path, 16))
    assert steps == [[], [], [path]]
    frames = played(path.read_bytes())
    assert [delay for _frame, delay in frames] == [100, 100, 800]
    assert [int(frame[0, 0, 0]) for frame, _delay in frames] == [0, 26, 51]
    assert frames[0][0].shape == (12, 16, 3)


def test_a_film_becomes_thirty_files_a_second(tmp_path: Path) -> None:
    """A frame that stays is there again and again, so that any program can play them."""
    steps = list(write_frames(FILM, tmp_path, 8))
    assert list(map(len, steps)) == [3, 3, 24]
    assert sorted(tmp_path.iterdir()) == [path for step in steps for path in step]
    images = [QImage(str(path)) for path in sorted(tmp_path.iterdir())]
    assert [images[place].pixelColor(0, 0).red() for place in (0, 2, 3, 6, 29)] == [0, 0, 26, 51, 51]


@pytest.mark.slow  # every frame is drawn twice
def test_a_followed_cell_is_exported_as_it_plays(tmp_path: Path) -> None:
    """In both formats, with the JSON beside it; nothing is written for a picture that does not move."""
    trace = example()
    picture = follow(trace, Look(), words("en"))
    for format_ in FILMS:
        out = tmp_path / format_.name
        job = Export(trace=trace, out=out, format=format_.name, words=words("en"), picture=picture, film=True, width_px=96)
        steps = list(job.run())
        total = steps[-1][1]
        assert steps == [(done, total) for done in range(total + 1)]
        about = json.loads((tmp_path / f"{format_.name}.json").read_text("utf-8"))
        assert about["tap"] == "encoder.layers.0.self_attn.weights" and about["format"] == format_.name
        assert len(about["files"]) == (1 if not format_.in_folder else len(list(out.iterdir())))
    frames = played((tmp_path / "apng").read_bytes())
    assert len(frames) > 20 and len({frame.tobytes() for frame, _delay in frames}) > 15
    assert not np.array_equal(frames[0][0], frames[-1][0])


def test_a_picture_that_does_not_move_has_no_film() -> None:
    """And a film has no format of figures or numbers."""
    assert kind_of(head_map(example(), Look(), words("en"))).film is None
    with pytest.raises(UnknownFormat):
        list(Export(trace=example(), out=Path("x"), format="svg", words=words("en"), film=True).run())
    assert all(each.run is not None and each.is_figure for each in FILMS)
    assert not set(FILMS) & set(FORMATS)
