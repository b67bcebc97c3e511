"""The effects of all parts, exact also where that takes long: all at once, or row by row in place of the estimates."""

import attrs
import torch

from explorer.engine.experiments.ablations import heads_of
from explorer.engine.experiments.asking import found_in
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.sweep import estimates, places_of, swept, takes_long
from explorer.engine.experiments.trials import Trials
from explorer.engine.request import Request
from explorer.errors import NoSuchPart
from explorer.state.focus import Focus
from explorer.trace.arrays import frozen_array
from explorer.trace.found.effects import Edges, Effects
from explorer.trace.found.experiments import EFFECTS_EXACT
from explorer.trace.trace import Trace

_ROW = EFFECTS_EXACT
_ALL_ROWS = 2**31


def effects_exact(inquiry: Inquiry) -> Effects:
    """Ablate each part of the model alone: every head, or those of the rows that the Focus names. Raises Superseded.

    Where all at once take long, the estimates that stood in for the effects of heads are given too.
    """
    before = inquiry.before
    if isinstance(before, Effects) and before.exact:
        return before
    if inquiry.focus.head_rows:
        begun = before if isinstance(before, Effects) else swept(inquiry, exact=not takes_long(inquiry.card, inquiry.tokens))
        return begun if begun.exact else _exact_heads(inquiry, begun, inquiry.focus.head_rows)
    found = swept(inquiry, exact=True)
    return (
        attrs.evolve(found, estimates=estimates(inquiry, found.word_ids)) if takes_long(inquiry.card, inquiry.tokens) else found
    )


def asking_effects(request: Request) -> Request:
    """The same request with all effects asked for, all of them exact, and those of the cells of the head in focus."""
    focus = attrs.evolve(request.detail.focus, head_rows=0, edge_rows=_ALL_ROWS)
    keys = {_ROW.key, *([_ROW.of_head] if focus.attention else [])}
    return request.asking(experiments=frozenset(keys), focus=focus)


def effects_in(trace: Trace, focus: Focus) -> Effects:
    """The effects in the answer to `asking_effects`; with a head in focus, also what each of its cells does.

    Raises TooLongForEffects, NoSuchPart, and why the model has none.
    """
    found = found_in(trace, _ROW.key, Effects)
    if not focus.attention:
        return found
    edges = trace.experiments.get(_ROW.of_head)
    if not isinstance(edges, Edges):
        raise NoSuchPart(got=focus.named, part=" ".join(trace.card.attentions))
    return attrs.evolve(found, edges=edges)


def _exact_heads(bench: Bench, found: Effects, upto: int) -> Effects:
    """Estimated effects with exact ones in the first `upto` rows [attention and layer]; in the last step, all are exact.

    Raises Superseded.
    """
    n_layers, n_rows = found.heads.shape[1], found.heads.shape[0] * found.heads.shape[1]
    upto = min(upto, n_rows)
    some = [one for one in heads_of(bench.card) if found.exact_rows <= one.first * n_layers + one.layer < upto]
    with torch.inference_mode():
        exact = Trials(bench).effects([one.trial for one in some])  # [head, word]
    heads = found.heads.copy()
    heads[places_of(some)] = exact.numpy()
    return attrs.evolve(
        found,
        heads=frozen_array(heads),
        estimates=found.heads if found.estimates is None else found.estimates,
        exact_rows=upto,
        exact=upto == n_rows,
    )


MAKE = effects_exact
