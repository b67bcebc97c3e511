"""A pass over given words, of which only their log-probabilities are kept: nothing is recorded."""

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.devices import dropout_seeded
from explorer.engine.experiments.bench import Bench, fetched, stop_if
from explorer.engine.threads import threads
from explorer.model.hooks import watched
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.trace.effects import measured_words
from explorer.trace.measures import log_p


def _seeded(bench: Bench) -> AbstractContextManager[None]:
    """Our model's dropout, seeded; somebody's has none in a pass."""
    return dropout_seeded(bench.model.config) if isinstance(bench.model, Transformer) else nullcontext()


def teacher_forced(bench: Bench, changing: Changing) -> NDArray[np.float64]:
    """[word] log p (nats) of the words that are measured, each after the words before it, in the pass with these changes.

    Raises BadChange, NeverReached, Superseded.
    """
    tokens = bench.tokens
    ids, _measured = measured_words(tokens.source, tokens.target, bench.expected)
    torch.set_num_threads(threads(bench.card, max(len(tokens.source), len(tokens.target))))

    def watcher(_tap: Tap, _tensor: Tensor, _first: int | None) -> None:
        stop_if(bench.stop)

    with torch.inference_mode(), _seeded(bench), changing.inside(bench.model), watched(bench.model, watcher):
        logits = bench.runs.logits(1)[0]  # [position, vocab]
    changing.check_reached()
    return log_p(fetched(logits[: len(ids)]).numpy(), np.array(ids))
