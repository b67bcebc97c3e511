"""The parts of a tap's name. A name is the path of a module, such as "decoder.layers.3.cross_attn.weights"."""

import re

import attrs

ATTENTION_STAGES = ("scores", "scaled", "masked", "weights", "dropped")
"""The taps of one attention whose axes are head, query, key."""

ATTENTION_MAP = re.compile(rf"\.(?:self|cross)_attn\.(?:{'|'.join(ATTENTION_STAGES)})$")
"""The end of the name of a tap with such axes."""

_PLACE = re.compile(r"^(?P<side>encoder|decoder)\.(?:layers\.(?P<layer>\d+)\.)?")


@attrs.frozen
class TapPlace:
    """The place of a tap in the model: its side, its layer and its part; a layer of None means outside the layers."""

    side: str
    layer: int | None
    part: str


def place_of(tap: str) -> TapPlace:
    """The TapPlace that a tap's name says: "encoder.layers.0.self_attn.query" is "encoder", 0, "self_attn.query".

    In a name without a side, the first word stands in its place: "generator.logits" is "generator", None, "logits".
    """
    found = _PLACE.match(tap)
    if found is None:
        side, _, part = tap.partition(".")
        return TapPlace(side, None, part)
    layer = found["layer"]
    return TapPlace(found["side"], None if layer is None else int(layer), tap[found.end() :])


@attrs.frozen
class Cell:
    """One cell of one head of an attention such as "decoder.cross_attn"; layer, head, query and key count from 0."""

    attention: str
    layer: int
    head: int
    query: int
    key: int

    def tap(self, stage: str) -> str:
        """The tap of the cell's attention at a stage: "decoder.layers.3.cross_attn.weights"."""
        side, _, kind = self.attention.partition(".")
        return f"{side}.layers.{self.layer}.{kind}.{stage}"


def cell_in(tap: str, head: int | None, query: int, key: int) -> Cell | None:
    """The Cell in row `query` and column `key` of a tap's map; None where the tap or the head is none of one attention."""
    place = place_of(tap)
    if head is None or place.layer is None or not ATTENTION_MAP.search(tap):
        return None
    return Cell(f"{place.side}.{place.part.partition('.')[0]}", place.layer, head, query, key)


def without_place(tap: str) -> str:
    """The tap's name without its side and layer, if it has them: "encoder.layers.0.norm1" becomes "norm1"."""
    return _PLACE.sub("", tap)


def with_layer(tap: str, layer: int) -> str:
    """The name of the same tap in another layer; a name of a tap outside the layers stays as it is."""
    return re.sub(r"\.layers\.\d+\.", f".layers.{layer}.", tap)


def masked_of(tap: str) -> str:
    """The tap `masked` of the attention that a tap such as "decoder.layers.0.self_attn.weights" belongs to."""
    return f"{tap.rpartition('.')[0]}.masked"


def mask_of_all_layers(tap: str) -> str:
    """The attention ("decoder.self_attn") whose mask a tap shows for all its layers and heads; "" for any other tap.

    All layers and heads of an attention have the same mask, so only the tap `masked` of the first layer counts.
    """
    shows = tap.endswith("_attn.masked") and ".layers.0." in tap
    return tap.removesuffix(".masked").replace(".layers.0", "") if shows else ""


def side_name(name: str, axis: str, *, has_target: bool) -> str:
    """The side whose tokens stand along an axis of a tap: "source" or "target". In cross-attention keys and values are the
    source's.

    The tap's name decides this and not the tokens, because the target of an untrained model may have the same tokens.
    """
    if name.startswith("encoder.") or not has_target:
        return "source"
    across = ".cross_attn." in name and (axis == "key" or name.endswith((".key", ".value")))
    return "source" if across else "target"


_RECEIVER = re.compile(r"(encoder|decoder)\.(self_attn|cross_attn)\.(\d{1,9})\.(\d{1,9})\.(query|key|value)")


@attrs.frozen
class Receiver:
    """Q, K or V of one head, as "decoder.self_attn.9.6.query" for layer 9, head 6."""

    attention: str
    layer: int
    head: int
    which: str

    @classmethod
    def named(cls, name: str) -> "Receiver | None":
        """The Receiver of such a name; None for any other text."""
        found = _RECEIVER.fullmatch(name)
        return None if found is None else cls(f"{found[1]}.{found[2]}", int(found[3]), int(found[4]), found[5])

    @property
    def tap(self) -> str:
        """The tap at which it is given its numbers."""
        side, _, kind = self.attention.partition(".")
        return f"{side}.layers.{self.layer}.{kind}.{self.which}"

    def __str__(self) -> str:
        return f"{self.attention}.{self.layer}.{self.head}.{self.which}"
