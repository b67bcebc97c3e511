"""What a key chooses in a river."""

from collections.abc import Iterator

from PySide6.QtCore import Qt

from explorer.picture.river.excerpts import scrolled, zoomed
from explorer.picture.river.place import Place
from explorer.picture.river.river import River

_FACTORS = {Qt.Key.Key_Plus: 0.64, Qt.Key.Key_Equal: 0.64, Qt.Key.Key_Minus: 1.5625}
_NOTCHES = {Qt.Key.Key_PageUp: -5.0, Qt.Key.Key_PageDown: 5.0}
EXCERPT_KEYS = frozenset((*_FACTORS, *_NOTCHES))
"""+ shows fewer tokens, around the chosen step; − more; the page keys go further on."""


def by_key(pressed: int, river: River) -> Iterator[Place]:
    """The excerpts that one of these keys asks for, one for each sentence that it changes."""
    key = Qt.Key(pressed)
    for half in river.halves:
        if key in _FACTORS:
            middle = river.written.step if half is river.halves[-1] else (half.first + half.end) // 2
            yield zoomed(half, min(max(middle, half.first), half.end), _FACTORS[key])
        elif not half.whole:
            yield scrolled(half, _NOTCHES[key])


def key_place(key: Qt.Key, river: River) -> Place | None:
    """What a key chooses."""
    if Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
        head = key - Qt.Key.Key_0
        block = river.focus
        if block is None or block.weights is None or head >= len(block.weights):
            return None
        return Place("head", attention=river.attention, layer=river.layer, head=head)
    if key == Qt.Key.Key_B:
        return Place("bands", side="contributions" if river.bands == "weights" else "weights")
    if key == Qt.Key.Key_M and river.pools:
        order = ("", *river.pools)
        following = order[(order.index(river.pooled) + 1) % len(order)]
        return Place("pool", side=following or "head", attention=river.attention, layer=river.layer)
    if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        blocks = [block for block in river.blocks() if block.weights is not None]
        here = next((i for i, b in enumerate(blocks) if (b.attention, b.layer) == (river.attention, river.layer)), 0)
        there = blocks[min(max(here + (1 if key == Qt.Key.Key_Right else -1), 0), len(blocks) - 1)]
        return Place("block", attention=there.attention, layer=there.layer)
    half = river.halves[-1]
    steps = {
        Qt.Key.Key_Up: _beside(river, -1),
        Qt.Key.Key_Down: _beside(river, 1),
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: half.n_tokens - 1,
    }
    if key not in steps:
        return None
    return Place("step", side=half.tokens, index=min(max(steps[key], 0), half.n_tokens - 1))


def _beside(river: River, by: int) -> int:
    """The step before or after the chosen one; where lanes are words, that of the word before or after."""
    half = river.halves[-1]
    if not half.groups:
        return river.written.step + by
    return half.writes(min(max(river.step_lane + by, 0), half.n - 1))[0]
