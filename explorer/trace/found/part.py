"""One part of a sum over the residual stream: what was added to it at one place; and a way into such sums, as text.

"decoder.cross_attn.1.4/0/query/17" leads through a head's part (layer 1, head 4) and its key 0 to feature 17 of the query, and
"…/query/all" to the whole query, which is the score. From there it goes on in the same manner.
"""

import re
from collections.abc import Sequence
from typing import Literal

import attrs

from explorer.errors import NoSuchPart

PartKind = Literal[
    "token",
    "position",
    "head",
    "other",
    "feed_forward",
    "attention_bias",
    "feed_forward_bias",
    "norm_bias",
    "output_bias",
    "query_bias",
    "key_bias",
    "value_bias",
]
BIASES = ("attention_bias", "feed_forward_bias", "norm_bias")


@attrs.frozen
class Part:
    """One part of a sum over the stream. `layer` and `head` are -1 where it has none; `tap` is where its vector stands."""

    kind: PartKind
    tap: str
    layer: int = -1
    attention: str = ""  # "self_attn" or "cross_attn" for heads and their biases
    head: int = -1

    @property
    def block(self) -> str:
        """The beginning of the taps of its attention or feed-forward: "decoder.layers.1.cross_attn"; "" for other parts."""
        return self.tap.rpartition(".")[0] if self.kind in ("head", "feed_forward") else ""

    @property
    def label(self) -> str:
        """A short name: "L1 cross_attn H4", "L0 feed_forward", "token"."""
        layer = f"L{self.layer} " if self.layer >= 0 else ""
        what = f"{self.attention} H{self.head}" if self.kind == "head" else self.kind
        return f"{layer}{self.attention + ' bias' if self.kind == 'attention_bias' else what}"


def index_of(parts: tuple[Part, ...], attention: str, layer: int, head: int) -> int | None:
    """The place of the part of a head of an attention such as "decoder.cross_attn", or of "decoder.feed_forward"; or None."""
    side, _, name = attention.partition(".")
    block = f"{side}.layers.{layer}.{name}"
    feeds = name == "feed_forward"
    places = (n for n, part in enumerate(parts) if part.block == block and (feeds or part.head == head))
    return next(places, None)


_PART = r"(?:encoder|decoder)\.(?:self|cross)_attn\.\d{1,9}\.\d{1,9}"
_STEP = rf"{_PART}/\d{{1,9}}/(?:query|key|value)/(?:\d{{1,9}}|all)"
WAY = re.compile(rf"(?:{_STEP}(?:/{_STEP})*)?\Z")
"""What the text of a way is like; "" is one of no steps."""
WHOLE = "all"
_SEGMENTS = 4


@attrs.frozen
class WayStep:
    """From the part of a head, over one of its keys, to a number of Q, K or V: one feature, or the whole where it is None."""

    attention: str
    layer: int
    head: int
    key: int
    which: str
    feature: int | None = None

    def __str__(self) -> str:
        feature = WHOLE if self.feature is None else self.feature
        return f"{self.attention}.{self.layer}.{self.head}/{self.key}/{self.which}/{feature}"


def steps_of(way: str) -> tuple[WayStep, ...]:
    """The steps of a way. Raises NoSuchPart for a text that is none."""
    if not WAY.match(way):
        raise NoSuchPart(got=way[:80], part="way")
    found = way.split("/") if way else []
    return tuple(_step(*found[begin : begin + _SEGMENTS]) for begin in range(0, len(found), _SEGMENTS))


def way_of(steps: Sequence[WayStep]) -> str:
    """The text of some steps."""
    return "/".join(map(str, steps))


def _step(part: str, key: str, which: str, feature: str) -> WayStep:
    attention, layer, head = part.rsplit(".", 2)
    return WayStep(attention, int(layer), int(head), int(key), which, None if feature == WHOLE else int(feature))
