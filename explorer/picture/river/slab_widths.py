"""How wide each layer of a half is. Where not all have room, most become pillars."""

FOCUS = 1.62  # how much wider the layer that is looked at is than the others of its half
_PILLAR_PX, _LEAST_PILLAR_PX = 18.0, 4.0
_BANDS_PX = 12.0  # of a pillar in which bands can be seen


def slab_widths(count: int, width: float, focus: int | None, least: float) -> list[float]:
    """The width of each layer. Where not all have room, the first, the last and those around the focus stay open, and the
    others become pillars. The focus gives way where that opens a layer, or lets bands be seen in the pillars."""
    middle = 0 if focus is None else focus
    wanted = [middle, middle + 1, middle - 1, count - 1, 0]
    order = [layer for layer in dict.fromkeys(wanted) if 0 <= layer < count]
    opened, pillar = list(range(count)), 0.0
    if width < count * least:
        for n_open in range(min(len(order), count), 0, -1):
            n_closed = max(count - n_open, 1)
            pillar = (width - n_open * least) / n_closed
            pillar = pillar if pillar >= _BANDS_PX else (width - (n_open - 1 + FOCUS) * least) / n_closed
            if pillar >= (_PILLAR_PX if n_open > 2 else _LEAST_PILLAR_PX) or n_open == 1:
                break
        opened, pillar = order[:n_open], min(max(pillar, 1.0), _PILLAR_PX)
    room = width - pillar * (count - len(opened))
    share = 1.0 if focus is None else min(FOCUS, max(room / least - len(opened) + 1, 1.0))
    unit = room / (len(opened) - 1 + share)
    return [pillar if layer not in opened else unit * (share if layer == focus else 1) for layer in range(count)]
