"""A way into a sum, as text: "decoder.cross_attn.1.4/0/query/17" leads through a head's part (layer 1, head 4) and its key 0 to
feature 17 of the query, and "…/query/all" to the whole query, which is the score. From there it goes on in the same manner.
"""

import re
from collections.abc import Sequence

import attrs

from explorer.errors import NoSuchPart

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
