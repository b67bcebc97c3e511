"""What a Request's patches take from other texts: passes of the same model, made before its own."""

from collections.abc import Callable

from explorer.engine.change_checks import Lengths, check_changes
from explorer.engine.changing import Changing
from explorer.engine.request import Request
from explorer.stops import Progress, Stop
from explorer.trace.trace import Trace

MakePass = Callable[[Request, frozenset[str], Stop, Progress], Trace]
"""The pass of a Request with at least these taps kept."""


class Lender:
    """Makes a Request's changes ready. The passes that the last one was patched with serve again."""

    def __init__(self, make_pass: MakePass) -> None:
        self._make_pass = make_pass
        self._passes: dict[Request, Trace] = {}

    def changing(self, request: Request, n_source: int, stop: Stop, progress: Progress) -> Changing:
        """The changes of a Request whose text has `n_source` tokens. Raises what `check_changes` does, as far as that can be
        told before its target is known, and Superseded.
        """
        if not request.changes:
            self._passes = {}
            return Changing()
        lengths = _lengths(request, n_source)
        check_changes(request.changes, request.config, lengths, {})
        by_text = self._lent(request, stop, progress)
        lent = {change: by_text[change.text].arrays[change.tap] for change in request.changes if change.text is not None}
        changing = Changing(request.changes, lent, key=(request.changes, *self._passes))
        check_changes(request.changes, request.config, lengths, changing.lent_shapes())
        return changing

    def _lent(self, request: Request, stop: Stop, progress: Progress) -> dict[str, Trace]:
        """By text the pass over it."""
        taps: dict[str, set[str]] = {}
        for change in request.changes:
            if change.text is not None:
                taps.setdefault(change.text, set()).add(change.tap)
        kept, self._passes = self._passes, {}
        for text, wanted in taps.items():
            other = request.of_text(text)
            trace = kept.get(other)
            if trace is None or not wanted <= set(trace.arrays):
                trace = self._make_pass(other, frozenset(wanted), stop, progress)
            self._passes[other] = trace
        return {other.text: trace for other, trace in self._passes.items()}


def _lengths(request: Request, n_source: int) -> Lengths:
    architecture = request.config.architecture
    if architecture == "decoder-only":
        return Lengths(0, n_source)
    return Lengths(n_source, 0 if architecture == "encoder-only" else None)
