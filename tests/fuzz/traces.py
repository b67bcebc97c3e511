"""Whether the numbers of a Trace can be: finite but for what a mask closed, and rows of weights that sum to 1."""

import csv
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import regex

from explorer.errors import ExplorerError
from explorer.trace.trace import Trace
from tests.fuzz.trial import Trial

_APART = 1e-4
# What steers a terminal or turns the order of letters, and half of a letter, which no file can hold.
_UNFIT = regex.compile(r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}--\n]", regex.V1)
_FORMULA = re.compile(r"[=@+\-\t\r]")


def check(trace: Trace, trial: Trial) -> None:
    """Say what cannot be. Where a mask of -inf closes a whole row there is no softmax, and all behind it is NaN by right."""
    if any(_has_closed_row(trace.arrays[name]) for name in trace.arrays if name.endswith(".masked")):
        return
    if trace.config.masking == "inverted" and trace.config.mask_value == "-inf" and trace.maps:
        return  # The last query sees no key at all, and of large maps the masked scores are not among the arrays.
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


def check_finite(trace: Trace, trial: Trial) -> None:
    """Say that numbers are none which nobody was told of."""
    spoiled = [name for name in trace.arrays if np.isnan(trace.arrays[name]).any()]
    if spoiled:
        trial.bad(f"NaN without a word: {len(spoiled)} of {len(trace.arrays)} taps, first {spoiled[0]}", "NaN")


def check_said(trace: Trace, trial: Trial) -> None:
    """What a notebook shows of it can be printed and encoded."""
    check_text(repr(trace), trial, "repr of a trace")
    check_text(repr(trace.tokens), trial, "repr of tokens")
    present = Trace.presented_by
    assert present is not None  # `explorer` sets it.
    with suppress(ExplorerError):  # Then the notebook shows the text.
        present().framed(trace).encode()


def check_text(said: str, trial: Trial, what: str) -> None:
    """A text for a terminal."""
    if found := _UNFIT.search(said):
        trial.bad(f"control characters in the {what}: {found[0]!r}", what)


def check_cells(path: Path, trial: Trial) -> None:
    """No text of a CSV is a formula to a spreadsheet."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            for cell in row:
                if _FORMULA.match(cell) and not _is_number(cell):
                    trial.bad(f"a formula in a CSV: {cell!r}", path.name)
                    return


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
