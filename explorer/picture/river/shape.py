"""The shape of a river: all that its grid asks of it. Rivers of one shape have everything at the same places."""

import attrs

from explorer.picture.river.river import River


@attrs.frozen(cache_hash=True)
class HalfShape:
    """What the grid asks of a half: its lanes, and of each layer the names of its blocks."""

    side: str
    n: int
    single: bool
    layers: tuple[tuple[str, ...], ...]


@attrs.frozen(cache_hash=True)
class Shape:
    """What the grid asks of a river. Where it is the same, everything stands at the same places."""

    halves: tuple[HalfShape, ...]
    attention: str
    layer: int


def shape_of(river: River) -> Shape:
    """The shape of a river."""
    halves = tuple(
        HalfShape(half.side, half.n, half.single, tuple(tuple(block.attention for block in layer) for layer in half.layers))
        for half in river.halves
    )
    return Shape(halves, river.attention, river.layer)
