"""What a key chooses in a river."""

from PySide6.QtCore import Qt

from explorer.picture.river.place import Place
from explorer.picture.river.river import River


def key_place(key: Qt.Key, river: River) -> Place | None:
    """What a key chooses."""
    if Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
        head = key - Qt.Key.Key_0
        block = river.focus
        if block is None or block.weights is None or head >= len(block.weights):
            return None
        return Place("head", attention=river.attention, layer=river.layer, head=head)
    if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        blocks = [block for block in river.blocks() if block.weights is not None]
        here = next((i for i, b in enumerate(blocks) if (b.attention, b.layer) == (river.attention, river.layer)), 0)
        there = blocks[min(max(here + (1 if key == Qt.Key.Key_Right else -1), 0), len(blocks) - 1)]
        return Place("block", attention=there.attention, layer=there.layer)
    steps = {
        Qt.Key.Key_Up: river.written.step - 1,
        Qt.Key.Key_Down: river.written.step + 1,
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: river.halves[-1].n_tokens - 1,
    }
    if key not in steps:
        return None
    return Place("step", side=river.halves[-1].tokens, index=min(max(steps[key], 0), river.halves[-1].n_tokens - 1))
