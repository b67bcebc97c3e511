"""The wall of heads by itself: from new values to painted, and the same wall by matplotlib."""

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize

from explorer.app.main import make_application
from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, HeadGrid
from explorer.picture.scales import unit_scale
from explorer.views.pictures.head_grid import HeadGridView
from tests.bench.bench import Bench, Task
from tests.bench.peer import figures
from tests.bench.probe import Sheet
from tests.bench.row import Row, compared, measured
from tests.bench.timing import Clock, Pair, elapsed_ms, in_turn, repeated, second_of_two

_WIDE_PX, _HIGH_PX = 1000, 800
_SETS = 8  # of values, shown one after the other
_FLOAT, _PIXEL = 4, 4  # bytes
_BUDGET_S = 4.0
_OURS = "wall of {}: new values to painted"
_NEW, _SAME = "wall of {}: matplotlib, a figure made anew / ours", "wall of {}: matplotlib, the same figure again / ours"


@attrs.frozen
class Wall:
    """How many layers and heads, tokens, and the goal in ms."""

    name: str
    layers: int
    heads: int
    n: int
    goal_ms: float

    def values(self) -> NDArray[np.float32]:
        """[set, layer, head, query, key] rows that sum to 1, as weights of attention do."""
        shape = (_SETS, self.layers, self.heads, self.n, self.n)
        scores = np.exp(2 * np.random.default_rng(0).standard_normal(shape, np.float32))
        return np.asarray(scores / scores.sum(axis=-1, keepdims=True), np.float32)


_WALLS = (Wall("48 maps of 64×64", 6, 8, 64, 5.0), Wall("2,048 maps of 16×16", 32, 64, 16, 16.0))


def tasks() -> list[Task]:
    """Ours alone, and in turn with matplotlib."""
    alone = [Task("walls", (_OURS.format(wall.name),), partial(_ours, wall=wall)) for wall in _WALLS]
    beside = [
        Task("walls", (_NEW.format(wall.name), _SAME.format(wall.name)), partial(_beside, wall=wall), peers=True)
        for wall in _WALLS
    ]
    return [*alone, *beside]


@contextmanager
def wall_view() -> Iterator[HeadGridView]:
    """A view of walls on screen, for as long as the block lasts."""
    application, view = make_application(), HeadGridView()
    view.resize(_WIDE_PX, _HIGH_PX)
    view.show()
    application.processEvents()  # from now on it is really painted
    try:
        yield view
    finally:
        view.hide()
        view.deleteLater()
        application.processEvents()


@contextmanager
def sheet_of(wide_px: int, high_px: int) -> Iterator[Sheet]:
    """A window that shows one image of its size, for as long as the block lasts."""
    application, sheet = make_application(), Sheet(QSize(wide_px, high_px))
    sheet.show()
    application.processEvents()
    try:
        yield sheet
    finally:
        sheet.hide()
        sheet.deleteLater()
        application.processEvents()


def painted_ms(view: HeadGridView, picture: HeadGrid, words: Words) -> float:
    """From new values until they are handed to the screen."""
    start = time.perf_counter()
    view.draw(picture, words)
    view.repaint()
    return (time.perf_counter() - start) * 1e3


def _clock(view: HeadGridView, values: NDArray[np.float32]) -> Clock:
    """Paints the next set of values each time."""
    axes = [Axis(name, tuple(map(str, range(values.shape[-1])))) for name in ("query", "key")]
    pictures = [
        HeadGrid(
            values=each,
            rows=axes[0],
            columns=axes[1],
            scale=unit_scale("cividis"),
            chosen=(0, 0),
            layers=tuple(range(len(each))),
            caption=Caption(title="", tap="", shape=""),
        )
        for each in values
    ]
    turns, words = itertools.cycle(pictures), Words.load("en")
    return lambda: painted_ms(view, next(turns), words)


def _ours(bench: Bench, wall: Wall) -> list[Row]:
    values = wall.values()
    with wall_view() as view:
        sample = repeated(_clock(view, values), budget_s=_BUDGET_S, most=500)
    floor_ms = bench.rates.bytes_ms(values[0].size * _FLOAT + _WIDE_PX * _HIGH_PX * _PIXEL)
    return [
        measured(
            _OURS.format(wall.name),
            sample.median,
            wall.goal_ms,
            floor=floor_ms,
            note=_size(),
            spread=f"{sample.spread}, 99th percentile {sample.quantile(0.99):.3g}",
        )
    ]


def _size() -> str:
    return f"a view of {_WIDE_PX}×{_HIGH_PX} pixels"


def _beside(bench: Bench, wall: Wall) -> list[Row]:
    assert bench.peers is not None  # the task asks for them
    values, file = wall.values(), str(bench.folder / "wall.npy")
    np.save(file, values)
    with figures(bench.peers) as peer, wall_view() as view:
        make = partial(peer.ask, "make wall", file=file, wide_px=_WIDE_PX, high_px=_HIGH_PX)
        draw = partial(peer.ask, "draw wall", file=file)
        make()
        with sheet_of(_WIDE_PX, _HIGH_PX) as sheet:
            copy = partial(elapsed_ms, sheet.repaint)
            sides = [*(partial(second_of_two, each) for each in (_clock(view, values), copy, draw)), make]
            ours, copied, drawn, made = in_turn(sides, budget_s=2 * _BUDGET_S, least=2, most=30, warm_up=0)
        bench.note(str(peer.about))
    most = made.median / copied.median
    note = (
        f"{_size()} on both sides, no ticks, Agg; Qt takes {copied.median:.3g} ms in the same turns to "
        f"bring any image of this size to the screen, so that {most:.0f} × would be the most"
    )
    return [
        compared(_NEW.format(wall.name), Pair(ours, made), 200.0, better="higher", note=note),
        compared(
            _SAME.format(wall.name),
            Pair(ours, drawn),
            200.0,
            better="higher",
            note=f"{note}; its fastest way: set_data into the images that are there",
        ),
    ]
