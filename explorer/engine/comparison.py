"""Compares two models, or two recorded passes: their passes over one text, their vocabularies and their weights.

A side may be the folder of a LoRA adapter: that is the other side's model with the adapter. Two adapters, and one beside a
recorded pass, are put on a base that is given, or on the one that their settings name.

Decision: a base that settings name is looked up in the Hugging Face cache alone. Rejected: to open any path in them, since
strangers write adapters.
"""

from collections.abc import Sequence
from pathlib import Path

import attrs

from explorer.engine.compute import Computer
from explorer.engine.errands.weight_changes import Weighed, paired, weighed, weight_difference
from explorer.engine.passes.recorded import RecordedFiles
from explorer.engine.request import Request
from explorer.engine.sources.source import never, silent
from explorer.engine.sources.sources import Sources
from explorer.errors import AdapterAsPreset, AdapterNeedsModel, AdaptersOfOthers, BaseNotThere, BaseWithoutAdapter, RecordedOnly
from explorer.model_places import base_of, cached_model
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

    @property
    def base(self) -> str:
        """The model that an adapter is put on; "" where there is no adapter."""
        return self.wish.preset if self.wish is not None and self.wish.adapter else ""


def sides_named(first: str, second: str, base: str = "") -> tuple[ComparedSide, ComparedSide]:
    """What two names mean: presets, folders, GGUF files, adapters, or files of recorded passes.

    An adapter is put on `base`; without one on the other side's model, or on the model that its settings name. Raises
    UnknownPreset, BadFile, BaseNotThere, AdaptersOfOthers, BaseWithoutAdapter.
    """
    names = first, second
    adapters = [name for name in names if _is_adapter(name)]
    if not adapters:
        check_base(base, used=False)
    elif not base:
        others = [name for name in names if name not in adapters and load_preset(name).recorded is None]
        base = others[0] if others else _named_base(adapters)
    one, other = (side_named(name, base) for name in names)
    return one, other


def side_named(name: str, base: str = "") -> ComparedSide:
    """What one name means; an adapter is put on `base`, or on the model that its settings name.

    Raises UnknownPreset, BadFile, BaseNotThere.
    """
    if _is_adapter(name):
        base = base or _named_base((name,))
        if load_preset(base).recorded is not None:
            raise AdapterNeedsModel(path=name)
        return ComparedSide(name, wish=attrs.evolve(Wish.from_preset(base), adapter=name))
    if load_preset(name).recorded is None:
        return ComparedSide(name, wish=Wish.from_preset(name))
    return ComparedSide(name, trace=RecordedFiles().trace(Path(name)))


def check_base(base: str, *, used: bool) -> None:
    """Refuse a base that no adapter is put on. Raises BaseWithoutAdapter."""
    if base and not used:
        raise BaseWithoutAdapter(path=base)


def _is_adapter(name: str) -> bool:
    try:
        load_preset(name)
    except AdapterAsPreset:
        return True
    return False


def _named_base(adapters: Sequence[str]) -> str:
    """The one model that the settings of these adapters name. Raises AdaptersOfOthers, BaseNotThere."""
    bases = [base_of(Path(adapter)) for adapter in adapters]
    if bases[0] != bases[-1]:
        raise AdaptersOfOthers(path=adapters[0], base=bases[0], other=adapters[-1], other_base=bases[-1])
    found = cached_model(bases[0])
    if found is None:
        raise BaseNotThere(path=adapters[0], base=bases[0])
    return str(found)


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
    found = attrs.evolve(found, base=_further_base(sides))
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


def _further_base(sides: tuple[ComparedSide, ComparedSide]) -> str:
    """The base model of the adapters; "" where it is one of the two sides."""
    bases = {side.base for side in sides if side.base}
    models = {side.wish.preset for side in sides if side.wish is not None and not side.base}
    return next(iter(bases - models), "")


def _symbols(sources: Sources, side: ComparedSide) -> tuple[str, ...]:
    if side.wish is None:
        return ()
    return sources.of(side.wish).symbols(side.wish.config, Tokens())
