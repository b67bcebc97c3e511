"""Compares two models, or two recorded passes: their passes over one text, their vocabularies and their weights.

One side may be the folder of a LoRA adapter: that is the other side's model with the adapter.
"""

from pathlib import Path

import attrs

from explorer.engine.compute import Computer
from explorer.engine.errands.weight_changes import Weighed, paired, weighed, weight_difference
from explorer.engine.passes.recorded import RecordedFiles
from explorer.engine.request import Request
from explorer.engine.sources.source import never, silent
from explorer.engine.sources.sources import Sources
from explorer.errors import AdapterAsPreset, RecordedOnly
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.found.difference import Difference
from explorer.trace.found.differing import difference_of, vocabularies_beside
from explorer.trace.measures.apart import TOLERANCE
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace

_OF_PASSES = 0.2  # the share of the work that the passes are, in the progress


@attrs.frozen(eq=False)
class ComparedSide:
    """One of the two: a recorded pass, or the model of a Wish, or a model that the caller holds with its pass, if it made one.

    `name` is what it is called.
    """

    name: str
    trace: Trace | None = None
    wish: Wish | None = None
    held: Weighed | None = None

    @property
    def recorded(self) -> bool:
        """Whether there is no model."""
        return self.wish is None and self.held is None


def sides_named(first: str, second: str) -> tuple[ComparedSide, ComparedSide]:
    """What two names mean: presets, folders, GGUF files, adapters of the other one's model, or files of recorded passes.

    Raises UnknownPreset, BadFile.
    """
    names, adapters = (first, second), ["", ""]
    for place, name in enumerate(names):
        try:
            load_preset(name)
        except AdapterAsPreset:
            adapters[place] = name
            load_preset(names[1 - place])  # Of two adapters the model is not known: this raises the same error.
    one, other = (_side(names[1 - n] if adapters[n] else names[n], adapters[n], names[n]) for n in (0, 1))
    return one, other


def _side(preset: str, adapter: str, name: str) -> ComparedSide:
    recorded = load_preset(preset).recorded
    if recorded is None:
        return ComparedSide(name, wish=attrs.evolve(Wish.from_preset(preset), adapter=adapter))
    return ComparedSide(name, trace=RecordedFiles().trace(Path(preset)))


def compared(
    computer: Computer,
    sides: tuple[ComparedSide, ComparedSide],
    text: str | None = None,
    *,
    target: str | None = None,
    tolerance: float = TOLERANCE,
    stop: Stop = never,
    progress: Progress = silent,
) -> Difference:
    """Where the two differ. A model beside a recorded pass reads its text; without any text two models make no pass.

    Raises RecordedOnly for a text beside a recorded pass, ExplorerError, Superseded.
    """
    sources = computer.sources, computer.sources.beside()
    names, traces = (sides[0].name, sides[1].name), _traces(computer, sides, text, target, stop)
    found = Difference(names=names, tolerance=tolerance)
    if traces is not None:
        found = difference_of(*traces, names, tolerance, stop)
    elif not any(side.recorded for side in sides):
        found = attrs.evolve(found, vocabularies=vocabularies_beside(*map(_symbols, sources, sides)))
    if any(side.recorded for side in sides):
        return found
    one, other = (_weighed(own, side, stop) for own, side in zip(sources, sides, strict=True))
    pairs, weights = paired(one, other).pairs, []
    for number, pair in enumerate(pairs):
        progress(_OF_PASSES + (1 - _OF_PASSES) * number / len(pairs))
        weights.append(weight_difference(one, other, pair, tolerance, stop))
    return attrs.evolve(found, weights=tuple(weights))


def _traces(
    computer: Computer, sides: tuple[ComparedSide, ComparedSide], text: str | None, target: str | None, stop: Stop
) -> tuple[Trace, Trace] | None:
    """The passes of both sides over one text; None where there is no text."""
    recorded = next((side for side in sides if side.recorded), None)
    if recorded is not None and text is not None:
        raise RecordedOnly(path=recorded.name)
    given = text if recorded is None else recorded.trace

    def of(side: ComparedSide) -> Trace | None:
        if side.trace is not None or side.wish is None or given is None:
            return side.trace
        return computer(Request(wish=_reading(side.wish, given, target)), stop).trace

    first, second = map(of, sides)
    return None if first is None or second is None else (first, second)


def _reading(wish: Wish, given: str | Trace, target: str | None) -> Wish:
    """The Wish for a text, or for that of a recorded pass, with its target."""
    if isinstance(given, str):
        return attrs.evolve(wish, text=given, target=target)
    typed = given.target if given.card.architecture == "encoder-decoder" else None
    return attrs.evolve(wish, text=given.source or given.target, target=typed, chat=bool(given.prompt))


def _weighed(sources: Sources, side: ComparedSide, stop: Stop) -> Weighed:
    if side.held is not None:
        return side.held
    assert side.wish is not None  # The caller has looked.
    return weighed(sources, side.wish, stop)


def _symbols(sources: Sources, side: ComparedSide) -> tuple[str, ...]:
    if side.wish is None:
        return ()
    return sources.of(side.wish).symbols(side.wish.config, Tokens())
