"""The segmentation lens: several tokenizations of one sentence side by side, with the attention between their words."""

import numpy as np

from explorer.lang import Words
from explorer.picture.cut_kinds import CutRow, CutRows
from explorer.picture.doubt_text import listed, pieces_of
from explorer.picture.kinds import Caption
from explorer.picture.makers.findings import finding
from explorer.picture.scales import Scale, ladder_end, unit_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.doubts import broken
from explorer.trace.found.segmentations import Segmentation, Segmentations
from explorer.trace.trace import Trace

FORMULA = "F[u,v] = Σ<sub>q∈u</sub> Σ<sub>k∈v</sub> A[q,k] / |u|"


def cut_rows(trace: Trace, look: Look, words: Words) -> CutRows | None:
    """All tokenizations of the sentence; None while their passes are made."""
    found = finding(trace, "segmentations", Segmentations)
    if found is None:
        return None
    layer, head = _looked_at(found, look)
    # F[u,v] = Σ_q∈u Σ_k∈v A[q,k] / |u|
    maps = [found.folded(row, layer, head) for row in range(len(found.rows))]  # [unit, unit] each
    own = maps[found.present]
    apart = [None if own is None or each is None else _small(each - own) for each in maps]
    reach = ladder_end(max((float(np.nanmax(np.abs(each), initial=0)) for each in apart if each is not None), default=0.0))
    rows = (
        _row(each, None if values is None else _small(values), difference, words)
        for each, values, difference in zip(found.rows, maps, apart, strict=True)
    )
    return CutRows(
        text=found.text,
        rows=tuple(rows),
        present=found.present,
        units=found.unit_texts(),
        scale=unit_scale(look.unit_colours),
        difference_scale=Scale(-reach, reach, look.signed_colours),
        caption=_caption(found, trace, layer, head, words),
    )


def _looked_at(found: Segmentations, look: Look) -> tuple[int | None, int | None]:
    """The layer and the head that are looked at, the nearest that there are; None where the mean over all is."""
    shape = next((row.weights.shape for row in found.rows if row.weights is not None), (1, 1))
    layer = min(look.layer, shape[0] - 1) if look.aligned in ("head", "layer", "layer_max") else None
    return layer, min(look.head, shape[1] - 1) if look.aligned == "head" else None


def _small(values: np.ndarray) -> Array:
    small: Array = values.astype(np.float32)
    return small


def _row(found: Segmentation, values: Array | None, difference: Array | None, words: Words) -> CutRow:
    about = words("cuts.tokens", count=len(found.tokens))
    if found.n_unknown:
        about = words("cuts.unknown", tokens=about, count=found.n_unknown)
    name = words(f"choice.tokenizer.{found.way}") if found.way else words("cuts.by_hand")
    refused = "" if found.refused is None else words.error(found.refused)
    return CutRow(
        found.way, name, found.tokens, found.words, "" if refused else about, found.target, values, difference, refused
    )


def _caption(found: Segmentations, trace: Trace, layer: int | None, head: int | None, words: Words) -> Caption:
    stack, _, kind = found.attention.partition(".")
    tap = f"{stack}.layers.{'*' if layer is None else layer}.{kind}.weights"
    side = trace.card.side(found.attention)
    which = words("heads.pooled_of.all", layers=side.n_layers, heads=side.n_heads)
    if layer is not None:
        which = words("heads.pooled_of.layer", layer=layer, layers=side.n_layers, heads=side.n_heads)
    if head is not None:
        which = words("cuts.head", layer=layer, head=head)
    n_units = len(found.units)
    return Caption(
        title=f"{words('cuts.title')} · {which}",
        tap=tap,
        shape=f"[word {n_units}, word {n_units}]",
        formula=FORMULA,
        note=_note(found, words),
        origin="beside",
        finding="segmentations",
        name="cuts",
    )


def _note(found: Segmentations, words: Words) -> str:
    """The words that the vocabulary lacks in the exact tokenization, and the tokens that lie across two words."""
    exact = found.rows[0].tokens
    apart = [pieces_of(found.text, exact, word) for word in broken(exact)]
    across = tuple(dict.fromkeys(each.text for row in range(len(found.rows)) for each in found.lies_across(row)))
    parts = []
    if apart:
        parts.append(words("cuts.fell_apart", words=listed(apart, words)))
    if across:
        parts.append(words("cuts.across", tokens=listed(across, words)))
    return "  ".join(parts)
