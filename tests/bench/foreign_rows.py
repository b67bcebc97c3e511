"""Recorded passes of somebody's model, beside the model's own eager pass; with the peers, beside theirs on the same weights."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from explorer.engine.recording.recorder import record
from explorer.engine.speed.foreign_packing import PackedLayers
from explorer.foreign.attention import NAME, register
from explorer.foreign.model import Foreign
from explorer.foreign.opening import Opened, with_taps
from explorer.foreign.probing import looked_at, probed
from tests.bench.bench import Bench, Task
from tests.bench.peer import Peer
from tests.bench.peers.shapes import SHAPES, own_model, own_pass, some_ids
from tests.bench.row import Row, compared
from tests.bench.timing import Pair, elapsed_ms, in_turn, paired, second_of_two

_PLAIN = "recorded / plain eager pass, {shape}, {n} tokens"
_FULL = "recorded / eager pass that gives out attentions and hidden states, {shape}, {n} tokens"
_LENS = "recorded / TransformerLens 4 bridge, run_with_cache, {shape}, {n} tokens"
_SIGHT = "recorded / nnsight tracer.cache, {shape}, {n} tokens"
_PROBE, _PROBE_GOAL = "the pass that finds the residual stream / the same pass unwatched, GPT-2 small, 12 tokens", 1.2
_GOALS = {_PLAIN: 1.1, _FULL: 1.05}
_PEER_GOALS = {_LENS: 0.85, _SIGHT: 1.0}
_ANSWERS = {_LENS: "lens", _SIGHT: "sight"}
_LENGTHS = (16, 64, 256)
_BUDGET_S = 8.0


def tasks() -> list[Task]:
    """For each shape its lengths together: a model takes a while to be made."""
    return [
        *(Task("foreign", _names(_GOALS, shape), partial(_beside_own, shape=shape), apart=True) for shape in SHAPES),
        Task("foreign", (_PROBE,), _watched, apart=True),
        *(
            Task("foreign", _names(_peer_goals(shape), shape), partial(_beside_peers, shape=shape), peers=True, apart=True)
            for shape in SHAPES
        ),
    ]


def _peer_goals(shape: str) -> Mapping[str, float]:
    """The bridge knows BERT with an output over its vocabulary alone."""
    return {name: goal for name, goal in _PEER_GOALS.items() if (name, shape) != (_LENS, "MiniLM")}


def _names(goals: Mapping[str, float], shape: str) -> tuple[str, ...]:
    return tuple(name.format(shape=shape, n=n) for n in _LENGTHS for name in goals)


def opened_of(shape: str) -> Opened:
    """The model of a shape with taps, as the engine has it: its weights packed."""
    register()
    torch.set_num_threads(os.cpu_count() or 1)
    return with_taps(own_model(shape), shape, faster=PackedLayers)


def _beside_own(_bench: Bench, shape: str) -> list[Row]:
    foreign, own = opened_of(shape).foreign, own_model(shape)
    rows = []
    for n in _LENGTHS:
        ids = some_ids(shape, n)
        sides: list[Callable[[], object]] = [
            partial(_recorded, foreign, ids),
            partial(own_pass, own, ids),
            partial(own_pass, own, ids, full=True),
        ]
        rows += _rows(_GOALS, shape, n, [partial(elapsed_ms, side) for side in sides])
    return rows


def _beside_peers(bench: Bench, shape: str) -> list[Row]:
    assert bench.peers is not None  # The task asks for them.
    foreign, goals, rows = opened_of(shape).foreign, _peer_goals(shape), []
    with Peer(bench.peers, "bridges", shape, str(os.cpu_count())) as peer:
        bench.note(f"peers of {shape}: {peer.about['versions']}")
        mine = _logits(foreign, some_ids(shape, 16))
        assert abs(float(mine.double().sum()) - peer.about["sum"]) <= 1e-4 * float(mine.double().abs().sum())
        for n in _LENGTHS:
            ids = some_ids(shape, n)
            own = partial(elapsed_ms, partial(_recorded, foreign, ids))
            theirs = [partial(peer.ask, _ANSWERS[name], n=n) for name in goals]
            rows += _rows(goals, shape, n, [own, *theirs])
    return rows


def _watched(_bench: Bench) -> list[Row]:
    """What opening a folder adds to its first pass."""
    register()
    torch.set_num_threads(os.cpu_count() or 1)
    model = own_model("GPT-2 small").eval().requires_grad_(False)
    model.set_attn_implementation(NAME)
    pair = paired(partial(looked_at, model), partial(probed, model), budget_s=_BUDGET_S, least=5, most=60, warm_up=1)
    return [compared(_PROBE, pair, _PROBE_GOAL, note=f"{os.cpu_count()} threads each")]


def _rows(goals: Mapping[str, float], shape: str, n: int, clocks: list[Callable[[], float]]) -> list[Row]:
    """A row for each goal: the first clock is ours, each further one that of a goal."""
    with torch.inference_mode():
        ours, *others = in_turn([partial(second_of_two, each) for each in clocks], budget_s=_BUDGET_S, least=5, most=60)
    note = f"{os.cpu_count()} threads each"
    return [
        compared(name.format(shape=shape, n=n), Pair(ours, theirs), goal, note=note)
        for (name, goal), theirs in zip(goals.items(), others, strict=True)
    ]


def _sides(foreign: Foreign, ids: Tensor) -> tuple[Tensor | None, Tensor | None]:
    return (None, ids) if any(each.startswith("decoder.") for each in foreign.attentions) else (ids, None)


def _recorded(foreign: Foreign, ids: Tensor) -> None:
    with record(foreign):
        foreign(*_sides(foreign, ids))


def _logits(foreign: Foreign, ids: Tensor) -> Any:
    with torch.inference_mode():
        return foreign(*_sides(foreign, ids))
