"""The lens as a picture: what each layer of the decoder would say at each position."""

from explorer.lang import Words
from explorer.picture.causal_kinds import LensMap
from explorer.picture.kinds import Caption
from explorer.picture.scales import unit_scale
from explorer.state.look import Look
from explorer.trace.findings import Lens
from explorer.trace.tap_names import place_of
from explorer.trace.trace import Trace

_PARTS = {2: ("self_attn", "feed_forward"), 3: ("self_attn", "cross_attn", "feed_forward")}


def lens_map(trace: Trace, look: Look, words: Words) -> LensMap | None:
    """The words of every layer; None until they are there, or where the model has no decoder."""
    lens = trace.experiments.get("lens")
    if not isinstance(lens, Lens):
        return None
    return LensMap(
        lens=lens,
        rows=tuple(row_name(tap, trace, words) for tap in lens.taps),
        chosen=look.step(trace),
        scale=unit_scale(look.unit_colours),
        caption=Caption(
            title=words("lens.title"),
            tap="decoder.layers.*.residual*",
            shape=f"[layer {len(lens.taps)}, position {len(lens.written)}]",
            formula=words("lens.formula"),
            origin="computed",
            note=words("lens.note"),
        ),
    )


def row_name(tap: str, trace: Trace, words: Words) -> str:
    """A row's name: the block after which the stream is read, "L1 cross"."""
    place = place_of(tap)
    if place.layer is None:
        return words("lens.embedding")
    parts = _PARTS[1 + len(trace.card.side("decoder").attentions)]
    number = int(place.part.removeprefix("residual"))
    return f"L{place.layer} {words(f'why.part.{parts[number - 1]}')}"
