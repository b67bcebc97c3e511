"""What a step comes to on a recorded pass: each claim with the true number beside it, and whether an answer is right."""

import re
from collections.abc import Mapping

import attrs
import numpy as np

from explorer.errors import BadFormula
from explorer.lessons.formula import Scope, Value, evaluate
from explorer.lessons.functions import PLAIN, of_trace
from explorer.lessons.lesson import Cells, Claim, Step
from explorer.trace.trace import Trace

_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_FRACTION = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@attrs.frozen(eq=False)
class Finding:
    """A claim, the true value, and the largest difference from what is printed; None where nothing is."""

    claim: Claim
    true: Value
    difference: float | None

    @property
    def agrees(self) -> bool:
        """True: the text prints the true number, to the claim's tolerance."""
        return self.difference is None or self.difference <= self.claim.tolerance


def scope_of(trace: Trace, given: Mapping[str, Cells]) -> Scope:
    """All names that the formulas of a step may use; `given` matrices as the reader has changed them."""
    return {**PLAIN, **of_trace(trace), **{name: np.asarray(cells, np.float64) for name, cells in given.items()}}


def findings(step: Step, trace: Trace, given: Mapping[str, Cells] | None = None) -> tuple[Finding, ...]:
    """Every claim of a step beside its truth. Raises BadFormula where a formula does not fit the pass."""
    scope = scope_of(trace, step.given if given is None else given)
    return tuple(_finding(claim, evaluate(claim.true, scope)) for claim in step.claims)


def _finding(claim: Claim, true: Value) -> Finding:
    if claim.printed is None:
        return Finding(claim, true, None)
    if claim.printed.shape != true.shape:
        raise BadFormula(formula=claim.true, reason=f"{list(claim.printed.shape)} ≠ {list(true.shape)}")
    apart = np.abs(claim.printed - true)
    same = (claim.printed == true) | (np.isnan(claim.printed) & np.isnan(true))  # infinities and NaN agree with themselves
    return Finding(claim, true, float(np.where(same, 0.0, apart).max(initial=0.0)))


def numbers(text: str) -> list[float]:
    """The numbers that somebody typed, whatever stands between them. A fraction is one number; any minus counts."""
    plain = text.replace("\N{MINUS SIGN}", "-").replace("\N{FULLWIDTH HYPHEN-MINUS}", "-").translate(_FULL_WIDTH)
    plain = _FRACTION.sub(_quotient, _GROUPED.sub("", plain))
    return [float(each) for each in _NUMBER.findall(plain)]


def _quotient(found: re.Match[str]) -> str:
    """1/8 as one number; what cannot be divided stays two."""
    return found[0] if float(found[2]) == 0 else repr(float(found[1]) / float(found[2]))


_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)} | {ord("．"): ".", ord("。"): ".", ord("，"): ","}


def is_right(typed: str, truth: Value, tolerance: float) -> bool:
    """Whether the numbers typed are those of the truth, in its order, each to the tolerance (of its size if above 1)."""
    got, wanted = numbers(typed), truth.ravel()
    return len(got) == len(wanted) and all(
        abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(got, wanted, strict=True))
