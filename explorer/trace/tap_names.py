"""The names of taps taken apart: a name is the path of a module in the model, such as
"decoder.layers.3.cross_attn.weights".
"""

import re

import attrs

ATTENTION_STAGES = ("scores", "scaled", "masked", "weights", "dropped")
"""The taps of one attention whose axes are head, query, key."""

ATTENTION_MAP = re.compile(rf"\.(?:self|cross)_attn\.(?:{'|'.join(ATTENTION_STAGES)})$")
"""The end of the name of such a tap."""

_PLACE = re.compile(r"^(?P<side>encoder|decoder)\.(?:layers\.(?P<layer>\d+)\.)?")


@attrs.frozen
class Place:
    """Where a tap stands: its side, its layer and its part, as far as its name has them."""

    side: str
    layer: int | None
    part: str


def place_of(tap: str) -> Place:
    """Take a tap's name apart: "encoder.layers.0.self_attn.query" is encoder, 0, "self_attn.query".

    A name that does not begin with a side of the model begins with the name of a part: "generator.logits" is generator,
    None, "logits".
    """
    found = _PLACE.match(tap)
    if found is None:
        side, _, part = tap.partition(".")
        return Place(side, None, part)
    layer = found["layer"]
    return Place(found["side"], None if layer is None else int(layer), tap[found.end() :])


def without_place(tap: str) -> str:
    """The name without side and layer, as far as it has them: "encoder.layers.0.norm1" is "norm1"."""
    return _PLACE.sub("", tap)


def with_layer(tap: str, layer: int) -> str:
    """The same tap in another layer; a tap outside the layers stays as it is."""
    return re.sub(r"\.layers\.\d+\.", f".layers.{layer}.", tap)
