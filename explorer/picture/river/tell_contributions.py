"""The sentence below a river whose bands show contributions."""

import numpy as np

from explorer.lang import Words
from explorer.picture.river.place import Place
from explorer.picture.river.river import Contributions, River
from explorer.picture.river.strips import shown_text
from explorer.picture.sums import told

_MOST = 3  # tokens or layers that are named
_SHOWN = 0.005  # what two decimals show as more than zero


def told_contributions(
    river: River, words: Words, place: Place | None, source: tuple[int, ...], target: tuple[int, ...], data: str
) -> str:
    """What is taken from where at the chosen step; `data` marks data, with braces for it. "" where weights are told instead."""
    if river.bands == "weights" or river.opened is not None:
        return ""
    found = river.contributions
    if found is None:
        return words("river.bands.pending")
    if place is not None and place.kind in ("token", "vector"):
        of_source = place.side == "source"
        lane = next(iter(source if of_source else target), None)
        return "" if lane is None else _of_token(river, found, words, lane, data, of_source=of_source)
    return _of_head(river, found, words, data)


def _of_head(river: River, found: Contributions, words: Words, data: str) -> str:
    """What the head that is looked at takes from where, and what all heads of its block take."""
    focus = river.focus
    row = None if focus is None else found.drawn(river, focus)
    if focus is None or row is None:
        return words("river.bands.indirect", word=data.format(found.names[0]))
    total = found.values[focus.attention, focus.layer].sum()
    labels = river.half_of(river.attention, "key").labels
    order = [
        key
        for key in np.argsort(-np.abs(row), kind="stable")[:_MOST].tolist()
        if abs(row[key]) >= _SHOWN or key == int(np.abs(row).argmax())
    ]
    told_each = [
        words("river.bands.from", share=data.format(told(float(row[key]))), token=data.format(shown_text(labels[key])))
        for key in order
    ]
    return words(
        "river.bands.head",
        head=data.format(river.head),
        layer=river.layer,
        word=data.format(found.names[0]),
        rival=data.format(found.names[1]),
        part=data.format(told(float(row.sum()))),
        total=told(float(total)),
        listed=listed(told_each, words),
    )


def listed(parts: list[str], words: Words) -> str:
    """Several parts of a sentence, one after the other."""
    first, *others = parts
    return words("river.tell.and", first=first, others=listed(others, words)) if others else first


def _of_token(river: River, found: Contributions, words: Words, lane: int, data: str, *, of_source: bool) -> str:
    """What all heads of all layers take from one token."""
    kind = "decoder.cross_attn" if of_source else "decoder.self_attn"
    half = river.half_of(kind, "key") if any(attention == kind for attention, _layer in found.values) else None
    if half is None or lane >= half.n:
        return ""
    by_layer = [(layer, float(each[:, lane].sum())) for (attention, layer), each in found.values.items() if attention == kind]
    by_layer.sort()
    told_each = [
        words("river.bands.by_layer", layer=layer, share=data.format(told(value))) for layer, value in by_layer[: 2 * _MOST]
    ]
    return words(
        "river.bands.token",
        token=data.format(shown_text(half.labels[lane])),
        word=data.format(found.names[0]),
        rival=data.format(found.names[1]),
        total=data.format(told(sum(value for _layer, value in by_layer))),
        listed=listed(told_each, words),
    )
