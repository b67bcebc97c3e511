"""A followed cell outside the window: its film and its tables."""

import re

import attrs
import numpy as np
import pytest

from explorer.picture.figure.film import FRAMES_PER_SECOND, Film
from explorer.picture.figure.follow import film_of
from explorer.picture.figure.kinds import tables
from explorer.picture.layout.follow_time import timetable
from explorer.picture.theme import DARK, LIGHT
from tests.picture.examples import by_hand, follow_of, words

PICTURE = follow_of(by_hand())


def film() -> Film:
    return film_of(PICTURE, words("en"), LIGHT)


def test_a_film_lasts_as_long_as_the_beats() -> None:
    """Thirty frames a second while something moves, one while a beat rests."""
    made, table = film(), timetable(PICTURE.followed)
    assert sum(made.delays_ms()) == round(1000 * table.total)
    assert list(made.times) == sorted(made.times)
    moving = [after - before for before, after in zip(made.times, made.times[1:], strict=False)]
    assert min(moving) >= 0 and sum(gap > 1.01 / FRAMES_PER_SECOND for gap in moving) == len(table.moves) - 1
    assert len(made) < 30 * table.total


def test_frames_have_one_size_and_other_pictures() -> None:
    """No fonts in them, since they are drawn at once; the bar at the foot goes on."""
    made = film()
    frames = [made.frame(time) for time in (0.5, 2.0, made.seconds)]
    assert len(set(frames)) == 3
    assert all('width="960" height="600"' in frame and "font-face" not in frame for frame in frames)
    assert film_of(PICTURE, words("en"), DARK).frame(0.5) != frames[0]


def test_a_file_has_the_signed_colours_of_its_own_theme() -> None:
    """A light file of a dark window; a table that somebody has chosen stays."""
    dark, chosen = (attrs.evolve(PICTURE, signed_colours=name) for name in ("blue-red-dark", "purple-orange"))
    light, other = (film_of(each, words("en"), LIGHT).frame(1.6) for each in (dark, chosen))
    assert light == film().frame(1.6) != other


def test_a_film_that_begins_has_nothing_yet_and_one_that_ends_has_all() -> None:
    """The first frame has no framed pair, the last one the sum of the values."""
    made = film()
    assert "+3.00" not in made.frame(0.0) and "+3.00" in made.frame(1.6)
    assert "output" in made.frame(made.seconds)


def test_tables_have_the_products_and_the_row() -> None:
    """Products and running sums in float64, of which the last is the score; a row for each key."""
    products, row = tables(PICTURE)
    made = PICTURE.followed
    assert products.name == "decoder.layers.1.self_attn.scores.products.query2.key0"
    assert products.columns.labels == ("query", "key", "product", "sum")
    np.testing.assert_allclose(products.values[:, 2], [3.0, -1.0, -0.5, 0.0])
    np.testing.assert_allclose(products.values[:, 3], np.cumsum([3.0, -1.0, -0.5, 0.0]))
    assert row.rows.labels == made.keys.labels and "bias" not in row.columns.labels
    assert row.values[3, row.columns.labels.index("masked")] == -np.inf
    np.testing.assert_array_equal(row.values[:, row.columns.labels.index("weight")], made.weights)
    biased = tables(follow_of(by_hand(bias=np.zeros(4))))[1]
    assert "bias" in biased.columns.labels


@pytest.mark.parametrize("name", ["en", "zh"])
def test_a_label_cannot_break_the_file(name: str) -> None:
    """A token with angle brackets is text."""
    svg = film_of(follow_of(by_hand(cell=PICTURE.followed.cell)), words(name), LIGHT).frame(5.0)
    assert "<bos>" not in re.sub(r"&lt;bos&gt;", "", svg)
