"""The calculation of one cell, written out with its numbers: a sum of products, a quotient or a softmax row.

It belongs to the map of one head, or to all heads of an attention, of which `of_head` takes one.
"""

from typing import Literal

import attrs

from explorer.config import MASK_VALUES
from explorer.lang import Words
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace

_MOST_TERMS = 8


@attrs.frozen(kw_only=True, eq=False)
class Arithmetic:
    """The matrices that a map was computed from, and how.

    A cell [r, c] of each kind is: product Σ_i left[r, i]·right[i, c] + bias[c]; quotient left[r, c] / divisor; softmax
    e^left[r, c] / Σ_i e^left[r, i]. The matrices of all heads are [head, r, i] and [head, i, c]; `group` heads of the left
    side share one of the right side.
    """

    kind: Literal["product", "quotient", "softmax"]
    left: Array
    right: Array | None = None
    bias: Array | None = None
    divisor: float = 1.0
    group: int = 1

    def of_head(self, head: int) -> "Arithmetic":
        """The calculation of one head, from that of all heads."""
        right = None if self.right is None else self.right[head // self.group]
        return attrs.evolve(self, left=self.left[head], right=right, group=1)


def of_stage(trace: Trace, look: Look, stage: str) -> Arithmetic | None:
    """The calculation behind the chosen head's map at this stage; None where it is not one of the three kinds.

    Raises NotKept.
    """
    made = of_heads(trace, look.attention_tap(stage))
    return None if made is None else made.of_head(look.head)


def of_heads(trace: Trace, path: str) -> Arithmetic | None:
    """The calculation behind all heads' maps of an attention's tap, if it is one of the three kinds. Raises NotKept."""
    base, _, stage = path.rpartition(".")
    card, side = trace.card, trace.card.side(base)
    group = side.n_heads // side.n_kv_heads

    def tap(name: str) -> Array:
        array: Array = trace[f"{base}.{name}"]
        return array

    if stage == "scores":
        return Arithmetic(kind="product", left=tap("query"), right=tap("key").swapaxes(1, 2), group=group)
    if stage == "scaled":  # ALiBi adds its bias after this tap.
        return Arithmetic(kind="quotient", left=tap("scores"), divisor=card.score_divisor)
    if stage == "weights":
        return Arithmetic(kind="softmax", left=tap("masked"))
    if stage == "mixed":
        return Arithmetic(kind="product", left=tap("dropped"), right=tap("value"), group=group)
    return None


def written_out(made_of: Arithmetic, row: int, column: int, value: str, words: Words) -> str:
    """One cell as an equation: its terms, at most eight of them, and its value."""
    if made_of.kind == "quotient":
        return f"{_figure(made_of.left[row, column])} / {_figure(made_of.divisor)} = {value}"
    if made_of.kind == "softmax":
        scores = made_of.left[row]
        shown = [f"e^{_figure(score)}" for score in scores[:_MOST_TERMS]]
        return f"e^{_figure(scores[column])} / ({' + '.join(shown)}{_rest(len(scores), words)}) = {value}"
    assert made_of.right is not None  # A product always has a right side.
    pairs = zip(made_of.left[row][:_MOST_TERMS], made_of.right[:, column][:_MOST_TERMS], strict=True)
    terms = " + ".join(f"{_figure(a)}·{_figure(b)}" for a, b in pairs)
    bias = "" if made_of.bias is None else f" + {_figure(made_of.bias[column])}"
    return f"{terms}{_rest(made_of.left.shape[1], words)}{bias} = {value}"


def _rest(n: int, words: Words) -> str:
    return "" if n <= _MOST_TERMS else f" + {words('arithmetic.more', count=n - _MOST_TERMS)}"


def _figure(value: float) -> str:
    number = float(value)
    for name, closed in MASK_VALUES.items():
        if number == closed:
            return f"({name.replace('-', '−').replace('inf', '∞')})"
    text = f"{abs(number):.3g}"
    return f"(−{text})" if number < 0 else text
