"""What stands out while something of a river is pointed at."""

from collections.abc import Iterable

import attrs
import numpy as np

from explorer.picture.river.focus import best_key, row_names
from explorer.picture.river.place import Place
from explorer.picture.river.river import Half, River

Spots = Iterable[tuple[str, int]]
"""Tokens, each by its side and its place."""


@attrs.frozen
class Pointing:
    """Lanes that stand out, of the source and of the target, the pair of the focus among them, and the place pointed at."""

    source: tuple[int, ...] = ()
    target: tuple[int, ...] = ()
    pair: tuple[int, int] | None = None
    place: Place | None = None

    def of(self, half: Half) -> tuple[int, ...]:
        """The lanes of a half."""
        return self.source if half.tokens == "source" else self.target


def usual(river: River) -> Pointing:
    """What stands out while nothing is pointed at."""
    focus = river.focus
    if focus is None or focus.drawn is None:
        return Pointing()
    key = int(np.nan_to_num(focus.drawn[river.query], nan=-1.0).argmax())
    return of_pair(river, river.query, key)


def of_pair(river: River, query: int, key: int, place: Place | None = None) -> Pointing:
    """The pointing at one pair of lanes of the focus."""
    asks, answers = river.half_of(river.attention, "query"), river.half_of(river.attention, "key")
    found: dict[str, tuple[int, ...]] = {"source": (), "target": ()}
    found[answers.tokens] = (key,)
    found[asks.tokens] = (*dict.fromkeys((*found[asks.tokens], query)),)
    return Pointing(found["source"], found["target"], (query, key), place)


def of_lane(river: River, half: Half, lane: int, place: Place | None = None) -> Pointing:
    """The pointing at one lane."""
    return Pointing((lane,), (), None, place) if half.tokens == "source" else Pointing((), (lane,), None, place)


def pointing_at(river: River, place: Place, *, opened: bool) -> Pointing:
    """What stands out while a place is pointed at; `opened` says that a block is open."""
    if place.kind in ("token", "step", "vector"):
        half = next(each for each in river.halves if each.tokens == place.side)
        lane = half.step_lane(place.index) if place.kind == "step" else half.lane(place.index)
        if place.kind == "step" and river.focus is not None and river.half_of(river.attention, "query") is half:
            return of_pair(river, lane, best_key(river, lane), place)
        return of_lane(river, half, lane, place)
    if place.kind == "pair":
        if (place.attention, place.layer) == (river.attention, river.layer):
            return of_pair(river, place.query, place.key, place)
        return of_lane(river, river.half_of(place.attention, "key"), place.key, place)
    if place.kind == "head" and not opened:
        return Pointing(place=place)
    usually = usual(river)
    return Pointing(usually.source, usually.target, usually.pair, place)


def told_pair(river: River, pointing: Pointing) -> tuple[int, int]:
    """The pair whose weight in each head is told: the one pointed at, else the strongest one of the lane pointed at."""
    if pointing.pair is not None:
        return pointing.pair
    focus = river.focus
    asks, answers = river.half_of(river.attention, "query"), river.half_of(river.attention, "key")
    if focus is not None and focus.drawn is not None and pointing.place is not None:
        if pointing.of(asks):
            query = pointing.of(asks)[0]
            return query, best_key(river, query)
        if pointing.of(answers):
            key = pointing.of(answers)[0]
            return int(np.nan_to_num(focus.drawn[:, key], nan=-1.0).argmax()), key
    return river.query, best_key(river, river.query)


def has_lanes(river: River, pointing: Pointing) -> bool:
    """Whether a river has all lanes of a pointing."""
    return all(lane < half.n for half in river.halves for lane in pointing.of(half))


def of_spots(river: River, spots: Spots) -> Pointing | None:
    """The pointing at tokens; None where none of them has a lane."""
    found = {half.tokens: half for half in river.halves}
    chosen = tuple(spots)
    lanes = {
        side: tuple(half.lane(place) for name, place in chosen if name == side and half.has(place))
        for side, half in found.items()
    }
    if not any(lanes.values()):
        return None
    return Pointing(lanes.get("source", ()), lanes.get("target", ()))


def spots_of(river: River, pointing: Pointing) -> frozenset[tuple[str, int]]:
    """The tokens of each lane of a pointing, of a block of them the first; of a pair whose row is named after the word to be
    written, that word."""
    spots = {(half.tokens, token) for half in river.halves for lane in pointing.of(half) for token in half.tokens_of(lane)}
    shift = row_names(river)[2]
    if pointing.pair is not None and shift:
        half, lane = river.half_of(river.attention, "query"), pointing.pair[0]
        spots -= {(half.tokens, token) for token in half.tokens_of(lane)}
        spots |= {(half.tokens, token + shift) for token in half.writes(lane)}
    return frozenset(spots)
