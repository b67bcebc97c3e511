"""What a step comes to on a recorded pass: each claim with the true number beside it, and whether an answer is right."""

import math
import re
from collections.abc import Callable, Mapping

import attrs
import numpy as np

from explorer.errors import BadFormula, ExplorerError, NotInSentence
from explorer.lessons.cost import quoted
from explorer.lessons.formula import Scope, evaluate
from explorer.lessons.known import PLAIN, of_trace
from explorer.lessons.lesson import Cells, Claim, Step
from explorer.mathematics import Numbers
from explorer.trace.trace import Trace

LONGEST_ANSWER = 64
"""Characters that an answer may have; whatever is longer is no answer."""

# Each begins at a digit before which there is none, and gives nothing back that it took: so the time grows with the length
# of a text, and not with its square.
_PLAIN_NUMBER = r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?"
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_COMMA = re.compile(r"(?<=\d)[,，](?=\d)")
_FRACTION = re.compile(rf"(?<![\d.])({_PLAIN_NUMBER})\s*+/\s*+({_PLAIN_NUMBER})")
_NUMBER = re.compile(rf"[-+]?{_PLAIN_NUMBER}")
_NOTHING: Numbers = np.zeros(0)


@attrs.frozen(eq=False)
class Finding:
    """A claim, the true value, and the largest difference from what is printed; None where nothing is.

    The true value has no cells where the sentence has nothing of what the claim is about, or where `error` tells why the
    formula does not fit the pass.
    """

    claim: Claim
    computed: Numbers
    difference: float | None
    error: ExplorerError | None = None

    @property
    def agrees(self) -> bool:
        """True: the text prints the true number, to the claim's tolerance."""
        return self.computed.size > 0 and (self.difference is None or self.difference <= self.claim.tolerance)


def scope_of(trace: Trace, given: Mapping[str, Cells]) -> Scope:
    """All names that the formulas of a step may use; `given` matrices as the reader has changed them."""
    return {**PLAIN, **of_trace(trace), **{name: np.asarray(cells, np.float64) for name, cells in given.items()}}


def findings(
    step: Step, trace: Trace, given: Mapping[str, Cells] | None = None, stop: Callable[[], bool] = lambda: False
) -> tuple[Finding, ...]:
    """Every claim of a step beside its truth. Where `stop` says so, those behind are left out."""
    scope = scope_of(trace, step.given if given is None else given)
    return tuple(_finding(claim, scope) for claim in step.claims if not stop())


def _finding(claim: Claim, scope: Scope) -> Finding:
    try:
        true = evaluate(claim.true, scope)
    except NotInSentence:
        return Finding(claim, _NOTHING, None)
    except ExplorerError as error:  # a tap that this model lacks, or a sentence too short for it
        return Finding(claim, _NOTHING, None, error)
    if claim.printed is None or not true.size:
        return Finding(claim, true, None)
    if claim.printed.shape != true.shape:
        reason = f"{list(claim.printed.shape)} ≠ {list(true.shape)}"
        return Finding(claim, _NOTHING, None, BadFormula(formula=quoted(claim.true), reason=reason))
    with np.errstate(all="ignore"):
        apart = np.abs(claim.printed - true)
    same = (claim.printed == true) | (np.isnan(claim.printed) & np.isnan(true))  # infinities and NaN agree with themselves
    return Finding(claim, true, float(np.where(same, 0.0, apart).max(initial=0.0)))


def numbers(text: str) -> list[float]:
    """The numbers that somebody typed, whatever stands between them. A fraction is one number; any minus counts."""
    if len(text) > LONGEST_ANSWER:
        return []
    plain = text.replace("\N{MINUS SIGN}", "-").replace("\N{FULLWIDTH HYPHEN-MINUS}", "-").translate(_FULL_WIDTH)
    plain = _FRACTION.sub(_quotient, _GROUPED.sub("", plain))
    return [float(each) for each in _NUMBER.findall(plain)]


def one_number(text: str) -> float | None:
    """The number of a text that holds a single one. A comma in the middle of it is a point: 0,5 is a half."""
    found = numbers(text)
    if len(found) == 2:
        found = numbers(_COMMA.sub(".", text))
    return found[0] if len(found) == 1 else None


def _quotient(found: re.Match[str]) -> str:
    """1/8 as one number; what cannot be divided stays two."""
    above, below = float(found[1]), float(found[2])
    return repr(above / below) if below and math.isfinite(above / below) else found[0]


_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)} | {ord("．"): ".", ord("。"): ".", ord("，"): ","}


def is_right(typed: str, truth: Numbers, tolerance: float) -> bool:
    """Whether the numbers typed are those of the truth, in its order, each to the tolerance (of its size if above 1)."""
    single = one_number(typed) if truth.size == 1 else None
    got = numbers(typed) if single is None else [single]
    return len(got) == truth.size and all(
        a == b or abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(got, truth.ravel().tolist(), strict=True)
    )
