"""The inside of the block of a river that is opened."""

from explorer.picture.makers.heatmaps import closed_of, masked_values
from explorer.picture.river.opened import Opened, OpenedHead, OpenedNetwork
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.stream_parts import read_tap
from explorer.trace.trace import Trace


def opened(trace: Trace, look: Look) -> Opened | None:
    """The block that the Look opens; None if it opens none, or the model has no such taps. Raises NotKept for long texts."""
    if look.opened == "attention":
        return _head(trace, look)
    if look.opened == "feed_forward":
        return _network(trace, look)
    return None


def opened_attention(look: Look) -> str:
    """The name of the block that a Look opens, such as "encoder.feed_forward"."""
    return f"{look.side}.feed_forward" if look.opened == "feed_forward" else look.attention


def _head(trace: Trace, look: Look) -> OpenedHead | None:
    taps = {
        name: look.attention_tap(name) for name in ("query", "key", "value", "scores", "masked", "weights", "mixed", "output")
    }
    if not all(tap in trace for tap in taps.values()):
        return None
    card = trace.card

    def head(name: str) -> Array:
        return trace.head(taps[name], card.head_in(taps[name], look.head))

    closed = closed_of(trace, taps["weights"], look.head)
    read = read_tap(trace, taps["query"].rpartition(".")[0])
    return OpenedHead(
        read=_recorded(trace, read),
        read_from=_read_from(trace, read),
        query=head("query"),
        key=head("key"),
        value=head("value"),
        scores=head("scores"),
        masked=masked_values(head("masked"), closed),
        weights=masked_values(head("weights"), closed),
        mixed=head("mixed"),
        output=trace[taps["output"]],
        divisor=card.score_divisor,
        biased=card.position == "alibi" and look.attention.endswith("self_attn"),
        closed=closed,
    )


def _network(trace: Trace, look: Look) -> OpenedNetwork | None:
    side = look.side
    base = f"{side}.layers.{look.layer}.feed_forward"
    if not all(f"{base}.{part}" in trace for part in ("hidden", "activated", "output")):
        return None
    read = read_tap(trace, base)
    return OpenedNetwork(
        read=_recorded(trace, read),
        read_from=_read_from(trace, read),
        hidden=trace[f"{base}.hidden"],
        activated=trace[f"{base}.activated"],
        output=trace[f"{base}.output"],
        activation=trace.card.activation,
    )


def _recorded(trace: Trace, tap: str) -> Array | None:
    """The array of a tap; None where it was not recorded."""
    return trace[tap] if tap in trace else None  # noqa: SIM401  # A Trace has no `get`.


def _read_from(trace: Trace, tap: str) -> str:
    """The source of a block's input: a "layer" norm or an "rms" norm, gain and bias included, or the bare residual "stream"."""
    if tap.endswith(".embedding.output"):
        return "stream"
    return "rms" if trace.card.norm_kind == "rms" else "layer"
