"""What an experiment came to, for the maker that shows it; and why it came to nothing."""

from typing import TypeVar

from explorer.lang import Words
from explorer.trace.found.findings import NotMade
from explorer.trace.trace import Trace

T = TypeVar("T")


def finding(trace: Trace, name: str, kind: type[T]) -> T | None:
    """The result of an experiment; None while it is computed, and where this model can have none."""
    result = trace.experiments.get(name)
    return result if isinstance(result, kind) else None


def why_not_made(trace: Trace, words: Words, *names: str) -> str:
    """Why the first of these experiments cannot be made with the model, in a sentence; "" where it can be."""
    found = [trace.experiments.get(name) for name in names]
    return next((words.error(each.error) for each in found if isinstance(each, NotMade)), "")
