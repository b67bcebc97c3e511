"""Traces of models that are none of our own: without a Config, with taps of other names, with keys that heads share."""

import attrs
import numpy as np
import torch

from explorer.engine.recording.recorder import record
from explorer.model.ids import ids_tensor
from explorer.model.linear import Linear
from explorer.model.weights import build
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.model_card import ModelCard, SideCard
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace
from tests.trace.runs import TARGET, small, tokens

STREAM, GATES, MAP = "model.foo.bar", "decoder.layers.0.moe.gates", "model.blocks.1.attention.weights"
NAMES = (STREAM, GATES, MAP)


def numbers(*shape: int) -> Array:
    """Other numbers for each shape, of both signs."""
    return frozen_array(np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32))


def foreign_trace() -> Trace:
    """Nobody knows the names of its taps, nor the axis of the gates: only the card tells of the model."""
    side = SideCard(name="decoder", n_layers=1, n_heads=4, n_kv_heads=4, d_ff=16, vocab_size=9, attentions=("self_attn",))
    card = ModelCard(
        name="someone's",
        family="bloom",
        sides=(side,),
        d_model=6,
        d_head=2,
        vocab_size=9,
        max_len=32,
        position="alibi",
        position_added=False,
        trained=True,
    )
    return Trace(
        arrays={STREAM: numbers(3, 6), GATES: numbers(3, 5), MAP: numbers(4, 3, 3)},
        axis_names={STREAM: ("position", "feature"), GATES: ("position", "expert"), MAP: ("head", "query", "key")},
        tokens=Tokens(target=tokens("a", "b", "c")),
        config=None,
        card=card,
        places=numbers(3, 6),
        target="abc",
    )


def grouped_trace() -> tuple[Trace, Trace]:
    """Four query heads over two keys and values: once with a copy for each query head, once as it would be recorded.

    All other arrays are the very same, so that whatever reckons with the second can be held against the first.
    """
    config = small(architecture="decoder-only", n_heads=4)
    model = build(config)
    for module in model.modules():
        for name in ("project_key", "project_value"):
            if hasattr(module, name):
                _share(getattr(module, name), config.d_head)
    with torch.inference_mode(), record(model) as recording:
        model(None, ids_tensor(TARGET))
    copied = Trace(
        arrays=recording.arrays,
        axis_names=recording.axes,
        tokens=Tokens(target=tokens(*map(str, TARGET))),
        config=config,
        places=frozen_array(np.zeros((3, config.d_model), np.float32)),
    )
    shared = {
        name: frozen_array(array[::2]) if name.endswith((".key", ".value")) else array for name, array in copied.arrays.items()
    }
    card = card_of(config)
    sides = tuple(attrs.evolve(side, n_kv_heads=2) for side in card.sides)
    return copied, attrs.evolve(copied, arrays=shared, config=None, card=attrs.evolve(card, sides=sides))


def _share(project: Linear, d_head: int) -> None:
    """Every second head projects as the one before it."""
    for parameter in project.parameters():
        heads = parameter.view(-1, d_head, *parameter.shape[1:])
        heads[1::2] = heads[::2]
