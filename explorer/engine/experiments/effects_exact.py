"""The effects of all parts, exact also where that takes long: all at once, or row by row in place of the estimates."""

import attrs
import torch

from explorer.engine.experiments.ablations import heads_of
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.sweep import estimates, places_of, swept, takes_long
from explorer.engine.experiments.trials import Trials
from explorer.trace.arrays import frozen_array
from explorer.trace.found.effects import Effects
from explorer.trace.found.experiments import EFFECTS


def effects_exact(inquiry: Inquiry) -> Effects:
    """Ablate each part of the model alone: every head, or those of the rows that the Focus names. Raises Superseded.

    Where all at once take long, the estimates that stood in for the effects of heads are given too.
    """
    before = inquiry.before or inquiry.kept.found(EFFECTS.key)
    if isinstance(before, Effects) and before.exact:
        return before
    if inquiry.focus.head_rows:
        begun = before if isinstance(before, Effects) else swept(inquiry, exact=not takes_long(inquiry.card, inquiry.tokens))
        return begun if begun.exact else _exact_heads(inquiry, begun, inquiry.focus.head_rows)
    found = swept(inquiry, exact=True)
    return (
        attrs.evolve(found, estimates=estimates(inquiry, found.word_ids)) if takes_long(inquiry.card, inquiry.tokens) else found
    )


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
