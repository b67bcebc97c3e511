"""An Account outside the window: its sums as SVG, every term as a table, and the largest in words."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Account
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.account import account
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.sums import as_array, largest_first, told
from explorer.picture.tables import Table

_WIDE, _LEAST, _ROW_PX, _AROUND_PX, _MOST_PX = 760.0, 340.0, 22.0, 160.0, 900.0
_TOLD = 3  # terms that the description names


def draw_account(drawing: Drawing, picture: Account, top: float) -> None:
    """Draw the waterfall or the list."""
    sums = picture.sums
    n_rows = len(sums.terms) or sum(len(group.rows) for group in sums.groups)
    high = min(_MOST_PX, _AROUND_PX + _ROW_PX * n_rows)
    sketch = Sketch(drawing.theme, picture.signed_colours, measured)
    wide = drawing.filling(_WIDE, _LEAST)
    account(sketch, sums, drawing.words, Rect(0, top, wide, high))
    write_marks(drawing, sketch.marks)
    drawing.reach(wide, top + high)


def _tables(picture: Account) -> Iterator[Table]:
    """A row for each term: its share, and its two factors where it has them. Without an exact sum there are no shares."""
    sums = picture.sums
    if not sums.exact:
        return
    terms = sums.terms or tuple(term for group in sums.groups for row in group.rows for term in row.terms)
    columns, names = [as_array(terms)], ["share"]
    if sums.factors is not None:
        factors = np.array([term.factors for term in terms], np.float64)
        columns, names = [*columns, factors[:, 0], factors[:, 1]], [*names, *sums.factors]
    way = ".".join(["why", *(link.label for link in sums.trail[1:])]).replace(" ", "_")
    labels = tuple(term.label for term in terms)
    yield Table(
        f"generator.logits.{way}", np.stack(columns, axis=1), Axis("part", labels), Axis("of", tuple(names)), picture.head
    )


def _described(picture: Account, words: Words) -> str:
    sums = picture.sums
    if not sums.exact:
        return words("why.inexact", difference=f"{sums.difference:.4f}", count=sums.n_parts, total=f"{sums.total:.4f}")
    terms = sums.terms or largest_first(term for group in sums.groups for row in group.rows for term in row.terms)
    way = " › ".join(f"{link.label} {link.figure}" for link in sums.trail)
    chain = " ".join(f"{link.sign} {link.label} {link.figure}".strip() for link in sums.chain)
    first = ", ".join(f"{term.label} {told(term.value, sums.digits)}" for term in terms[:_TOLD])
    return "\n".join(line for line in (picture.caption.title, way, chain, first) if line)


ACCOUNT = Kind(draw_account, _tables, _described)
