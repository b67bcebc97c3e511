"""A wall of heads and labelled heat maps as PNG files, beside matplotlib with Agg."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from explorer.app.display import make_application
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.export.choice import Choice
from explorer.export.job import Export
from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, HeadGrid
from explorer.picture.scales import unit_scale
from explorer.views.pictures.head_grid import HeadGridView
from tests.bench.bench import Bench, Task
from tests.bench.peer import figures
from tests.bench.probe import SIXTEEN
from tests.bench.row import Row, times_faster
from tests.bench.timing import Clock, Pair, elapsed_ms, in_turn, second_of_two

_LAYERS, _HEADS, _N = 6, 8, 64
_WALL, _NEW = f"wall of {_LAYERS * _HEADS} maps, new values to painted", "matplotlib, a new figure"
_PNG, _SAVED = "48 labelled maps to PNG", "matplotlib, the same to savefig"
_TAP = "encoder.layers.0.self_attn.weights"
_WIDE_PX, _HIGH_PX = 1000, 800
_SETS = 8  # of values, shown one after the other


def tasks() -> list[Task]:
    """Each row with a process of matplotlib's."""
    return [Task((f"{_WALL} / {_NEW}",), _wall, peers=True), Task((f"{_PNG} / {_SAVED}",), _files, peers=True)]


def _values() -> NDArray[np.float32]:
    """[set, layer, head, query, key] rows that sum to 1, as weights of attention do."""
    scores = np.exp(2 * np.random.default_rng(0).standard_normal((_SETS, _LAYERS, _HEADS, _N, _N), np.float32))
    return np.asarray(scores / scores.sum(axis=-1, keepdims=True), np.float32)


@contextmanager
def _wall_view() -> Iterator[HeadGridView]:
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


def _painting(view: HeadGridView, values: NDArray[np.float32]) -> Clock:
    """Paints the next set of values each time, until they are handed to the screen."""
    axes = [Axis(name, tuple(map(str, range(_N)))) for name in ("query", "key")]
    pictures = [
        HeadGrid(
            values=each,
            rows=axes[0],
            columns=axes[1],
            scale=unit_scale("cividis"),
            chosen=(0, 0),
            layers=tuple(range(_LAYERS)),
            caption=Caption(title="", tap="", shape=""),
        )
        for each in values
    ]
    turns, words = itertools.cycle(pictures), Words.load("en")

    def paint() -> None:
        view.draw(next(turns), words)
        view.repaint()

    return lambda: elapsed_ms(paint)


def _wall(bench: Bench) -> Iterator[Row]:
    assert bench.peers is not None  # the task asks for them
    values, file = _values(), str(bench.folder / "wall.npy")
    np.save(file, values)
    with figures(bench.peers) as peer, _wall_view() as view:
        make = partial(peer.ask, "make wall", file=file, wide_px=_WIDE_PX, high_px=_HIGH_PX)
        make()
        ours, theirs = in_turn(
            [partial(second_of_two, _painting(view, values)), make], budget_s=8.0, least=2, most=30, warm_up=0
        )
    yield times_faster(_WALL, _NEW, Pair(ours, theirs), 100.0)


def _files(bench: Bench) -> Iterator[Row]:
    """Both sides write as many pixels, tokens on both axes, a number in each cell, and a colour bar."""
    assert bench.peers is not None  # the task asks for them
    make_application()
    trace = Computer()(Request.from_preset("paper-base", SIXTEEN)).trace
    choice, folder, file = Choice(_TAP, None, None), bench.folder / "ours", bench.folder / "maps.npy"
    job = Export(trace=trace, out=folder, format="png", words=Words.load("zh"), choice=choice, one_each=True)
    list(job.run())
    written = sorted(folder.glob("*.png"))
    size = QImage(str(written[0])).size()
    np.save(file, np.concatenate([trace[tap] for tap in choice.taps(trace)]))
    theirs = bench.folder / "theirs"
    theirs.mkdir()
    with figures(bench.peers) as peer:
        given = {
            "file": str(file),
            "labels": [token.text for token in trace.tokens.source],
            "folder": str(theirs),
            "wide_px": size.width(),
            "high_px": size.height(),
        }
        save = partial(peer.ask, "save maps", **given)
        save(most=2)  # it looks for its fonts first
        pair = Pair(*in_turn([lambda: elapsed_ms(lambda: list(job.run())), save], budget_s=20.0, least=3, most=9, warm_up=0))
    if not len(written) == len(list(theirs.glob("*.png"))) == _LAYERS * _HEADS:
        raise RuntimeError(f"{len(written)} files of ours")
    yield times_faster(_PNG, _SAVED, pair, 10.0)
