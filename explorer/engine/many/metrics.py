"""Metrics of a pass: a function of the caller's, or one of those that have a name.

Letters: l are the logits [position, vocab] of a pass, n its last position. A metric by name is about words that the pass as it
is decides, and every ablated or patched pass is asked for the same ones: w is the likeliest token at n, v the second likeliest
one, and w_B the likeliest token at the last position of the other text's pass.

    log-p         the mean of log p over the text's own words: those of the translation, or each next token
    next          log p(w) at n; of a pair of texts log p(w_B)
    difference    l[n, w] − l[n, v]; of a pair of texts l[n, w] − l[n, w_B]
"""

from collections.abc import Callable

import torch
from torch import Tensor

from explorer.engine.experiments.bench import fetched
from explorer.engine.experiments.trials import OfLogits
from explorer.errors import KnobNotAChoice, NotAMetric
from explorer.trace.arrays import Array
from explorer.trace.choices import PAIR_METRICS, PROMPT_METRICS
from explorer.trace.found.effects import measured_words
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens, written

Metric = Callable[[Array, Tokens], float] | str
"""A number from the logits [position, vocab] of a pass and its tokens; or the name of a metric."""


def name_of(metric: Metric) -> str:
    """What a metric is called in files."""
    return metric if isinstance(metric, str) else getattr(metric, "__name__", type(metric).__name__)


def check_metric(metric: Metric, *, pairs: bool = False) -> None:
    """Refuse a name that is no metric. Raises KnobNotAChoice."""
    known = PAIR_METRICS if pairs else PROMPT_METRICS
    if isinstance(metric, str) and metric not in known:
        raise KnobNotAChoice(name="metric", choices=", ".join(known), got=metric)


def of_logits(metric: Metric, tokens: Tokens, card: ModelCard, plain: Tensor, other: Tensor | None = None) -> OfLogits:
    """The metric of a prompt's logits; `plain` [position, vocab] are those of its pass as it is, `other` those of the other
    text's. It raises NotAMetric if the metric gives no number.
    """
    if not isinstance(metric, str):
        return _of_caller(metric, tokens)
    if metric == "log-p":
        return _log_p(_own_words(tokens, card, plain))
    likeliest = plain[-1].topk(min(2, plain.shape[-1])).indices.tolist()
    rival = likeliest[-1] if other is None else int(other[-1].argmax())
    if metric == "difference":
        return lambda logits: float(logits[-1, likeliest[0]] - logits[-1, rival])
    word = likeliest[0] if other is None else rival
    return lambda logits: float(logits[-1].double().log_softmax(-1)[word])


def _own_words(tokens: Tokens, card: ModelCard, plain: Tensor) -> list[int]:
    """The ids whose log-probabilities are measured, that of word i at position i."""
    if card.classes is not None:
        return plain.argmax(dim=-1).tolist()
    return list(measured_words(tokens.source, tokens.target, written(tokens, card.begin, card.end))[0])


def _log_p(ids: list[int]) -> OfLogits:
    def asked(logits: Tensor) -> float:
        # log p[w] = l[w] − log Σ_v exp(l[v])
        rows = logits[: len(ids)].double().log_softmax(-1)  # [word, vocab]
        return float(rows[torch.arange(len(ids)), ids].mean())

    return asked


def _of_caller(metric: Callable[[Array, Tokens], float], tokens: Tokens) -> OfLogits:
    def asked(logits: Tensor) -> float:
        value = metric(fetched(logits).float().numpy(), tokens)
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise NotAMetric(got=type(value).__name__) from error

    return asked
