"""Whether the numbers of a Trace can be: finite but for what a mask closed, and rows of weights that sum to 1."""

import numpy as np

from explorer.trace.trace import Trace
from tests.fuzz.trial import Trial

_APART = 1e-4


def check(trace: Trace, trial: Trial) -> None:
    """Say what cannot be. Where a mask of -inf closes a whole row there is no softmax, and all behind it is NaN by right."""
    if any(_has_closed_row(trace.arrays[name]) for name in trace.arrays if name.endswith(".masked")):
        return
    for name, array in trace.arrays.items():
        if array.shape != tuple(trace.shape(name)) or array.ndim != len(trace.axes(name)):
            trial.bad(f"shape of a tap: {name} {array.shape} {trace.axes(name)}", "")
        fine = np.isfinite(array) | np.isneginf(array) if name.endswith(".masked") else np.isfinite(array)
        if not fine.all():
            trial.bad(f"not finite: {name} {_named(array)} in {trace.config}", name.rpartition(".")[2])
            return  # what follows has it from here
        if name.endswith(".weights"):
            apart = np.abs(array.sum(-1, dtype=np.float64) - 1).max(initial=0.0)
            if apart > _APART:
                trial.bad(f"weights do not sum to 1: {name} {apart:.3g} apart in {trace.config}", "weights")


def check_tokens(trace: Trace, trial: Trial) -> None:
    """Each token stands where it says."""
    for side, text in (("source", trace.source), ("target", trace.target)):
        for token in getattr(trace.tokens, side):
            if not 0 <= token.start <= token.end <= len(text):
                trial.bad(f"a token outside its text: {token} in {text!r}", side)
            elif token.id < 0:
                trial.bad(f"an id below 0: {token}", side)


def _has_closed_row(masked: np.ndarray) -> bool:
    return bool(np.isneginf(masked).all(-1).any())


def _named(array: np.ndarray) -> str:
    return f"{np.isnan(array).sum()} NaN, {np.isinf(array).sum()} ∞ of {array.size}"
