"""Strips of maps: equal frames, rows that stay readable, patterns that have appeared."""

import attrs
import numpy as np

from explorer.picture.layout.head_diary import draw_diary, rows_of, tell_cell
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Cells, Label, Rect
from explorer.picture.scales import CLOSED
from explorer.picture.theme import LIGHT
from tests.picture.examples import words
from tests.picture.trainings import DIARY

AREA = Rect(0, 0, 500, 300)


def sketch() -> Sketch:
    return Sketch(LIGHT, "", lambda text, size, bold: 0.5 * size * len(text))


def test_every_map_has_an_equal_frame_and_its_own_cells() -> None:
    """Masked cells have their own colour, a weight of 1 the last one of the scale."""
    made = sketch()
    draw_diary(made, DIARY, words("en"), AREA)
    cells = [mark for mark in made.marks if isinstance(mark, Cells)]
    assert len(cells) == 3 * 4
    assert len({(round(mark.rect.wide, 6), round(mark.rect.high, 6)) for mark in cells}) == 1
    assert cells[0].index.tolist() == [[250, CLOSED], [125, 125]]


def test_rows_become_lower_to_a_least_height_and_then_reach_below() -> None:
    """A view scrolls them."""
    heights = [rows_of(DIARY, Rect(0, 0, 500, high)).high for high in (400, 200, 150, 60, 20)]
    assert heights == sorted(heights, reverse=True) and heights[-1] == heights[-2] == 21
    assert rows_of(DIARY, Rect(0, 0, 500, 60)).bottom > 60 and rows_of(DIARY, AREA).bottom <= 300


def test_a_place_means_a_head_and_a_frame() -> None:
    """And between two frames nothing."""
    rows = rows_of(DIARY, AREA)
    frame = rows.map(2, 3)
    assert rows.at(frame.x + 1, frame.y + 1) == (2, 3) and rows.strip_at(frame.y + 1) == 2
    assert rows.at(frame.x - 2, frame.y + 1) is None and rows.strip_at(0.0) is None


def test_a_pattern_is_dark_since_it_appeared() -> None:
    """And faint at an earlier snapshot. The chosen head has a bold name."""
    for shown, colour in ((0, LIGHT.faint), (10, LIGHT.text), (100, LIGHT.text)):
        made = sketch()
        draw_diary(made, attrs.evolve(DIARY, shown=shown), words("en"), AREA)
        labels = [mark for mark in made.marks if isinstance(mark, Label)]
        assert [mark.colour for mark in labels if mark.text == "previous <&>"] == [colour]
        assert [mark.text for mark in labels if mark.bold and mark.text.startswith("L")] == ["L0 H1"]


def test_a_cell_tells_its_weight_its_tokens_and_its_head() -> None:
    """With its attention, where there are several."""
    assert tell_cell(DIARY, 1, 10, 1, 0, words("en")) == "0.875 · <&> → 我\nself · L0 H1 · step 10\nprevious <&>"
    assert tell_cell(DIARY, 2, 0, 0, 1, words("en")).startswith("Masked · a → <&>\ncross <&> · L0 H0")


def test_a_snapshot_that_was_not_read_has_an_empty_frame() -> None:
    """The others stand where they will stand when all have been read."""
    early = attrs.evolve(
        DIARY, read=(0, 10, 100), strips=tuple(attrs.evolve(strip, maps=strip.maps[[0, 2, 3]]) for strip in DIARY.strips)
    )
    made, whole = sketch(), sketch()
    for each, picture in ((made, early), (whole, DIARY)):
        draw_diary(each, picture, words("en"), AREA)
    maps, all_maps = ([mark for mark in each.marks if isinstance(mark, Cells)] for each in (made, whole))
    assert [(mark.rect, mark.index.tolist()) for mark in maps] == [
        (mark.rect, mark.index.tolist()) for place, mark in enumerate(all_maps) if place % 4 != 1
    ]
    assert tell_cell(early, 1, 1, 1, 0, words("en")) == "self · L0 H1 · step 1\nprevious <&>"


def test_a_diary_without_heads_or_snapshots_can_be_drawn() -> None:
    """As at the very beginning of a training."""
    for picture in (attrs.evolve(DIARY, strips=(), headings=()), attrs.evolve(DIARY, steps=(), read=(), shown=None)):
        emptied = tuple(attrs.evolve(strip, maps=strip.maps[: len(picture.steps)]) for strip in picture.strips)
        made = sketch()
        draw_diary(made, attrs.evolve(picture, strips=emptied), words("en"), AREA)
        assert not any(isinstance(mark, Cells) for mark in made.marks)
        assert np.isfinite(rows_of(picture, AREA).bottom)
