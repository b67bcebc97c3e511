"""Many prompts of somebody's model in batches, beside the model's own padded batch that gives out its attentions."""

import os
from functools import partial

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
from tests.bench.foreign_rows import opened_of
from tests.bench.peers.shapes import own_model
from tests.bench.row import Row, compared
from tests.bench.timing import paired

_SHAPE = "GPT-2 small"
_N = 50
_NAMES = {
    "50 prompts of 10 to 25 tokens / transformers' own padded batch with attentions": range(10, 26),
    "50 prompts of 16 tokens / transformers' own batch with attentions": range(16, 17),
}
_GOAL = 1.5
_BUDGET_S = 20.0


def tasks() -> list[Task]:
    """Prompts of many lengths, and of one."""
    return [Task("many", tuple(_NAMES), _beside_own, apart=True)]


def _beside_own(_bench: Bench) -> list[Row]:
    opened, own = opened_of(_SHAPE), own_model(_SHAPE)
    card, rows = card_of(opened, _SHAPE), []
    for name, lengths in _NAMES.items():
        ids = _some_ids(lengths)
        sentences = tuple(Sentence(Tokens((), _tokens(row)), "") for row in ids)
        prompts = Prompts(
            wish=Wish.from_preset("tiny"),
            texts=("",) * _N,
            sentences=sentences,
            model=opened.foreign,
            card=card,
            changing=Changing(),
            symbols=(),
        )
        ours = partial(passed, prompts, ("*.weights",), never, silent)
        theirs = partial(_own_batch, own, ids)
        pair = paired(ours, theirs, budget_s=_BUDGET_S, least=5, most=20, warm_up=1)
        rows.append(compared(name, pair, _GOAL, note=f"{os.cpu_count()} threads each"))
    return rows


def _some_ids(lengths: range) -> list[list[int]]:
    any_ids = torch.randint(1000, (_N, lengths.stop), generator=torch.Generator().manual_seed(0)).tolist()
    return [row[: lengths[n % len(lengths)]] for n, row in enumerate(any_ids)]


def _tokens(row: list[int]) -> tuple[Token, ...]:
    return tuple(Token(str(each), each, place, place + 1, True) for place, each in enumerate(row))


def _own_batch(model: torch.nn.Module, rows: list[list[int]]) -> tuple[Tensor, list[Tensor]]:
    """The logits of each prompt's last token, and the attentions, as one does it with transformers alone."""
    torch.set_num_threads(os.cpu_count() or 1)
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    real = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    with torch.inference_mode():
        found = model(input_ids=ids, attention_mask=real, use_cache=False, output_attentions=True)
    return found.logits[torch.arange(len(rows)), real.sum(dim=1) - 1], [each.numpy() for each in found.attentions]
