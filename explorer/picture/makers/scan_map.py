"""The mean of a head metric over many sentences, as one map: a row for each attention and layer, a column for each head."""

import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.scales import Scale, centred_scale
from explorer.state.look import SIGNED_COLOURS, UNIT_COLOURS
from explorer.trace.measures.scan_sums import WHOLE
from explorer.trace.measures.scan_table import ScanTable

Place = tuple[str, int]
"""The attention and layer of a row."""


def map_rows(table: ScanTable, measure: str) -> tuple[Place, ...]:
    """The rows of the map; none for a measure of whole sentences."""
    return tuple(
        (attention, layer)
        for (attention, key), sums in table.part.sums.items()
        if key == measure and attention != WHOLE
        for layer in range(len(sums.count))
    )


def mean_map(table: ScanTable, measure: str, words: Words) -> Heatmap | None:
    """The map of a measure; None for one of whole sentences. A head without a value is no number."""
    rows = map_rows(table, measure)
    if not rows:
        return None
    sums = [table.sums(attention, measure) for attention, _layer in rows]
    n_heads = max(each.count.shape[1] for each in sums)
    values, spread, n = (np.full((len(rows), n_heads), np.nan, np.float32) for _ in range(3))
    for place, ((_attention, layer), own) in enumerate(zip(rows, sums, strict=True)):
        heads = slice(own.count.shape[1])
        values[place, heads], spread[place, heads], n[place, heads] = own.mean[layer], own.deviation[layer], own.count[layer]
    finite = values[np.isfinite(values)]
    signed = finite.size and finite.min() < 0
    highest = float(finite.max()) if finite.size else 0.0
    return Heatmap(
        values=values,
        rows=Axis(
            words("scan.map_rows"),
            tuple(f"{words(f'attention_short.{attention}')} L{layer}" for attention, layer in rows),
            numbered=False,
        ),
        columns=Axis(words("scan.heads_name"), tuple(f"H{head}" for head in range(n_heads)), numbered=False),
        scale=centred_scale(values, SIGNED_COLOURS[0]) if signed else Scale(0.0, highest or 1.0, UNIT_COLOURS[0]),
        caption=Caption(
            title=words("scan.map", measure=words(f"heads.measure.{measure}")), tap="", shape="", origin="computed"
        ),
        beside=(("±", spread), ("n", n)),
    )
