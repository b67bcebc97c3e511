"""Lines between two rows of tokens and arcs over one: where they run, and how far a point is from them."""

import math
from itertools import pairwise, product

import numpy as np
import pytest

from explorer.picture.layout.strands import Arcs, Lines, Room, asides, place_arcs, place_lines

ROOM = Room(600, 300, 16, 5, 4)
TOKENS = ("我", "爱", "北京", "天安门", "。")


def measure(label: str) -> float:
    return 12.0 * len(label)


def way(points: tuple[tuple[float, float], ...], n: int = 4001) -> np.ndarray:
    """Points of a line or of a cubic, by de Casteljau's way [point, x y]."""
    t = np.linspace(0, 1, n)[:, None]
    level = [np.broadcast_to(np.array(each), (n, 2)) for each in points]
    while len(level) > 1:
        level = [(1 - t) * one + t * other for one, other in pairwise(level)]
    return level[0]


@pytest.mark.parametrize("ahead", [True, False])
def test_arcs_join_the_tokens_and_stay_in_their_half(ahead: bool) -> None:
    """Back above the row, ahead below it; the longest reaches the edge and no arc leaves the room."""
    made = place_arcs(TOKENS, measure, ROOM, ahead=ahead)
    assert isinstance(made.strands, Arcs)
    highest, lowest = 300.0, 0.0
    for query, key in product(range(5), repeat=2):
        if key > query and not ahead:
            continue
        points = way(made.strands.curve(query, key))
        if query != key:
            ends = sorted((made.above.middles[query], made.above.middles[key]))
            assert points[0, 0] == pytest.approx(ends[0]) and points[-1, 0] == pytest.approx(ends[1])
        if key > query:
            assert points[:, 1].min() >= made.below_top + made.below.reach
        else:
            assert points[:, 1].max() <= made.above_top
        highest, lowest = min(highest, points[:, 1].min()), max(lowest, points[:, 1].max())
    assert highest == pytest.approx(ROOM.edge, abs=0.5)
    assert lowest <= 300 - ROOM.edge + 1e-6 and (not ahead or lowest == pytest.approx(295, abs=0.5))


def test_a_longer_arc_is_higher_and_no_two_are_the_same() -> None:
    """Of one token to those before it; its own is a loop."""
    made = place_arcs(tuple("abcdefgh"), measure, ROOM, ahead=False)
    tops = [way(made.strands.curve(7, key))[:, 1].min() for key in range(7)]
    assert all(one < other for one, other in pairwise(tops))
    loop = way(made.strands.curve(3, 3))
    assert loop[0] == pytest.approx(loop[-1]) and np.ptp(loop[:, 0]) > 8


@pytest.mark.parametrize("arcs", [True, False])
def test_the_distance_from_a_strand_is_that_of_its_nearest_point(arcs: bool) -> None:
    """Against four thousand points of each strand."""
    made = place_arcs(TOKENS, measure, ROOM, ahead=True) if arcs else place_lines(TOKENS, TOKENS, measure, ROOM)
    rows, columns = (np.array(each) for each in zip(*product(range(5), repeat=2), strict=True))
    for x, y in ((100.0, 60.0), (300.0, 120.0), (260.0, 240.0)):
        found = made.strands.away(x, y, rows, columns)
        for row, column, distance in zip(rows, columns, found, strict=True):
            points = way(made.strands.curve(int(row), int(column)))
            if not arcs:  # A line goes on behind both rows of labels, where nobody points at it.
                points = np.concatenate([points, 2 * points[0] - points, 2 * points[-1] - points])
            assert distance == pytest.approx(np.hypot(*(points - [x, y]).T).min(), abs=0.6)


def test_beside_the_lines_nothing_is_near() -> None:
    """Above the first row of labels."""
    made = place_lines(TOKENS, TOKENS, measure, ROOM)
    assert isinstance(made.strands, Lines)
    assert made.strands.away(100, 1, np.array([0]), np.array([0]))[0] == math.inf


def test_forty_tokens_have_places_of_their_own() -> None:
    """The row is turned, and grows wider than its room where a line's height each does not fit."""
    made = place_arcs(tuple(f"token{i}" for i in range(40)), measure, Room(400, 300, 16, 5, 4, 120, 90), ahead=True)
    assert made.above.turned and np.diff(made.above.middles).min() >= 16 - 1e-9 and made.width >= 640
    assert isinstance(made.strands, Arcs) and made.strands.up > 90


@pytest.mark.parametrize("count", [0, 1, 2, 8, 40])
def test_strands_of_several_heads_run_beside_each_other(count: int) -> None:
    """Around the middle, no wider than a token."""
    places = asides(count, 24.0)
    assert len(places) == count and sum(places) == pytest.approx(0)
    assert max(places, default=0) - min(places, default=0) <= 0.7 * 24
    assert list(places) == sorted(places) and len(set(places)) == count


def test_an_arc_beside_the_middle_lies_around_the_others() -> None:
    """Both ends move outward, so that arcs of two heads do not cross."""
    made = place_arcs(TOKENS, measure, ROOM, ahead=True)
    inner, outer = (way(made.strands.curve(3, 1, aside)) for aside in (-4.0, 4.0))
    several = place_arcs(TOKENS, measure, ROOM, ahead=True, n_heads=8)
    highest = way(several.strands.curve(4, 0, max(asides(8, min(several.above.widths)))))[:, 1].min()
    assert highest == pytest.approx(ROOM.edge, abs=0.5)
    assert outer[0, 0] < inner[0, 0] < inner[-1, 0] < outer[-1, 0] and outer[:, 1].min() < inner[:, 1].min()
