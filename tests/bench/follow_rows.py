"""A followed cell while it plays: from a moment to its picture, which must be there sixty times a second."""

import time
from functools import partial
from itertools import cycle

import numpy as np

import explorer
from explorer.app.main import make_application
from explorer.lang import Words
from explorer.picture.layout.follow_time import timetable
from explorer.picture.makers.follow import follow
from explorer.state.look import Look
from explorer.views.pictures.follow import FollowView
from tests.bench.bench import Bench, Task
from tests.bench.row import Row, measured
from tests.bench.timing import repeated

_SIZE = 1154, 550  # px of the picture in a window of 1440 × 900
_CASES = (
    ("7 + 7 tokens", "translator", "她给了我一本书。", {}),
    ("84 tokens, one head of 64", "tiny", "我爱北京天安门" * 12, {"tokenizer": "characters", "n_heads": 1}),
)
_PLAYED, _SHEET = "followed cell of {}: a moment painted", "followed cell of {}: all six beats made and painted"
_MOMENTS = 240
_BUDGET_S = 3.0
_GOAL_MS, _FRAME_MS = 8.0, 16.7


def tasks() -> list[Task]:
    """A short row of a narrow head, and a long row of a wide one."""
    return [
        Task(
            "follow",
            (_PLAYED.format(name), _SHEET.format(name)),
            partial(_measure, name=name, preset=preset, text=text, knobs=knobs),
        )
        for name, preset, text, knobs in _CASES
    ]


def _measure(bench: Bench, name: str, preset: str, text: str, knobs: dict[str, object]) -> list[Row]:
    trace, words = explorer.explore(text, preset=preset, **knobs), Words.load("zh")
    look = Look(attention="decoder.self_attn", layer=1).fitted(trace)
    made = follow(trace, look, words)
    if made is None:
        raise RuntimeError("nothing to follow")
    application, view = make_application(), FollowView()
    view.resize(*_SIZE)
    view.draw(made, words)
    view.show()
    application.processEvents()  # From now on it is really painted.
    moments = cycle(np.linspace(0, timetable(made.followed).total, _MOMENTS).tolist())

    def play() -> float:
        start = time.perf_counter()
        view.seek(next(moments))
        view.repaint()
        return (time.perf_counter() - start) * 1e3

    def draw() -> float:
        start = time.perf_counter()
        view.whole = True
        view.draw(follow(trace, look, words), words)
        view.repaint()
        return (time.perf_counter() - start) * 1e3

    try:
        played, drawn = repeated(play, budget_s=_BUDGET_S), repeated(draw, budget_s=_BUDGET_S / 2)
    finally:
        view.hide()
        view.deleteLater()
        application.processEvents()
    return [
        measured(_PLAYED.format(name), played.median, _GOAL_MS, spread=str(played.spread)),
        measured(_SHEET.format(name), drawn.median, _FRAME_MS, spread=str(drawn.spread)),
    ]
