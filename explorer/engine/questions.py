"""What library and command line ask: each question is a Request with its experiment, or an errand that is done at once."""

from collections.abc import Sequence
from typing import TypeVar

import attrs

from explorer.engine.compute import Computer
from explorer.engine.errand import FindBreaks
from explorer.engine.rehearsal import check_can_break
from explorer.engine.request import Request
from explorer.engine.sources.source import never, silent
from explorer.errors import ExplorerError, NoOtherText, NoSuchPart, TooLongForEffects, TooLongToPatch, bare
from explorer.presets import load_own_preset
from explorer.state.focus import Focus
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.found.consequences import Break, Breaks
from explorer.trace.found.effects import Edges, Effects
from explorer.trace.found.findings import NotMade
from explorer.trace.found.patching import Patching
from explorer.trace.found.saliency import Saliency
from explorer.trace.trace import Trace

T = TypeVar("T")
_ALL_ROWS = 2**31


def patching(computer: Computer, request: Request, stop: Stop = never, progress: Progress = silent) -> Patching:
    """How far numbers of the Wish's other sentence bring its answer back. Raises CannotPatch, ExplorerError, Superseded."""
    if not request.wish.other.strip():
        raise NoOtherText
    trace = computer(request.asking(experiments=frozenset({"patching"})), stop, progress).trace
    return _found(trace, "patching", Patching, TooLongToPatch)


def saliency(computer: Computer, request: Request, stop: Stop = never, progress: Progress = silent) -> Saliency:
    """What gradients say of each token for each word. Raises TooLongToPatch, ExplorerError, Superseded."""
    trace = computer(request.asking(experiments=frozenset({"saliency"})), stop, progress).trace
    return _found(trace, "saliency", Saliency, TooLongToPatch)


def effects(computer: Computer, request: Request, stop: Stop = never, progress: Progress = silent) -> Effects:
    """What each part of the model does to each word of one pass; with a head in focus, also what each of its cells does.

    Raises ExplorerError, so TooLongForEffects and NoSuchPart; Superseded.
    """
    return effects_in(computer(asking_effects(request), stop, progress).trace, request.detail.focus)


def asking_effects(request: Request) -> Request:
    """The same request with all effects asked for, all of them exact, and those of the cells of the head in focus."""
    focus = attrs.evolve(request.detail.focus, head_rows=0, edge_rows=_ALL_ROWS)
    return request.asking(experiments=frozenset({"effects_exact", *(["edges"] if focus.attention else [])}), focus=focus)


def effects_in(trace: Trace, focus: Focus) -> Effects:
    """The effects in the answer to `asking_effects`. Raises TooLongForEffects, NoSuchPart, and why the model has none."""
    found = _found(trace, "effects_exact", Effects, TooLongForEffects)
    if not focus.attention:
        return found
    edges = trace.experiments.get("edges")
    if not isinstance(edges, Edges):
        raise NoSuchPart(got=focus.named, part=" ".join(trace.card.attentions))
    return attrs.evolve(found, edges=edges)


def _found(trace: Trace, key: str, kind: type[T], too_long: type[ExplorerError]) -> T:
    """What an experiment found. Raises why the model can have none, and `too_long` where whole maps were not kept."""
    found = trace.experiments.get(key)
    if isinstance(found, NotMade):
        raise bare(found.error)
    if not isinstance(found, kind):
        raise too_long(n_tokens=max(len(trace.tokens.source), len(trace.tokens.target)))
    return found


def breaks(computer: Computer, wish: Wish, sentences: Sequence[str], stop: Stop = never, progress: Progress = silent) -> Breaks:
    """What the changes of a Wish do to many sentences.

    Raises NothingChanged, WritesNothing, UnknownPreset, NotOwnModel, Superseded.
    """
    load_own_preset(wish.preset)
    check_can_break(wish)
    errand, found = FindBreaks(wish=wish, sentences=tuple(sentences)), Breaks()
    for number in range(errand.n_pieces):
        one = computer.piece(errand, number, stop).found
        found = found.with_one(one if isinstance(one, Break) else None)
        progress((number + 1) / errand.n_pieces)
    return found
