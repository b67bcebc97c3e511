"""Why an experiment has no picture with a model, in the sentence of its error."""

from explorer.lang import Words
from explorer.trace.findings import NotMade
from explorer.trace.trace import Trace


def why_not_made(trace: Trace, words: Words, *names: str) -> str:
    """Why the first of these experiments cannot be made with the model, in a sentence; "" where it can be."""
    found = [trace.experiments.get(name) for name in names]
    return next((words.error(each.error) for each in found if isinstance(each, NotMade)), "")
