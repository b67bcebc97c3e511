"""Where the names of curves stand beside their right ends: as near as they can, and never over one another."""

from collections.abc import Sequence


def name_places(ends: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """The heights (px) of names for curves that end at these heights, at least `gap` apart and between `top` and `bottom`.

    Names in the order of the ends, so that no two lines to them cross. If there is too little room they stand closer.
    """
    gap = min(gap, (bottom - top) / max(1, len(ends) - 1))
    order = sorted(range(len(ends)), key=lambda index: ends[index])
    placed: list[float] = []
    for end in (ends[index] for index in order):  # From the top down, each below the one before.
        placed.append(max(end, placed[-1] + gap if placed else top))
    floor = bottom
    for number in reversed(range(len(placed))):  # And from the bottom up, so that the last one is not below it.
        placed[number] = floor = min(placed[number], floor)
        floor -= gap
    places = dict(zip(order, placed, strict=True))
    return [places[index] for index in range(len(ends))]
