"""Long texts: panning and zooming over walls that no screen has room for, and the memory that four thousand tokens take."""

import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
from PySide6.QtWidgets import QApplication

from explorer.app.main import make_application
from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, HeadGrid, Heatmap, LargeWall
from explorer.picture.scales import Scale
from explorer.trace.levels import Levels, closed_levels, levels
from explorer.views.painting.canvas import Canvas
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from tests.bench.bench import Bench, Task
from tests.bench.row import Row, measured
from tests.bench.timing import Sample

_WALL = "pan and zoom, wall of 12 × 12 heads of 1,024 tokens: a frame, 99th percentile"
_HEAD = "pan and zoom, one head of 4,096 × 4,096: a frame, 99th percentile"
_MEMORY = "4,096 tokens, 12 layers × 12 heads, all walls: peak memory beyond the plain pass"
_FRAME_MS = 1000 / 60
_WEIGHTS = Scale(0.0, 1.0, "cividis")


def tasks() -> list[Task]:
    """Frames first: the memory takes a minute."""
    return [Task("long", (_WALL,), _wall), Task("long", (_HEAD,), _head), Task("long", (_MEMORY,), _memory)]


def _wall(_bench: Bench) -> list[Row]:
    """What a pass keeps of such a text: blocks of 2 × 2 cells, and one head whole."""
    n, random, words = 1024, np.random.default_rng(0), Words.load("zh")
    mask = closed_levels(np.triu(np.ones((n, n), bool), 1))
    layers = tuple(
        levels(random.random((12, n // 2, n // 2), np.float32), mask, signed=False, block=2, shape=(n, n)) for _ in range(12)
    )
    chosen: dict[tuple[int, int], Levels] = {(0, 0): levels(random.random((n, n), np.float32), mask, signed=False)}
    axis = _axis(n)
    picture = HeadGrid(
        values=np.stack([each.arrays[3] for each in layers]),
        block=16,
        large=LargeWall(layers, chosen),
        rows=axis,
        columns=axis,
        scale=_WEIGHTS,
        caption=_caption(),
        layers=tuple(range(12)),
        chosen=(0, 0),
    )
    application, view = make_application(), HeadGridView()
    view.resize(900, 700)
    view.show()
    view.draw(picture, words)
    return [_frames(_WALL, application, view)]


def _head(_bench: Bench) -> list[Row]:
    n, random, words = 4096, np.random.default_rng(0), Words.load("zh")
    mask = closed_levels(np.triu(np.ones((n, n), bool), 1))
    values = random.random((n, n), np.float32)
    application, view = make_application(), HeatmapView()
    view.resize(760, 760)
    view.show()
    view.draw(
        Heatmap(
            values=values,
            rows=_axis(n),
            columns=_axis(n),
            scale=_WEIGHTS,
            caption=_caption(),
            closed=mask.arrays[0],
            levels=levels(values, mask, signed=False),
        ),
        words,
    )
    return [_frames(_HEAD, application, view)]


def _axis(n: int) -> Axis:
    return Axis("token", tuple(f"词{place % 900}" for place in range(n)), "source")


def _caption() -> Caption:
    return Caption(title="weights", tap="decoder.layers.0.self_attn.weights", shape="")


def _frames(name: str, application: QApplication, view: Canvas) -> Row:
    application.processEvents()
    found = []
    for move in _moves(view):
        start = time.perf_counter()
        move()
        view.moved.emit(view.view)
        view.update()
        application.processEvents()
        found.append((time.perf_counter() - start) * 1e3)
    view.hide()
    view.deleteLater()
    frames = Sample(tuple(found))
    return measured(
        name,
        frames.quantile(0.99),
        _FRAME_MS,
        spread=f"median {frames.median:.3g}, longest {max(found):.3g} of {len(found)} frames",
        note="from all of it to two cells, with six steps to the side at each zoom",
    )


def _moves(view: Canvas) -> Iterator[object]:
    """Twenty-four notches in, six steps to the side after each."""
    for notch in range(24):

        def zoom() -> None:
            view.view = view.view.zoomed(view.view.columns * 0.31, view.view.rows * 0.42, 1.25)

        def pan(sign: int = 1 if notch % 2 else -1) -> None:
            span = view.view.right - view.view.left
            view.view = view.view.moved(0.02 * sign * span, 0.013 * span)

        yield zoom
        for _ in range(6):
            yield pan


_PASS = """
import resource, sys
from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.request import Request
config = Config(architecture="decoder-only", n_layers=12, n_heads=12, d_model=768, d_ff=3072, max_len=4096,
                tokenizer="characters")
text = "".join(chr(0x4e00 + place % 3000) for place in range(4096))
tap = "decoder.layers.3.self_attn.weights"
computer = Computer()
if sys.argv[1] == "recorded":
    request = Request(text=text, config=config, preset="tiny", wanted=((tap, 5),))
    trace = computer(request).trace
    assert sum(kept.levels is not None for kept in trace.maps.values() if kept.has_heads) == 12
    assert 5 in trace.map(tap).close_ups and len(trace.tokens.target) == 4096
else:
    import torch
    from explorer.model.ids import ids_tensor
    from explorer.model.weights import build
    model = build(config)
    with torch.inference_mode():
        model(None, ids_tensor(tuple(range(4, 4100))))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _memory(_bench: Bench) -> list[Row]:
    """Each in a process of its own: the greatest memory of a process never goes down."""
    recorded_mb, plain_mb = (
        float(
            subprocess.run(
                [sys.executable, "-c", _PASS, how], stdout=subprocess.PIPE, text=True, check=True, timeout=600
            ).stdout
        )
        for how in ("recorded", "plain")
    )
    return [
        measured(
            _MEMORY,
            recorded_mb - plain_mb,
            1024.0,
            unit="MB",
            note=f"{recorded_mb:.0f} MB against {plain_mb:.0f} MB, d_model 768; a memory budget of 1,024 MB, one head whole",
        )
    ]
