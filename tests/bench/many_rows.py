"""Many prompts of somebody's model in batches, beside the model's own batch that gives out its hidden states and attentions."""

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.many.passes import passed
from explorer.engine.many.prompts import Prompts
from explorer.engine.sources.source import Sentence, never, silent
from explorer.foreign.card import card_of
from explorer.state.wish import Wish
from explorer.tokens.token import Token
from explorer.trace.recorded_pass import Tokens
from tests.bench.bench import Bench, Task
from tests.bench.peers.gpt2 import own_model, some_ids
from tests.bench.recording_rows import opened_gpt2
from tests.bench.row import Row, times
from tests.bench.timing import paired

_N, _LENGTH = 50, 16
_WHAT, _BESIDE = f"{_N} prompts of {_LENGTH} tokens, GPT-2 small, explorer.many", "transformers' batch with hidden states"
_GOAL = 1.5
_BUDGET_S = 20.0


def tasks() -> list[Task]:
    """The model takes a while to be made."""
    return [Task((f"{_WHAT} / {_BESIDE}",), _beside_own, peers=True)]


def _beside_own(_bench: Bench) -> Iterator[Row]:
    opened, own, ids = opened_gpt2(), own_model(), some_ids(_N, _LENGTH)
    prompts = Prompts(
        wish=Wish.from_preset("tiny"),
        texts=("",) * _N,
        sentences=tuple(Sentence(Tokens((), _tokens(row)), "") for row in ids.tolist()),
        model=opened.foreign,
        card=card_of(opened, "GPT-2 small"),
        changing=Changing(),
        symbols=(),
    )
    ours = partial(passed, prompts, ("*.weights",), never, silent)
    yield times(
        _WHAT, _BESIDE, paired(ours, partial(_own_batch, own, ids), budget_s=_BUDGET_S, least=5, most=20, warm_up=1), _GOAL
    )


def _tokens(row: list[int]) -> tuple[Token, ...]:
    return tuple(Token(str(each), each, place, place + 1, True) for place, each in enumerate(row))


def _own_batch(model: Any, ids: Tensor) -> tuple[Tensor, list[Tensor]]:
    """The logits of each prompt's last token, hidden states and attentions, as one gets them with transformers alone."""
    torch.set_num_threads(os.cpu_count() or 1)
    with torch.inference_mode():
        found = model(input_ids=ids, use_cache=False, output_attentions=True, output_hidden_states=True)
    return found.logits[:, -1], [each.numpy() for each in (*found.attentions, *found.hidden_states)]
