"""Whether the arrays of a Trace agree with its tokens and its card. A file of another program may say anything."""

from collections.abc import Iterator

from explorer.errors import DoNotAgree
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.stages import stage_of
from explorer.trace.tap_names import place_of

_TOKENS = ("position", "query", "key")
_MOST_LAYERS = 4096


def check_agreement(trace: RecordedPass) -> None:
    """Check each axis of each tap against the tokens, heads and sizes that it must have, and that no layer lacks a tap.

    Some layers may lack attention: they have none, or it was not recorded.

    Raises DoNotAgree for the first that differs.
    """
    for tap in trace.names():
        for axis, got, wanted in _sizes(trace, tap):
            if got != wanted:
                raise DoNotAgree(tap=tap, axis=axis, got=got, wanted=wanted)


def _sizes(trace: RecordedPass, tap: str) -> Iterator[tuple[str, int, int]]:
    """(axis, size, the size that it must have) of each axis of a tap that pictures rely on."""
    stage, place, side = stage_of(tap), place_of(tap), trace.card.side(tap)
    for axis, got in zip(trace.axes(tap), trace.shape(tap), strict=True):
        if stage.plain:
            continue  # An unknown tap is drawn by itself, with its own axes.
        if axis in _TOKENS:
            yield axis, got, len(trace.side(tap, axis))
        elif axis == "head":
            yield axis, got, side.n_kv_heads if tap.endswith((".key", ".value")) else side.n_heads
        elif axis == "feature":
            widths = {"d_model": trace.card.d_model, "d_head": trace.card.head_width(tap), "d_ff": side.d_ff}
            yield axis, got, widths.get(stage.width, got)
        elif axis == "vocab":
            yield axis, got, trace.card.vocab_size
        elif axis == "class" and trace.card.classes is not None:
            yield axis, got, len(trace.card.classes.labels)
    if place.layer is not None and not stage.plain and trace.recorded_by:  # Of a long text, this program keeps less.
        layers = trace.card.attention_layers(tap) if "_attn." in place.part else range(side.n_layers)
        yield "layer", sum(_same(tap, other) for other in trace.names()), len(layers)
        yield "layer", side.n_layers, min(side.n_layers, _MOST_LAYERS)


def _same(tap: str, other: str) -> bool:
    """Whether two taps are the same part of a side, in whatever layers."""
    one, two = place_of(tap), place_of(other)
    return two.layer is not None and (one.side, one.part) == (two.side, two.part)
