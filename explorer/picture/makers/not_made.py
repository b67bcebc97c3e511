"""What an experiment found, or why it cannot be made with a model."""

from typing import TypeVar

from explorer.errors import bare
from explorer.lang import Words
from explorer.trace.found.findings import NotMade
from explorer.trace.trace import Trace

T = TypeVar("T")


def finding(trace: Trace, name: str, kind: type[T]) -> T | None:
    """What an experiment found; None while it is computed. Raises LacksTap where the model can have none."""
    found = trace.experiments.get(name)
    if isinstance(found, NotMade):
        raise bare(found.error)
    return found if isinstance(found, kind) else None


def why_not_made(trace: Trace, words: Words, *names: str) -> str:
    """Why the first of these experiments cannot be made with the model, in a sentence; "" where it can be."""
    found = [trace.experiments.get(name) for name in names]
    return next((words.error(each.error) for each in found if isinstance(each, NotMade)), "")
