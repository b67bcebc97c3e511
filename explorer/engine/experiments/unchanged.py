"""The pass as it would be without changes, beside the changed pass over the same tokens."""

from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.passes.pass_recorder import ready_model, recorded_pass
from explorer.engine.recording.keep_plan import EVERYTHING
from explorer.engine.sources.source import Sentence
from explorer.state import breaks
from explorer.trace.found.findings import Unchanged


def unchanged(inquiry: Inquiry) -> Unchanged | None:
    """Both passes; None where nothing is changed. Raises ExplorerError, Superseded."""
    wish, origin, stop = inquiry.wish, inquiry.origin, inquiry.stop
    if not wish.changes and not breaks.broken(wish.config, wish.preset):
        return None
    before = inquiry.second.trace(breaks.unchanged(wish), stop, inquiry.progress)
    sentence = Sentence(before.tokens, before.target)
    model = ready_model(origin, wish, sentence, stop, inquiry.progress)
    return Unchanged(before, recorded_pass(origin, model, wish, sentence, EVERYTHING, inquiry.changing, stop))


MAKE = unchanged
