"""Passes of small models, recorded without tokens or threads."""

from functools import lru_cache

import attrs
import torch

from explorer.config import Config
from explorer.engine.recording.recorder import Recording, record
from explorer.model.ids import ids_tensor
from explorer.model.weights import build
from explorer.tokens.token import Token
from explorer.trace.arrays import frozen_array
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace

SOURCE, TARGET = (7, 3, 9, 3, 12), (1, 8, 2)


def small(**knobs: object) -> Config:
    """Sizes that are all different, so that no axis passes for another."""
    return Config().changed(**{"n_layers": 2, "n_heads": 4, "d_model": 24, "d_ff": 40, "vocab_size": 50, **knobs})


def recorded(config: Config) -> Recording:
    """One pass over SOURCE and TARGET, as far as the architecture has their sides."""
    source = None if config.architecture == "decoder-only" else ids_tensor(SOURCE)
    target = None if config.architecture == "encoder-only" else ids_tensor(TARGET)
    model = build(config)
    with torch.inference_mode(), record(model) as recording:
        torch.manual_seed(config.dropout_seed)
        model(source, target)
    return recording


def tokens(*texts: str) -> tuple[Token, ...]:
    return tuple(Token(text, number + 4, number, number + 1, number % 2 == 0) for number, text in enumerate(texts))


@lru_cache(maxsize=1)
def a_trace() -> Trace:
    """A small Trace with masked cells, an unknown token and a merged one."""
    config = small()
    recording = recorded(config)
    merged = Token("the", 40, 0, 3, True, ("t h", "th e"))
    return Trace(
        arrays=recording.arrays,
        axis_names=recording.axes,
        config=config,
        preset="tiny",
        card=attrs.evolve(card_of(config, "tiny"), parameters=12345),
        tokens=Tokens(tokens(*"我爱北京天"), (merged, *tokens("b", "c"))),
        places=frozen_array(torch.ones(6, 24).numpy()),
        source="我爱北京天",
        target="the b c",
        symbols=("<unk>", "我", "␣the"),
    )
