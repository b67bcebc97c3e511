"""Cost as work grows: a pass, the same recorded, its wall of heads as a Picture, and that painted, against sizes.

Through the engine's own path, Request to Frame. What it refuses for want of memory is left out, and said.
"""

import itertools
from collections.abc import Mapping
from functools import partial

import attrs
import numpy as np
import torch

from explorer.app.main import make_application
from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import ExplorerError
from explorer.export.raster import write_png
from explorer.lang import Words
from explorer.model.ids import ids_tensor
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Caption, Waves
from explorer.picture.makers.attention import head_wall
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.own_card import card_of
from explorer.trace.trace import Trace
from tests.bench.bench import Bench, Task
from tests.bench.engine_rows import at_rest
from tests.bench.quiet import usual_threads
from tests.bench.row import Row, aligned, figure
from tests.bench.timing import elapsed_ms, repeated
from tests.bench.wall_rows import painted_ms, wall_view

_PARTS = ("pass", "recorded", "picture", "paint")
_TEXT = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
_BUDGET_S = 1.0
_BASE = Config(architecture="decoder-only", n_layers=2, n_heads=4, d_model=128, d_ff=512, max_len=4096, tokenizer="characters")
_WIDE = _BASE.changed(d_model=256, d_ff=1024)
_LOOK = Look(attention="decoder.self_attn")


@attrs.frozen
class _Series:
    """What grows by a factor from step to step, and the Config and number of tokens for each size."""

    name: str
    factor: int
    sizes: Mapping[int, tuple[Config, int]]


_SERIES = (
    _Series("tokens", 4, {n: (_BASE, n) for n in (16, 64, 256, 1024, 4096)}),
    _Series("heads", 2, {n: (_WIDE.changed(n_heads=n), 64) for n in (1, 2, 4, 8, 16, 32)}),
    _Series("layers", 2, {n: (_WIDE.changed(n_layers=n), 64) for n in (1, 2, 4, 8, 16, 32)}),
)


def tasks() -> list[Task]:
    """Takes minutes, so it has to be asked for; gives a table of its own and no rows."""
    return [Task("growth", (series.name,), partial(_grow, series=series), asked=True) for series in _SERIES]


def _grow(bench: Bench, series: _Series) -> list[Row]:
    make_application()
    found: dict[int, tuple[float, ...]] = {}
    refused = []
    for size, (config, n) in series.sizes.items():
        try:
            found[size] = _costs_ms(config, n)
        except ExplorerError as error:
            refused.append(f"{series.name} {size} was refused: {Words.load('en').error(error)}")
    bench.tables.append("\n".join([_table(series, found), *refused, f"curves: {_plot(bench, series, found)}"]))
    return []


def _costs_ms(config: Config, n: int) -> tuple[float, ...]:
    """One for each of the parts. Raises ExplorerError."""
    request = Request(wish=Wish(text=(_TEXT * n)[:n], config=config, preset="tiny"))
    computer = Computer()
    frame = computer(request)
    computer.rest(lambda: False)  # the weights are packed, as they are while somebody types
    turn = itertools.count(1)

    def recorded() -> float:
        """Of another temperature each time: the pass of a long text is not made twice."""
        other = config.changed(temperature=1 + next(turn) * 1e-4)
        return computer(request.wishing(config=other)).pass_ms

    recorded_ms = repeated(recorded, budget_s=_BUDGET_S, least=3).median
    return _plain_ms(config, frame.trace), recorded_ms, *_picture_ms(frame.trace)


def _plain_ms(config: Config, trace: Trace) -> float:
    model, ids = at_rest(config), ids_tensor(tuple(token.id for token in trace.tokens.target))
    torch.set_num_threads(usual_threads(card_of(config), ids.shape[1]))
    with torch.inference_mode():
        return repeated(lambda: elapsed_ms(lambda: model(None, ids)), budget_s=_BUDGET_S, least=3).median


def _picture_ms(trace: Trace) -> tuple[float, float]:
    """The wall of all heads as a Picture, and painted."""
    words, look = Words.load("en"), _LOOK.fitted(trace)
    picture = head_wall(trace, look, words)
    made_ms = repeated(lambda: elapsed_ms(lambda: head_wall(trace, look, words)), budget_s=_BUDGET_S, least=3).median
    with wall_view() as view:
        return made_ms, repeated(lambda: painted_ms(view, picture, words), budget_s=_BUDGET_S, least=3).median


def _table(series: _Series, found: Mapping[int, tuple[float, ...]]) -> str:
    cells = [(series.name, *(f"{part} ms" for part in _PARTS))]
    cells += [(str(size), *(figure(cost) for cost in costs)) for size, costs in found.items()]
    sizes, costs = list(found), np.array(list(found.values()))
    for name, last in (("exponent", 0), ("exponent of the last step", -2)):
        slopes = (_exponent(sizes[last:], costs[last:, part]) for part in range(len(_PARTS)))
        cells.append((name, *(f"{slope:.2f}" for slope in slopes)))
    config, n = next(iter(series.sizes.values()))
    about = f"decoder-only, {config.n_layers} layers, {config.n_heads} heads, d_model {config.d_model}, {n} tokens"
    return f"Growth with {series.name} ({about}, but for what grows):\n\n{aligned(cells)}\n"


def _exponent(sizes: list[int], costs_ms: np.ndarray) -> float:
    """The slope of log(cost) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(costs_ms), 1)[0])


def _plot(bench: Bench, series: _Series, found: Mapping[int, tuple[float, ...]]) -> str:
    """Curves of log10(ms) over the steps, as a figure of the program's own; returns where it was written."""
    bench.plots.mkdir(parents=True, exist_ok=True)
    path = bench.plots / f"growth-{series.name}.png"
    costs = np.array(list(found.values()), np.float32)
    picture = Waves(
        values=np.log10(costs).T,
        names=tuple(f"{part}, n^{_exponent(list(found), costs[:, place]):.2f}" for place, part in enumerate(_PARTS)),
        n_marked=1,
        x_name=f"log{series.factor} of {series.name} / {min(found)}:",
        caption=Caption(title=f"Cost as {series.name} grow", tap="", shape="", note="log10 of milliseconds"),
    )
    write_png(render(picture, Words.load("en")), path)
    return str(path)
