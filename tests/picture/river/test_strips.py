"""The columns of vectors at the left of a river: one scale for what is added, unless that would leave one of them blank."""

import itertools

import attrs
import numpy as np
import pytest

from explorer.lang import Words
from explorer.picture.makers.river import river
from explorer.picture.marks import Box, Label
from explorer.picture.river.accent import draw_accent
from explorer.picture.river.focus import map_rect
from explorer.picture.river.grid import LEAST_LABEL_PX, lay_out
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.output import draw_words
from explorer.picture.river.pointing import usual
from explorer.picture.river.river import Half
from explorer.picture.river.scene import about_width
from explorer.picture.river.strips import fitted_columns, labelled_columns, lane_label, reaches, text_px
from explorer.state.look import Look
from tests.picture.examples import asked


@pytest.fixture
def half() -> Half:
    return river(asked("he likes it"), Look(), Words.load("en")).halves[0]


def test_vectors_and_their_sums_share_a_scale(half: Half) -> None:
    """It ends at the largest number of both, so that the eye can add them."""
    most = max(float(np.abs(values).max()) for values in (half.scaled, half.output))
    assert reaches(half) == (most, most)


def test_vectors_that_would_be_blank_have_a_scale_of_their_own(half: Half) -> None:
    """As those of a model of others that makes its sums far larger by a norm. Zeros stay on the scale of the others."""
    small = attrs.evolve(half, scaled=half.scaled / 100)
    before, after = reaches(small)
    assert before == pytest.approx(float(np.abs(half.scaled).max()) / 100)
    assert after == pytest.approx(float(np.abs(half.output).max()))
    normed = attrs.evolve(half, output=half.output / half.output.std(axis=1, keepdims=True))
    assert reaches(normed) == (float(np.abs(half.scaled).max()), float(np.abs(normed.output).max()))
    nothing = attrs.evolve(half, scaled=0 * half.scaled)
    assert reaches(nothing) == (after, after)
    assert reaches(attrs.evolve(nothing, output=0 * half.output)) == (1.0, 1.0)


@pytest.mark.parametrize("height", [300, 442, 900])
def test_a_token_that_stands_out_keeps_its_id(height: int) -> None:
    """Between many lanes its label covers its neighbours' and so its own; the id is drawn again."""
    trace = asked("he likes it very much but not now", text="我爱北京天安门我爱北京天安门我爱北京天安门")
    made = river(trace, Look(), Words.load("en"))
    grid = lay_out(made, 718, height)
    half, place = made.halves[0], grid.halves[0]
    plain = {
        lane for lane in range(half.n) if len(lane_label(half, place, lane, text_px(place.pitch, grid.narrow), "text")) == 2
    }
    assert len(plain) > half.n / 2
    for lane in range(half.n):
        pointing = attrs.evolve(usual(made), source=(lane,), pair=None)
        drawn = draw_accent(made, grid, Words.load("en"), pointing, KeptMarks()).scene
        high = 16 if place.pitch < LEAST_LABEL_PX else place.pitch
        ground = (place.label.x - 2, place.y(lane) - high / 2)
        covered = any(isinstance(item, Box) and (item.rect.x, item.rect.y) == ground for item in drawn)
        ids = [item.y for item in drawn if isinstance(item, Label) and item.text == str(half.ids[lane])]
        assert covered == (place.pitch < 14)
        assert (place.y(lane) in ids) == (covered and lane in plain)


def test_what_stands_out_cuts_no_label_where_each_lane_has_one() -> None:
    """Neither the token's ground nor that of the word that comes out reaches into the lane beside it."""
    made = river(asked("he likes it very much but not now", text="我爱北京天安门我爱北京天安门"), Look(), Words.load("en"))
    grids = [lay_out(made, 718, height) for height in range(300, 900, 10)]
    grids = [grid for grid in grids if all(LEAST_LABEL_PX <= half.pitch < 14 for half in grid.halves)]
    assert grids
    for grid in grids:
        accent = draw_accent(made, grid, Words.load("en"), usual(made), KeptMarks()).scene
        starts = {half.label.x - 2: half.pitch for half in grid.halves}
        grounds = [item.rect for item in accent if isinstance(item, Box) and item.fill == "window" and item.rect.x in starts]
        words = [item.rect for item in draw_words(made, grid).scene if isinstance(item, Box) and item.fill == "accent"]
        assert grounds and all(rect.high <= starts[rect.x] for rect in grounds)
        assert words and all(rect.high <= grid.halves[-1].pitch for rect in words)


def test_every_token_has_a_label_in_a_small_window() -> None:
    """Thumbnails of heads give up height for it, and no more than is lacking; a long sentence leaves them as they were."""
    said, screen = Words.load("en"), (996, 380)  # px that a window of 1024 × 700 leaves to the river
    made = river(asked("he likes it very much but not now or ever", text="我爱北京天安门。"), Look(), said)
    assert [half.n for half in made.halves] == [5, 10]
    grid = lay_out(made, *screen)
    assert all(half.pitch >= LEAST_LABEL_PX for half in grid.halves)
    low = lay_out(made, screen[0], 340)
    assert any(half.pitch < LEAST_LABEL_PX for half in low.halves)
    assert low.heads.high > grid.heads.high > 40


@pytest.mark.parametrize("wide", [1.0, 7.0, 14.0, 26.0, 33.0, 40.0])
def test_labels_of_columns_do_not_touch(wide: float) -> None:
    """However narrow columns are, two labels have room for both; where each has room in its column, all are there."""
    labels = tuple(["很久没", "了", "老朋友", "我们", "喝"] * 9)
    room = max(wide - 2, 34.0)
    kept = labelled_columns(labels, wide, 11, room)
    assert {0, len(labels) - 1} <= set(kept) and (wide < 40 or len(kept) == len(labels))
    assert len(kept) >= len(labels) * wide / 70
    for one, other in itertools.pairwise(kept):
        taken = sum(min(about_width(labels[column], 11), room) for column in (one, other)) / 2
        assert (other - one) * wide >= taken + 2


@pytest.mark.parametrize(
    ("wide", "px", "all_there"), [(40.0, 11.0, True), (28.0, 10.0, True), (24.0, 10.0, True), (14.0, 11.0, False)]
)
def test_no_column_is_left_without_its_name_for_a_little_room(wide: float, px: float, all_there: bool) -> None:
    """Letters become smaller, then long labels shorter; where that does not do, some have none, as large as usual."""
    labels = ("我", "爱", "北京", "天安门", "。")
    size, room, kept = fitted_columns(labels, wide, 11, max(wide - 2, 34.0))
    assert size == px and (len(kept) == len(labels)) == all_there
    for one, other in itertools.pairwise(kept):
        taken = sum(min(about_width(labels[column], size), room) for column in (one, other)) / 2
        assert (other - one) * wide >= taken + 2


def test_the_column_that_stands_out_covers_its_neighbours() -> None:
    """Where columns are narrower than its label, this does not lie across others."""
    said = Words.load("zh")
    made = river(asked("he likes it very much but not now", text="我爱北京天安门他在图书馆看书我爱北京"), Look(), said)
    grid = lay_out(made, 718, 442)
    half = made.half_of(made.attention, "key")
    for key in range(half.n):
        pointing = attrs.evolve(usual(made), source=(key,), target=(), pair=None)
        drawn = draw_accent(made, grid, said, pointing, KeptMarks()).scene
        rect = map_rect(made, grid)
        named = [item for item in drawn if isinstance(item, Label) and item.y == rect.y - 14 and item.align == "middle"]
        assert len(named) == (rect.wide / half.n >= 11)
        for label in named:
            wide = min(about_width(label.text, label.px), label.room)
            covers = [item.rect for item in drawn if isinstance(item, Box) and item.rect.y == rect.y - 22]
            assert bool(covers) == (wide + 2 > rect.wide / half.n)
            assert all(each.x < label.x - wide / 2 and each.right > label.x + wide / 2 for each in covers)
