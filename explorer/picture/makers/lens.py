"""The lens as a picture: what each layer of the decoder would say at each position."""

from explorer.lang import Words
from explorer.picture.causal_kinds import LensMap
from explorer.picture.kinds import Caption
from explorer.picture.scales import unit_scale
from explorer.state.look import Look
from explorer.trace.found.findings import NotMade
from explorer.trace.found.lens import Agreement, Lens
from explorer.trace.tap_names import place_of
from explorer.trace.trace import Trace

_PARTS = {2: ("self_attn", "feed_forward"), 3: ("self_attn", "cross_attn", "feed_forward")}


def lens_map(trace: Trace, look: Look, words: Words) -> LensMap | None:
    """The words of every layer; None until they are there, or where the model has no decoder.

    Where the Jacobian lens is chosen and this model has none, it is the other lens, with a note that says why.
    """
    lens, carried = trace.experiments.get("lens"), trace.experiments.get("jacobian")
    if not isinstance(lens, Lens):
        return None
    agreement = carried.agreement if isinstance(carried, Lens) else None
    jacobian = look.lens == "jacobian" and isinstance(carried, Lens)
    if jacobian:
        assert isinstance(carried, Lens)  # The line above has checked.
        lens = carried
    return LensMap(
        lens=lens,
        rows=tuple(row_name(tap, trace, words) for tap in lens.taps),
        chosen=look.step(trace),
        scale=unit_scale(look.unit_colours),
        caption=Caption(
            title=words("lens.title_jacobian" if jacobian else "lens.title"),
            tap="decoder.layers.*.residual*",
            name="jacobian_lens" if jacobian else "lens",
            shape=f"[layer {len(lens.taps)}, position {len(lens.written)}]",
            formula=words("lens.formula_jacobian" if jacobian else "lens.formula"),
            origin="computed",
            note=_note(carried if look.lens == "jacobian" else None, words),
        ),
        ranks=look.lens_cells == "ranks",
        jacobian=jacobian,
        agreement=agreement,
    )


def _note(carried: object, words: Words) -> str:
    """How the colours are read; of the Jacobian lens what was measured, or why there is none."""
    if isinstance(carried, NotMade):
        return words.error(carried.error)
    if isinstance(carried, Lens) and carried.agreement is not None:
        return measured(carried.agreement, words)
    return words("lens.note")


def measured(agreement: Agreement, words: Words) -> str:
    """What the two lenses are worth on held-out sentences, in figures."""
    return words(
        "lens.measured",
        better=agreement.better,
        worse=agreement.worse,
        rows=len(agreement.taps) - 1,
        fitted=agreement.fitted,
        sentences=f"{agreement.sentences:,}",
        places=f"{agreement.places:,}",
    )


def row_name(tap: str, trace: Trace, words: Words) -> str:
    """A row's name: the block after which the stream is read, "L1 cross"."""
    place = place_of(tap)
    if place.layer is None:
        return words("lens.embedding")
    parts = _PARTS[1 + len(trace.card.side("decoder").attentions)]
    number = int(place.part.removeprefix("residual"))
    return f"L{place.layer} {words(f'why.part.{parts[number - 1]}')}"
