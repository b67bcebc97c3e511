"""Where in the pass a change would be made that is asked for at a place of a river."""

from explorer.picture.river.place import Place
from explorer.picture.river.pointing import Pointing, usual
from explorer.picture.river.river import River, attends
from explorer.state.offers import ChangePlace


def pointed_place(river: River, pointing: Pointing | None) -> Place | None:
    """What is pointed at; while nothing is, the pair that stands out."""
    if pointing is not None and pointing.place is not None:
        return pointing.place
    pair = (pointing or usual(river)).pair
    if pair is None:
        return None
    return Place("pair", attention=river.attention, layer=river.layer, query=pair[0], key=pair[1])


def changeable(river: River, place: Place) -> ChangePlace | None:
    """The place of the pass; None where nothing is computed, and for the vector of a lane that stands for several tokens."""
    match place.kind:
        case "token" | "vector":
            half = next(each for each in river.halves if each.tokens == place.side)
            tap = "embedding.output" if place.kind == "token" else half.columns[place.head]
            alone = half.alone(half.lane(place.index))
            return ChangePlace(f"{half.side}.{tap}", None, place.index) if alone else None
        case "waves":
            return ChangePlace(f"{river.halves[0].side}.embedding.positions", None)
        case "head":
            return ChangePlace(_weights(place.attention, place.layer), place.head)
        case "pair":
            return _pair(river, place)
        case "block":
            return _block(place.attention, place.layer)
        case "inside":
            return _block(river.opened_attention, river.layer)
    return None


def _pair(river: River, place: Place) -> ChangePlace:
    """A cell of the head that is looked at; elsewhere bands are means over the heads of a layer, so the layer is meant."""
    looked_at = (place.attention, place.layer) == (river.attention, river.layer)
    asks, answers = river.half_of(place.attention, "query"), river.half_of(place.attention, "key")
    alone = asks.alone(place.query) and len(asks.writes(place.query)) == 1 and answers.alone(place.key)
    if not looked_at or river.head is None or not alone:
        return _block(place.attention, place.layer)
    query, key = river.pair(place.query, place.key)
    return ChangePlace(_weights(place.attention, place.layer), river.head, query, key)


def _block(attention: str, layer: int) -> ChangePlace:
    """All heads of a layer's attention, or all that another block adds."""
    side, _, part = attention.partition(".")
    if not attends(attention):
        return ChangePlace(f"{side}.layers.{layer}.{part}.output", None)
    return ChangePlace(_weights(attention, layer), None)


def _weights(attention: str, layer: int) -> str:
    side, _, kind = attention.partition(".")
    return f"{side}.layers.{layer}.{kind}.weights"
