"""The sweep over all heads of the translator, beside the same passes made one after the other."""

from functools import partial
from typing import Any

import torch

from explorer.engine.changed_tensors import changed
from explorer.engine.experiments.ablations import heads_of
from explorer.engine.experiments.bench import Bench as Given
from explorer.engine.experiments.trials import Trials
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.tokens.token import Token
from explorer.trace.changes import Change
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from tests.bench.bench import Bench, Task
from tests.bench.engine_rows import model_of
from tests.bench.quiet import usual_threads
from tests.bench.row import Row, compared, measured
from tests.bench.timing import paired

_N = 16
_SWEEP = "effects: all 72 heads of the translator, 16 + 16 tokens"
_AGAINST = "effects: one batch / a pass for each of the 72 heads"
_GOAL_MS, _GOAL_SHARE = 150.0, 0.25
_BUDGET_S = 12.0


def tasks() -> list[Task]:
    """One task with two rows, which share their measurements."""
    return [Task("effects", (_SWEEP, _AGAINST), _sweep, apart=True)]


def _sweep(_bench: Bench) -> list[Row]:
    given = given_of(model_of("translator"), _N)
    card = card_of(given.config)
    narrow = usual_threads(card, _N)
    with torch.inference_mode():
        pair = paired(partial(_together, given), partial(_one_by_one, given, narrow), budget_s=_BUDGET_S, least=5)
    note = f"single passes with {narrow} thread(s); the sweep chooses its own number"
    return [
        measured(_SWEEP, pair.ours.median, _GOAL_MS, spread=str(pair.ours.spread), note=note),
        compared(_AGAINST, pair, _GOAL_SHARE, note=note),
    ]


def given_of(model: Transformer, n: int) -> Given:
    """What the sweep works with, for `n` + `n` tokens."""
    source, target = (tuple(Token(str(i), i, 0, 0, True) for i in range(first, first + n)) for first in (10, 300))
    expected = (*(token.id for token in target[1:]), 3)
    return Given(model, Tokens(source, target), expected, lambda: False)


def _together(given: Given) -> None:
    Trials(given).effects([one.trial for one in heads_of(card_of(given.config))])


def _one_by_one(given: Given, n_threads: int) -> None:
    torch.set_num_threads(n_threads)
    source, target = given.source(), given.target()
    for (change,) in (one.trial for one in heads_of(card_of(given.config))):

        def hook(tap: Tap, _args: Any, tensor: torch.Tensor, change: Change = change) -> torch.Tensor:
            return changed(tensor, change, tap)

        with hooked(given.model, hook, at=[change.tap]):
            given.model(source, target).log_softmax(dim=-1)
