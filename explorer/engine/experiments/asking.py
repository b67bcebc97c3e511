"""What library and command line ask at once: a Request with one experiment, and what it found."""

from typing import TypeVar

from explorer.engine.passes.second_model import Answers
from explorer.engine.request import Request
from explorer.engine.sources.source import never, silent
from explorer.errors import NoOtherText, bare
from explorer.stops import Progress, Stop
from explorer.trace.found.experiments import EXPERIMENTS
from explorer.trace.found.findings import NotMade
from explorer.trace.trace import Trace

T = TypeVar("T")


def ask(answers: Answers, request: Request, key: str, kind: type[T], stop: Stop = never, progress: Progress = silent) -> T:
    """What an experiment finds about the pass of a Request, a value of the class `kind`.

    Raises NoOtherText for one that compares with another sentence where the Wish has none, like `found_in`, ExplorerError and
    Superseded.
    """
    if EXPERIMENTS[key].other and not request.wish.other.strip():
        raise NoOtherText
    return found_in(answers(request.asking(experiments=frozenset({key})), stop, progress).trace, key, kind)


def found_in(trace: Trace, key: str, kind: type[T]) -> T:
    """What an experiment found. Raises why the model can have none, and its row's `too_long` where no whole maps were kept."""
    found = trace.experiments.get(key)
    if isinstance(found, NotMade):
        raise bare(found.error)
    if not isinstance(found, kind):
        raise EXPERIMENTS[key].too_long(n_tokens=max(len(trace.tokens.source), len(trace.tokens.target)))
    return found
