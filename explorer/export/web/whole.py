"""The pictures of a whole pass for one page: the river, and the wall of all heads of each attention."""

from collections.abc import Iterator
from contextlib import suppress

import attrs

from explorer.errors import NotKept, UnknownTap
from explorer.lang import Words
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.river import river
from explorer.picture.picture import Picture, marked
from explorer.state.look import Look, attentions
from explorer.trace.measures.opening_head import opening_head
from explorer.trace.trace import Trace


def opening_look(trace: Trace) -> Look:
    """The Look at the head that is most worth a look, as at the first start of the window."""
    look = Look().fitted(trace)
    found = opening_head(trace) if trace.trained else None
    return look if found is None else attrs.evolve(look, attention=found.attention, layer=found.layer, head=found.head)


def pictures_of(trace: Trace, look: Look, words: Words) -> tuple[Picture, ...]:
    """All pictures of the pass; a foreign model, or a long text, may lack some."""
    return tuple(marked(each, trace) for each in _pictures(trace, look, words))


def _pictures(trace: Trace, look: Look, words: Words) -> Iterator[Picture]:
    offered = attentions(trace)
    with suppress(NotKept, UnknownTap):  # The walls below need fewer taps.
        yield river(trace, attrs.evolve(look, opened=""), words)
    for attention in offered:
        seen = attrs.evolve(look, attention=attention, layer=0, head=0, stage="weights")
        with suppress(NotKept, UnknownTap):
            yield attrs.evolve(head_wall(trace, seen, words), chosen=None)
