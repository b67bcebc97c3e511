"""What library and command line ask: each question is a Request with its experiment, or an errand that is done at once."""

from collections.abc import Sequence

import attrs

from explorer.engine.compute import Computer
from explorer.engine.errand import FindBreaks
from explorer.engine.rehearsal import check_can_break
from explorer.engine.request import Request
from explorer.engine.sources.source import never, silent
from explorer.errors import NoOtherText, NoSuchPart, TooLongForEffects, TooLongToPatch, bare
from explorer.presets import load_own_preset
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.found.edges import Edges
from explorer.trace.found.effects import Effects
from explorer.trace.found.findings import NotMade
from explorer.trace.found.patching import Patching
from explorer.trace.found.saliency import Saliency
from explorer.trace.found.sentence_breaks import Break, Breaks

_ALL_ROWS = 2**31


def patching(computer: Computer, request: Request, stop: Stop = never, progress: Progress = silent) -> Patching:
    """How far numbers of the Wish's other sentence bring its answer back. Raises CannotPatch, ExplorerError, Superseded."""
    if not request.wish.other.strip():
        raise NoOtherText
    trace = computer(request.asking(experiments=frozenset({"patching"})), stop, progress).trace
    found = trace.experiments.get("patching")
    if isinstance(found, NotMade):
        raise bare(found.error)
    if not isinstance(found, Patching):
        raise TooLongToPatch(n_tokens=max(len(trace.tokens.source), len(trace.tokens.target)))
    return found


def saliency(computer: Computer, request: Request, stop: Stop = never, progress: Progress = silent) -> Saliency:
    """What gradients say of each token for each word. Raises TooLongToPatch, ExplorerError, Superseded."""
    trace = computer(request.asking(experiments=frozenset({"saliency"})), stop, progress).trace
    found = trace.experiments.get("saliency")
    if isinstance(found, NotMade):
        raise bare(found.error)
    if not isinstance(found, Saliency):
        raise TooLongToPatch(n_tokens=max(len(trace.tokens.source), len(trace.tokens.target)))
    return found


def effects(computer: Computer, request: Request, stop: Stop = never, progress: Progress = silent) -> Effects:
    """What each part of the model does to each word of one pass; with a head in focus, also what each of its cells does.

    Raises ExplorerError, so TooLongForEffects and NoSuchPart; Superseded.
    """
    focus = request.detail.focus
    asked = {"effects_exact", "edges"} if focus.attention else {"effects_exact"}
    request = request.asking(experiments=frozenset(asked), focus=attrs.evolve(focus, head_rows=0, edge_rows=_ALL_ROWS))
    trace = computer(request, stop, progress).trace
    found, edges = (trace.experiments.get(name) for name in ("effects_exact", "edges"))
    if isinstance(found, NotMade):
        raise bare(found.error)
    if not isinstance(found, Effects):
        raise TooLongForEffects(n_tokens=max(len(trace.tokens.source), len(trace.tokens.target)))
    if not focus.attention:
        return found
    if not isinstance(edges, Edges):
        raise NoSuchPart(got=focus.named, part=" ".join(trace.card.attentions))
    return attrs.evolve(found, edges=edges)


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
