"""A recorded pass of GPT-2 small beside those of TransformerLens 4 and of nnsight, and beside Hugging Face's eager pass.

All have the same random weights. Ours runs here, theirs in their own process; they take turns, each with as many threads as
there are cores. The rows fail where their logits are not ours.
"""

import os
import time
from collections.abc import Iterator
from functools import partial

import torch

from explorer.foreign.model import Foreign
from tests.bench.bench import Bench, Task
from tests.bench.peer import Peer
from tests.bench.peers.gpt2 import some_ids
from tests.bench.recording_rows import opened_gpt2, recorded
from tests.bench.row import Row, times
from tests.bench.timing import Clock, Pair, elapsed_ms, in_turn, second_of_two

_WHAT = "a recorded pass, GPT-2 small, {} tokens"
_PEERS = {"lens": "TransformerLens 4, run_with_cache", "sight": "nnsight, tracer.cache", "face": "Hugging Face, eager pass"}
_GOALS = {
    16: {"lens": 0.46, "sight": 0.56, "face": 0.63},
    64: {"lens": 0.5, "sight": 0.55, "face": 0.53},
    256: {"lens": 0.83, "sight": 0.86, "face": 0.9},
}
"""A tenth above what was measured when the table was made."""
_BUDGET_S = 12.0
_SETTLE_S = 0.02  # OpenMP's threads of the side that has just run spin on for a while
_CLOSE = 1e-4


def tasks() -> list[Task]:
    """All lengths together: the models take a while to be made."""
    names = tuple(f"{_WHAT.format(n)} / {beside}" for n in _GOALS for beside in _PEERS.values())
    return [Task(names, _beside, peers=True)]


def _beside(bench: Bench) -> Iterator[Row]:
    assert bench.peers is not None  # the task asks for them
    foreign = opened_gpt2().foreign
    with Peer(bench.peers, "passes", str(os.cpu_count())) as peer:
        with torch.inference_mode():
            logits = foreign(None, some_ids(1, 16)).double()
        if any(abs(float(logits.sum()) - theirs) > _CLOSE * float(logits.abs().sum()) for theirs in peer.about):
            raise RuntimeError("not the same model")
        for n in _GOALS:
            yield from _rows(foreign, peer, n)


def _rows(foreign: Foreign, peer: Peer, n: int) -> Iterator[Row]:
    def settled(clock: Clock) -> float:
        time.sleep(_SETTLE_S)
        return second_of_two(clock)

    clocks = [partial(_recorded_ms, foreign, some_ids(1, n)), *(partial(peer.ask, what, n=n) for what in _PEERS)]
    own, *theirs = in_turn([partial(settled, clock) for clock in clocks], budget_s=_BUDGET_S, least=7, most=60)
    for (what, beside), each in zip(_PEERS.items(), theirs, strict=True):
        yield times(_WHAT.format(n), beside, Pair(own, each), _GOALS[n][what])


def _recorded_ms(foreign: Foreign, ids: torch.Tensor) -> float:
    with torch.inference_mode():
        return elapsed_ms(partial(recorded, foreign, None, ids))
