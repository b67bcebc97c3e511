"""How wide each layer of a half is. Where not all have room, most become pillars."""

FOCUS = 1.62  # how much wider the layer that is looked at is than the others of its half
_PILLAR_PX, _LEAST_PILLAR_PX = 18.0, 4.0


def slab_widths(count: int, width: float, focus: int | None, least: float) -> list[float]:
    """The width of each layer. Where not all have room, the first, the last and those around the focus stay open, and the
    others become pillars."""
    unit = width / (count - 1 + FOCUS if focus is not None else count)
    if unit >= least:
        return [unit * (FOCUS if layer == focus else 1) for layer in range(count)]
    middle = 0 if focus is None else focus
    wanted = [middle, middle + 1, middle - 1, count - 1, 0]
    order = [layer for layer in dict.fromkeys(wanted) if 0 <= layer < count]
    for n_open in range(min(len(order), count), 0, -1):
        pillar = (width - (n_open - 1 + FOCUS) * least) / max(count - n_open, 1)
        if pillar >= (_PILLAR_PX if n_open > 2 else _LEAST_PILLAR_PX) or n_open == 1:
            break
    pillar = min(max(pillar, 1.0), _PILLAR_PX)
    opened = order[:n_open]
    unit = (width - pillar * (count - n_open)) / (n_open - 1 + FOCUS)
    return [pillar if layer not in opened else unit * (FOCUS if layer == middle else 1) for layer in range(count)]
