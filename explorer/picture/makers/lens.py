"""The logit lens and the Jacobian lens as a picture: what each layer of the decoder would predict at each position."""

from explorer.lang import Words
from explorer.picture.causal_kinds import LensMap
from explorer.picture.kinds import Caption
from explorer.picture.makers.findings import finding, why_not_made
from explorer.picture.scales import unit_scale
from explorer.state.look import Look
from explorer.trace.found.lens import Agreement, Lens
from explorer.trace.tap_names import place_of
from explorer.trace.trace import Trace


def lens_map(trace: Trace, look: Look, words: Words) -> LensMap | None:
    """The words of every layer; None until they are there, or where the model has no decoder.

    Where the Jacobian lens is chosen and this model has none, it is the logit lens, with the reason in its note.
    """
    lens, fitted = finding(trace, "lens", Lens), finding(trace, "jacobian", Lens)
    if lens is None:
        return None
    jacobian = look.lens == "jacobian" and fitted is not None
    if look.lens == "jacobian" and fitted is not None:
        lens = fitted
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
            note=_note(trace, fitted, words) if look.lens == "jacobian" else words("lens.note"),
        ),
        ranks=look.lens_cells == "ranks",
        jacobian=jacobian,
        agreement=None if fitted is None else fitted.agreement,
    )


def _note(trace: Trace, fitted: Lens | None, words: Words) -> str:
    """What was measured of the Jacobian lens, or why there is none; while neither is known, how the colours are read."""
    if fitted is not None and fitted.agreement is not None:
        return measured(fitted.agreement, words)
    return why_not_made(trace, words, "jacobian") or words("lens.note")


def measured(agreement: Agreement, words: Words) -> str:
    """How often the two lenses agree with the output on held-out sentences, in figures."""
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
    parts = trace.card.blocks("decoder", place.layer)
    number = int(place.part.removeprefix("residual"))
    return f"L{place.layer} {words(f'why.part.{parts[number - 1]}')}"
