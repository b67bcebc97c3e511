"""Shows a River: the whole pass on one picture, which answers to the mouse and the keys.

Keys: left and right go through the attentions in the order of computation, up and down through the steps or tokens, digits
choose a head, Home and End the first and last step. With Shift the arrows walk the cells of the head that is looked at:
up and down its queries, left and right its keys. Enter opens the block in place, and again its page; Escape
closes it, or lets a token go that a click has pinned. Space plays the steps, B lets bands show
contributions or weights, M a mean or maximum of heads. F follows the weight that stands out, as does a double click on it,
or a click on a cell of an opened block.
The wheel goes through a long sentence, with Ctrl it shows fewer tokens or more, as + and − do.
"""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QMenu

from explorer.picture.river.changeable import changeable, pointed_place
from explorer.picture.river.excerpts import centred, scrolled, turned, zoomed
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import usual
from explorer.picture.river.river import River
from explorer.picture.river.strips import bar_rect
from explorer.trace.tap_names import Cell
from explorer.views.painting.cell_cursor import arrow
from explorer.views.painting.change_menu import ChangeMenu
from explorer.views.painting.spoken import say
from explorer.views.pictures.river_surface import RiverSurface

_NO_PLACE = Place("")
_FACTORS = {Qt.Key.Key_Plus: 0.64, Qt.Key.Key_Equal: 0.64, Qt.Key.Key_Minus: 1.5625}
_NOTCHES = {Qt.Key.Key_PageUp: -5.0, Qt.Key.Key_PageDown: 5.0}
EXCERPT_KEYS = frozenset((*_FACTORS, *_NOTCHES))
"""+ shows fewer tokens, around the chosen step; − more; the page keys go further on."""


class RiverView(RiverSurface):
    """Shows a River.

    Signals: pointed(Pointed) when the mouse moves over something or leaves; chose(Place) on a click or a key; followed(Cell)
    when somebody wants to see how a weight comes about; laid_out() when columns may stand elsewhere; opened() on Enter in an
    opened block; wished(Intent) from the menu, for a change at what is pointed at.
    """

    chose = Signal(object)
    followed = Signal(object)
    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._dragged = _NO_PLACE  # where the mouse was pressed
        self.change_menu = ChangeMenu(self, self.wished.emit)

    def fit(self) -> None:
        """Let go what was pointed at, or pinned, and show all tokens."""
        self.pinned = None
        self._point(None)
        for half in () if self.picture is None else self.picture.halves:
            if not half.whole:
                self.chose.emit(Place("excerpt", side=half.tokens))

    # Qt's events

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.motion.end()
        self._mouse = self.at(event)
        if event.buttons() & Qt.MouseButton.LeftButton and self._dragged.kind in ("scroll", "block"):
            self._drag(self._mouse)
        else:
            self._point_at(self._mouse)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Over lanes: with Ctrl show fewer or more tokens, around the one under the mouse; else those further on."""
        notches, zooms = event.angleDelta().y() / 120, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self.picture is None or self.grid is None or self._inside is not None or not notches:
            event.ignore()
            return
        wanted = turned(self.picture, self.grid, self.at(event).y(), notches, zooms=zooms)
        if wanted is None:
            event.ignore()
        else:
            self.chose.emit(wanted)

    def _scroll_to(self, side: str, y: float) -> None:
        """Show the tokens around a height of the bar that stands for the whole sentence."""
        assert self.picture is not None and self.grid is not None  # The bar is painted.
        half, place = next(each for each in zip(self.picture.halves, self.grid.halves, strict=True) if each[0].tokens == side)
        rect = bar_rect(half, place)
        self.chose.emit(centred(half, (y - rect.y) / rect.high))

    def _drag(self, point: QPointF) -> None:
        """Follow the mouse with its button down: along a bar, or from layer to layer."""
        if self._dragged.kind == "scroll":
            self._scroll_to(self._dragged.side, point.y())
            return
        place, river = self.place_at(point), self.picture
        elsewhere = river is not None and place is not None and place.kind == "block" and place.layer != river.layer
        if river is not None and elsewhere and place is not None and place.attention == river.attention:
            self.chose.emit(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = _NO_PLACE
        super().mouseReleaseEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.motion.end()
        self.setFocus()
        place = self.place_at(self.at(event))
        self._dragged = place or _NO_PLACE
        if place is not None and place.kind == "scroll":
            self._scroll_to(place.side, self.at(event).y())
            return
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            if place.kind == "pair" and self._inside is not None:
                self._follow(place.query, place.key)
                return
            if place.kind in ("token", "vector") and place.side == "source":  # The Look does not know which one.
                pointing = self._pointing_at(place)
                self.pinned = None if pointing == self.pinned else pointing
            self.chose.emit(place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(self.at(event))
        river = self.picture
        if place is None or river is None or place.kind != "pair":
            return
        if (place.attention, place.layer) == (river.attention, river.layer):
            self._follow(place.query, place.key)

    def _follow(self, query: int, key: int) -> None:
        """Ask for the page that plays how a weight of the head that is looked at comes about."""
        river = self.picture
        if river is not None and river.halves[0].block == 1 and river.head is not None:
            self.followed.emit(Cell(river.attention, river.layer, river.head, *river.pair(query, key)))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.asked_menu(event)
        if menu is not None:
            menu.popup(event.globalPos())

    def asked_menu(self, event: QContextMenuEvent) -> QMenu | None:
        """The menu that changes what is under the mouse, or for the menu key what stands out."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        if self.picture is None:
            return None
        place = (
            pointed_place(self.picture, self.pointing) if by_key else self.place_at(QPointF(event.pos()) * (1 / self.larger))
        )
        return self.change_menu.made(None if place is None else changeable(self.picture, place), self.words)

    def event(self, event: QEvent) -> bool:
        """Escape closes an opened block, or lets a pinned token go, before it stops a computation."""
        if event.type() == QEvent.Type.ShortcutOverride and (self._inside is not None or self.pinned is not None):
            assert isinstance(event, QKeyEvent)  # It is one of this type.
            if event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
        return super().event(event)

    def _walk(self, down: int, across: int) -> None:
        """Point at the cell beside the one that stands out, of the head that is looked at."""
        river = self.picture
        if river is None or river.focus is None or river.focus.drawn is None:
            return
        n_queries, n_keys = river.focus.drawn.shape
        pair = (self.pointing or usual(river)).pair or (river.query, 0)
        query, key = min(max(pair[0] + down, 0), n_queries - 1), min(max(pair[1] + across, 0), n_keys - 1)
        place = Place("pair", attention=river.attention, layer=river.layer, query=query, key=key)
        self._point(self._pointing_at(place))
        told = self.told(self.pointing)
        self.lit = told.tokens
        self.pointed.emit(told)
        say(self, f"{self.explanation}\n{told.text}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:  # These keys belong to the window.
            super().keyPressEvent(event)
            return
        step = arrow(event) if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else None
        if step is not None:
            self._walk(*step)
            return
        place = None if self.picture is None else key_place(Qt.Key(event.key()), self.picture)
        if place is not None:
            self.chose.emit(place)
            say(self, self.explanation)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._inside is None:
                self.chose.emit(Place("open"))
            else:
                self.opened.emit()
        elif event.key() in EXCERPT_KEYS and self.picture is not None and self._inside is None:
            for wanted in by_key(event.key(), self.picture):
                self.chose.emit(wanted)
        elif event.key() == Qt.Key.Key_Escape and self.pinned is not None:
            self.fit()
        elif event.key() == Qt.Key.Key_Escape and self._inside is not None:
            self.chose.emit(Place("close"))
        elif event.key() == Qt.Key.Key_Space:
            self.chose.emit(Place("play"))
        elif event.key() == Qt.Key.Key_F and self.picture is not None:
            pair = (self.pointing or usual(self.picture)).pair
            if pair is not None:
                self._follow(*pair)
        else:
            super().keyPressEvent(event)


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
