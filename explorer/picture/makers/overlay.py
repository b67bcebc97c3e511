"""Several heads whose lines lie over one another, each with its own weights."""

from collections.abc import Callable

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Alignment, HeadLines
from explorer.picture.picture import Origin
from explorer.state.look import Look

MOST_LINES = 4096
_LISTED = 4  # heads that a title names


def overlaid(look: Look, words: Words, lines_of: Callable[[Look], Alignment], titled: Callable[[str], str]) -> Alignment:
    """The lines of all heads that are drawn: `lines_of` makes those of one Look, and `titled` a title that names the heads.

    Raises what `lines_of` raises.
    """
    heads = look.drawn_heads()
    if len(heads) < 2:
        return lines_of(look)
    made = {head: lines_of(attrs.evolve(look, head=head, overlaid=())) for head in heads}
    chosen = made[look.head]
    origin: Origin = "recorded" if all(each.recorded is not None for each in made.values()) else "computed"
    named = " ".join(f"H{head}" for head in heads) if len(heads) <= _LISTED else words("heads.count", count=len(heads))
    return attrs.evolve(
        chosen,
        # m[q,k] = max_h A_h[q,k] over the heads that are drawn; a closed cell stays NaN.
        values=np.fmax.reduce([each.values for each in made.values()]),
        recorded=None,
        head=None,
        overlaid=tuple(HeadLines(head, each.values, each.recorded) for head, each in made.items()),
        caption=attrs.evolve(
            chosen.caption,
            title=titled(words("heads.overlaid", layer=look.layer, heads=named)),
            formula="A<sub>h</sub>",
            origin=origin,
        ),
    )


def strongest(made: Alignment, words: Words) -> Alignment:
    """The picture with its strongest lines alone where there are many; the note says how many are left."""
    layers = [each.values for each in made.overlaid] or [made.values]
    n_lines = sum(each.size for each in layers)
    if n_lines <= MOST_LINES:
        return made
    # The weight that so many others do not reach.
    every = np.nan_to_num(np.concatenate([each.ravel() for each in layers]), nan=0.0)
    least = np.partition(every, n_lines - MOST_LINES)[-MOST_LINES]
    left = [np.where(each >= least, each, np.float32(np.nan)) for each in layers]
    note = words("heads.strongest", count=int(sum(np.isfinite(each).sum() for each in left)))
    notes = "  ".join(filter(None, (made.caption.note, note)))
    heads = tuple(HeadLines(each.head, values) for each, values in zip(made.overlaid, left, strict=False))
    return attrs.evolve(
        made,
        values=np.fmax.reduce(left),
        overlaid=heads,
        recorded=None,
        caption=attrs.evolve(made.caption, origin="computed", note=notes),
    )
