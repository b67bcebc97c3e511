"""A pass over given words, of which only their log-probabilities are kept: nothing is recorded."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeGuard

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.devices import dropout_seeded
from explorer.engine.experiments.bench import Bench, fetched, ids_of, stopping
from explorer.engine.experiments.runs import AnyModel
from explorer.engine.speed.threads import threads
from explorer.model.hooks import hooked
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.tokens.token import Token
from explorer.trace.found.effects import measured_words
from explorer.trace.measures.measures import log_p
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens, written

_PROBABILITIES = "generator.probabilities"
LogP = NDArray[np.float64]


def teacher_forced(bench: Bench, changing: Changing) -> LogP:
    """[word] log p (nats) of the words that are measured, each after the words before it, in the pass with these changes.

    Raises BadChange, NeverReached, Superseded.
    """
    tokens = bench.tokens
    torch.set_num_threads(threads(bench.card, max(len(tokens.source), len(tokens.target))))
    with torch.inference_mode(), _seeded(bench), changing.inside(bench.model), hooked(bench.model, stopping(bench.stop)):
        logits = (
            _as_written(bench.model, tokens) if _sees_later(bench.model) else bench.runs.logits(1)
        )  # [batch 1, position, vocab]
        if _PROBABILITIES in changing.taps:  # No word is measured on them, but a change there is one of the pass.
            bench.model.get_submodule(_PROBABILITIES)(logits.softmax(dim=-1))
    changing.check_reached()
    return _log_p(logits[0], tokens, bench.expected)


def teacher_forced_together(model: Transformer, sentences: Sequence[Tokens], changing: Changing, stop: Stop) -> list[LogP]:
    """[word] log p (nats) of the words that each sentence wrote, in one batch; all sentences have the same lengths.

    Raises BadChange, NeverReached, Superseded.
    """
    torch.set_num_threads(threads(card_of(model.config), max(len(sentences[0].source), len(sentences[0].target))))
    with torch.inference_mode(), dropout_seeded(model.config), changing.inside(model), hooked(model, stopping(stop)):
        logits = fetched(_as_written(model, *sentences))  # [batch, position, vocab]
    changing.check_reached()
    return [_log_p(row, tokens, written(tokens)) for row, tokens in zip(logits, sentences, strict=True)]


def _sees_later(model: AnyModel) -> TypeGuard[Transformer]:
    """Whether a row of our model's decoder depends on tokens behind it: one pass would read the very words it is asked for."""
    if not isinstance(model, Transformer):
        return False
    return model.decoder is not None and not (model.config.causal_mask and model.config.masking == "usual")


def _as_written(model: Transformer, *sentences: Tokens) -> Tensor:
    """[batch, position, vocab] logits that depend on no token behind their position, as when the words were written.

    Where the mask would let them, each position is the last one of a pass of its own.
    """
    source, target = (_batch([getattr(each, side) for each in sentences], model) for side in ("source", "target"))
    if target is None or not _sees_later(model):
        logits: Tensor = model(source, target)
        return logits
    ends = range(1, target.shape[1] + 1)
    return torch.cat([model(source, target[:, :end])[:, -1:] for end in ends], dim=1)


def _seeded(bench: Bench) -> AbstractContextManager[None]:
    """Our model's dropout, seeded; a foreign model has none in a pass."""
    return dropout_seeded(bench.model.config) if isinstance(bench.model, Transformer) else nullcontext()


def _batch(sides: list[tuple[Token, ...]], model: Transformer) -> Tensor | None:
    """[batch, position] the ids of one side of all sentences, None if there is none."""
    if not sides[0]:
        return None
    return torch.tensor([ids_of(side) for side in sides], device=next(model.parameters()).device)


def _log_p(logits: Tensor, tokens: Tokens, expected: tuple[int, ...]) -> LogP:
    ids, _measured = measured_words(tokens.source, tokens.target, expected)
    return log_p(fetched(logits[: len(ids)]).numpy(), np.array(ids))
