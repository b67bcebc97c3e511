"""The heads and layers of a tap to export: as one figure, or one for each head and layer."""

import attrs
import numpy as np

from explorer.errors import UnknownHead, UnknownLayer
from explorer.lang import Words
from explorer.picture.kinds import Heatmap, Strips
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.heatmaps import caption, tap_heatmap
from explorer.picture.picture import Picture, captioned, marked
from explorer.picture.scales import robust_scale
from explorer.state.look import Look
from explorer.trace.tap_names import place_of, with_layer
from explorer.trace.trace import Trace


@attrs.frozen
class Choice:
    """A tap with its chosen heads and layers; None means all of them. Layer -1 is the layer in the tap's name."""

    tap: str
    head: int | None = None
    layer: int | None = -1

    def taps(self, trace: Trace) -> tuple[str, ...]:
        """The taps of all wanted layers. Raises UnknownTap, UnknownLayer, UnknownHead."""
        own, n_layers = place_of(self.tap).layer, trace.card.side(self.tap).n_layers
        # Asking for the shape raises UnknownTap where the trace has no such tap.
        trace.shape(self.tap if self.layer in (None, -1) or own is None else with_layer(self.tap, self._first(trace)))
        if own is None or self.layer == -1:
            names: tuple[str, ...] = (self.tap,)
        elif self.layer is None:
            every = (with_layer(self.tap, layer) for layer in range(n_layers))
            names = tuple(name for name in every if not trace.card.lacks_attention(name))
        else:
            if not 0 <= self.layer < n_layers:
                raise UnknownLayer(got=self.layer, last=n_layers - 1)
            names = (with_layer(self.tap, self.layer),)
        n_heads = self.n_heads(trace)
        if self.head is not None and n_heads and not 0 <= self.head < n_heads:
            raise UnknownHead(got=self.head, last=n_heads - 1)
        return names

    def _first(self, trace: Trace) -> int:
        """The first layer that can have the tap."""
        return trace.card.attention_layers(self.tap)[0] if "_attn." in self.tap else 0

    def heads(self, trace: Trace) -> tuple[int | None, ...]:
        """The wanted heads; (None,) for a tap without heads."""
        n_heads = self.n_heads(trace)
        if not n_heads:
            return (None,)
        return tuple(range(n_heads)) if self.head is None else (self.head,)

    def n_heads(self, trace: Trace) -> int:
        """The number of heads of the tap, 0 without heads. Keys and values may have fewer heads than queries."""
        tap = self.tap if self.tap in trace else with_layer(self.tap, 0)
        return trace.shape(tap)[0] if trace.axes(tap)[0] == "head" else 0


def single(trace: Trace, tap: str, head: int | None, look: Look, words: Words) -> Heatmap:
    """One head of a tap as a map; its title names layer and head. Raises UnknownTap, UnknownHead, NotKept."""
    made = tap_heatmap(trace, tap, look, words, head or 0)
    layer = place_of(tap).layer
    title = made.caption.title
    if layer is not None:
        title += " · " + (
            words("picture.layer", layer=layer) if head is None else words("picture.head", layer=layer, head=head)
        )
    return marked(captioned(made, title=title), trace)


def together(trace: Trace, choice: Choice, look: Look, words: Words) -> Picture:
    """The whole choice as one figure: a map, a wall of heads, or strips. Raises like `Choice.taps`, and NotKept."""
    taps, heads = choice.taps(trace), choice.heads(trace)
    if len(taps) == len(heads) == 1:
        return single(trace, taps[0], heads[0], look, words)
    if trace.axes(taps[0])[-1] == "key" and choice.head is None:
        return _wall(trace, taps, look, words)
    made = [single(trace, tap, head, look, words) for tap in taps for head in heads]
    scale = robust_scale(np.concatenate([band.values.ravel() for band in made]), look.signed_colours)
    bands = tuple(
        attrs.evolve(
            band,
            scale=scale if made[0].scale.centred else band.scale,
            caption=attrs.evolve(band.caption, title=_short(tap, head)),
        )
        for band, (tap, head) in zip(made, [(tap, head) for tap in taps for head in heads], strict=True)
    )
    return marked(Strips(bands=bands, caption=caption(trace, taps[0], words)), trace)


def _wall(trace: Trace, taps: tuple[str, ...], look: Look, words: Words) -> Picture:
    place = place_of(taps[0])
    kind, _, stage = place.part.partition(".")
    layers = tuple(place_of(tap).layer or 0 for tap in taps)
    seen = attrs.evolve(look, attention=f"{place.side}.{kind}", stage=stage, layer=layers[0], head=0)
    return marked(attrs.evolve(head_wall(trace, seen, words, layers), layers=layers, chosen=None), trace)


def _short(tap: str, head: int | None) -> str:
    layer = place_of(tap).layer
    return " ".join(part for part in ("" if layer is None else f"L{layer}", "" if head is None else f"H{head}") if part)
