"""Checking a step on a recorded pass: its claims against the computed numbers, and the reader's answers."""

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
"""The most characters of an answer; a longer one counts as no answer."""

# A fraction starts only where no digit precedes it, and possessive quantifiers (++ and *+) never backtrack. So the time
# grows with the length of a text and not with its square.
_PLAIN_NUMBER = r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?"
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_COMMA = re.compile(r"(?<=\d)[,，](?=\d)")
_FRACTION = re.compile(rf"(?<![\d.])({_PLAIN_NUMBER})\s*+/\s*+({_PLAIN_NUMBER})")
_NUMBER = re.compile(rf"[-+]?{_PLAIN_NUMBER}")
_NOTHING: Numbers = np.zeros(0)


@attrs.frozen(eq=False)
class Finding:
    """A claim, its computed value, and the largest difference from the printed one; None where nothing is printed.

    The computed value has no cells if the sentence lacks what the claim is about, or if the formula does not fit the pass, for
    the reason `error`.
    """

    claim: Claim
    computed: Numbers
    difference: float | None
    error: ExplorerError | None = None

    @property
    def agrees(self) -> bool:
        """Whether the printed number equals the computed one within the claim's tolerance."""
        return self.computed.size > 0 and (self.difference is None or self.difference <= self.claim.tolerance)


def scope_of(trace: Trace, given: Mapping[str, Cells]) -> Scope:
    """All names that the formulas of a step may use; `given` holds the matrices as the reader has changed them."""
    return {**PLAIN, **of_trace(trace), **{name: np.asarray(cells, np.float64) for name, cells in given.items()}}


def findings(
    step: Step, trace: Trace, given: Mapping[str, Cells] | None = None, stop: Callable[[], bool] = lambda: False
) -> tuple[Finding, ...]:
    """Every claim of a step with its computed value. Once `stop` returns True, the remaining claims are left out."""
    scope = scope_of(trace, step.given if given is None else given)
    return tuple(_finding(claim, scope) for claim in step.claims if not stop())


def _finding(claim: Claim, scope: Scope) -> Finding:
    try:
        true = evaluate(claim.true, scope)
    except NotInSentence:
        return Finding(claim, _NOTHING, None)
    except ExplorerError as error:  # The model lacks the tap, or the sentence is too short.
        return Finding(claim, _NOTHING, None, error)
    if claim.printed is None or not true.size:
        return Finding(claim, true, None)
    if claim.printed.shape != true.shape:
        reason = f"{list(claim.printed.shape)} ≠ {list(true.shape)}"
        return Finding(claim, _NOTHING, None, BadFormula(formula=quoted(claim.true), reason=reason))
    with np.errstate(all="ignore"):
        apart = np.abs(claim.printed - true)
    same = (claim.printed == true) | (np.isnan(claim.printed) & np.isnan(true))  # Infinities and NaN equal themselves.
    return Finding(claim, true, float(np.where(same, 0.0, apart).max(initial=0.0)))


def numbers(text: str) -> list[float]:
    """The numbers in a typed text, with anything between them. A fraction is one number; any minus sign counts."""
    if len(text) > LONGEST_ANSWER:
        return []
    plain = text.replace("\N{MINUS SIGN}", "-").replace("\N{FULLWIDTH HYPHEN-MINUS}", "-").translate(_FULL_WIDTH)
    plain = _FRACTION.sub(_quotient, _GROUPED.sub("", plain))
    return [float(each) for each in _NUMBER.findall(plain)]


def one_number(text: str) -> float | None:
    """The number in a text that holds exactly one, else None. A comma inside it is a decimal point: 0,5 is a half."""
    found = numbers(text)
    if len(found) == 2:
        found = numbers(_COMMA.sub(".", text))
    return found[0] if len(found) == 1 else None


def _quotient(found: re.Match[str]) -> str:
    """A fraction such as 1/8 as one number; one that cannot be divided stays as it is."""
    above, below = float(found[1]), float(found[2])
    return repr(above / below) if below and math.isfinite(above / below) else found[0]


_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)} | {ord("．"): ".", ord("。"): ".", ord("，"): ","}


def is_right(typed: str, truth: Numbers, tolerance: float) -> bool:
    """Whether the typed numbers are the computed ones, in order, to the tolerance (relative for magnitudes above 1)."""
    single = one_number(typed) if truth.size == 1 else None
    got = numbers(typed) if single is None else [single]
    return len(got) == truth.size and all(
        a == b or abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(got, truth.ravel().tolist(), strict=True)
    )
