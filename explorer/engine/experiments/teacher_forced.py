"""A pass over given words, of which only their log-probabilities are kept: nothing is recorded."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.devices import dropout_seeded
from explorer.engine.experiments.bench import Bench, fetched, ids_of, stop_if
from explorer.engine.threads import threads
from explorer.model.hooks import watched
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.tokens.token import Token
from explorer.trace.effects import measured_words
from explorer.trace.measures import log_p
from explorer.trace.own_card import card_of
from explorer.trace.trace import Tokens, written

LogP = NDArray[np.float64]


def teacher_forced(bench: Bench, changing: Changing) -> LogP:
    """[word] log p (nats) of the words that are measured, each after the words before it, in the pass with these changes.

    Raises BadChange, NeverReached, Superseded.
    """
    return teacher_forced_together(bench.model, (bench.tokens,), changing, bench.stop, bench.expected)[0]


def teacher_forced_together(
    model: Transformer, sentences: Sequence[Tokens], changing: Changing, stop: Stop, expected: tuple[int, ...] | None = None
) -> list[LogP]:
    """[word] log p (nats) of the words of each sentence, in one batch; all sentences have the same lengths.

    `expected` has the ids that a single sentence is expected to say; None stands for those that it wrote.
    Raises BadChange, NeverReached, Superseded.
    """
    torch.set_num_threads(threads(card_of(model.config), max(len(sentences[0].source), len(sentences[0].target))))

    def watcher(_tap: Tap, _tensor: Tensor, _first: int | None) -> None:
        stop_if(stop)

    source, target = (_batch([getattr(each, side) for each in sentences], model) for side in ("source", "target"))
    with torch.inference_mode(), dropout_seeded(model.config), changing.inside(model), watched(model, watcher):
        logits = fetched(model(source, target))  # [batch, position, vocab]
    changing.check_reached()
    return [_log_p(row, tokens, expected) for row, tokens in zip(logits, sentences, strict=True)]


def _batch(sides: list[tuple[Token, ...]], model: Transformer) -> Tensor | None:
    """[batch, position] the ids of one side of all sentences, None if there is none."""
    if not sides[0]:
        return None
    return torch.tensor([ids_of(side) for side in sides], device=next(model.parameters()).device)


def _log_p(logits: Tensor, tokens: Tokens, expected: tuple[int, ...] | None) -> LogP:
    ids, _measured = measured_words(tokens.source, tokens.target, written(tokens) if expected is None else expected)
    return log_p(logits[: len(ids)].numpy(), np.array(ids))
