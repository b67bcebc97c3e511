"""A measure without a model: numbers made of the sentence alone, so that a scan takes no time."""

from collections.abc import Iterable, Iterator

import numpy as np

from explorer.scanning.plan import ScanPlan
from explorer.scanning.rows import Chunk, SentenceRows
from explorer.trace.measures.scan_sums import ScanPart, best_texts, summed


def fake(plan: ScanPlan, rows: SentenceRows, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, ScanPart]]:
    """Two layers of three heads of one attention, and the whole sentence."""
    for chunk in chunks:
        texts = rows.read(chunk)
        places = [place for place, text in enumerate(texts) if text.strip()]
        numbers = chunk.first_row + np.array(places, dtype=np.int64)
        values = np.array([[[_value(texts[place], head, layer) for head in range(3)] for layer in (1, 2)] for place in places])
        sums = {}
        if places:
            sums = {
                ("encoder.self_attn", "entropy"): summed(values, numbers, "entropy", plan.best),
                ("output", "probability"): summed(values[:, :1, :1], numbers, "probability", plan.best),
            }
        kept = best_texts(sums, {chunk.first_row + place: texts[place] for place in places})
        left_out = {"error.empty_text": len(texts) - len(places)} if len(texts) > len(places) else {}
        yield chunk, ScanPart(n_rows=len(texts), left_out=left_out, sums=sums, texts=kept)


def _value(text: str, head: int, layer: int) -> float:
    """From 0 to 1, and NaN for some heads of some sentences."""
    place = sum(map(ord, text)) * (head + 2) * layer
    return float("nan") if place % 7 == head else place % 97 / 97
