"""Excerpts of a long sentence: which tokens get lanes after turning the wheel, dragging the bar, or a key."""

from explorer.picture.river.grid import RiverGrid
from explorer.picture.river.place import Place
from explorer.picture.river.river import Half, River

_LEAST = 6  # tokens in the smallest excerpt
_ZOOM = 1.25  # for each notch of the wheel
_SCROLLED = 0.15  # of the excerpt, for each notch of the wheel


def turned(river: River, grid: RiverGrid, y: float, notches: float, *, zooms: bool) -> Place | None:
    """What the wheel asks for over lanes at a height: up is back, or nearer. None where that changes nothing."""
    for half, place in zip(river.halves, grid.halves, strict=True):
        if not place.top - 4 <= y <= place.top + place.pitch * place.n + 4 or (half.whole and not zooms):
            continue
        token = half.first + (y - place.top) / place.pitch * half.spread
        wanted = zoomed(half, token, _ZOOM**-notches) if zooms else scrolled(half, -notches)
        return None if (wanted.index, wanted.end or half.n_tokens) == (half.first, half.end) else wanted
    return None


def zoomed(half: Half, token: float, factor: float) -> Place:
    """The excerpt with `factor` times as many tokens, in which `token` stays at its height."""
    shown = half.end - half.first
    count = min(max(round(shown * factor), _LEAST), half.n_tokens)
    if count == shown and factor < 1:
        count = max(count - 1, min(_LEAST, half.n_tokens))
    share = (token - half.first) / max(shown, 1)
    return _placed(half, round(token - share * count), count)


def scrolled(half: Half, notches: float) -> Place:
    """The excerpt further down, or further up where `notches` are negative."""
    shown = half.end - half.first
    longest = max((len(group) for group in half.groups), default=half.block)  # An excerpt of words begins with a whole one.
    step = max(longest, round(abs(notches) * _SCROLLED * shown))
    return _placed(half, half.first + (step if notches > 0 else -step), shown)


def centred(half: Half, share: float) -> Place:
    """The excerpt around a share of the way through the sentence."""
    shown = half.end - half.first
    return _placed(half, round(share * half.n_tokens - shown / 2), shown)


def _placed(half: Half, first: int, count: int) -> Place:
    first = min(max(first, 0), half.n_tokens - count)
    end = first + count
    return Place("excerpt", side=half.tokens, index=first, end=0 if (first, end) == (0, half.n_tokens) else end)
