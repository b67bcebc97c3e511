"""What torch's forward hooks cost: a recorded pass beside the same pass without them."""

import os
from collections.abc import Iterator
from functools import partial

import torch

from explorer.engine.compute import Computer
from explorer.engine.recording.recorder import record
from explorer.engine.speed.foreign_packing import PackedLayers
from explorer.engine.speed.threads import threads
from explorer.foreign.attention import register
from explorer.foreign.model import Foreign
from explorer.foreign.opening import Opened, with_taps
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.presets import load_preset
from explorer.trace.own_card import card_of
from tests.bench.bench import Bench, Task
from tests.bench.peers.gpt2 import own_model, some_ids
from tests.bench.row import Row, times
from tests.bench.timing import paired

_N = 16
_BUDGET_S = 4.0
_WHAT, _PLAIN = f"a pass recorded by torch's forward hooks, {{}}, {_N} tokens", "the plain pass"
_GPT2 = "GPT-2 small"
_GOALS = {
    "tiny": 1.3,
    "translator": 1.15,
    "paper-base": 1.05,
    _GPT2: 1.02,
}  # A hook costs two microseconds, whatever the tensor.


def tasks() -> list[Task]:
    """Models from small to large."""
    return [Task((f"{_WHAT.format(name)} / {_PLAIN}",), partial(_recording, name=name)) for name in _GOALS]


def opened_gpt2() -> Opened:
    """GPT-2 small with taps, as the engine has it: its weights packed."""
    register()
    torch.set_num_threads(os.cpu_count() or 1)
    return with_taps(own_model(), _GPT2, faster=PackedLayers)


def recorded(model: Transformer | Foreign, *sides: torch.Tensor | None) -> None:
    """A pass as the engine records it."""
    with record(model):
        model(*sides)


def _own(preset: str) -> Transformer:
    """A preset's model as the engine has it at rest: trained, or with fresh weights."""
    translator = Computer().sources.translator(preset)
    return build(load_preset(preset).config) if translator is None else translator.model(translator.preset.config)


def _recording(_bench: Bench, name: str) -> Iterator[Row]:
    if name == _GPT2:
        model: Transformer | Foreign = opened_gpt2().foreign
        sides = None, some_ids(1, _N)
    else:
        model = own = _own(name)
        torch.set_num_threads(threads(card_of(own.config), _N))
        target = ids_tensor(tuple(range(300, 300 + _N)))
        sides = None if own.encoder is None else ids_tensor(tuple(range(10, 10 + _N))), target
    with torch.inference_mode():
        pair = paired(partial(recorded, model, *sides), partial(model, *sides), budget_s=_BUDGET_S)
    yield times(_WHAT.format(name), _PLAIN, pair, _GOALS[name])
