"""Draws an Account: the waterfall of parts, or one list of terms. A click on a part opens it in place.

Keys: the arrows walk from part to part, Home and End go to the ends, Enter opens, Esc goes back one step. Space adds the parts
of the waterfall one after the other, and stops that. Of a list without room for all terms the wheel, Page Down and Page Up show
the others, and so does a click on the row that stands for them.
"""

from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.causal_kinds import Account
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.account import TermSpot, account
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.waterfall import n_added, n_terms
from explorer.picture.marks import Rect, framed
from explorer.picture.theme import Theme
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.motion import may_move
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_STEPS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
_PAGES = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
_WHEEL_TERMS = 3  # at each notch
_REACH_PX = 3.0  # A segment narrower than this is pointed at from beside it.


_TICK_MS = 15


class AccountView(Surface):
    """Shows an Account. What it paints follows from the picture and `time_ms` alone; a timer only moves `time_ms` on.

    Signals: went(fields) with the fields of the Look that a click sets; leaving() on Esc; moved() when playing has begun or
    ended.
    """

    draws_in_px = True

    went = Signal(dict)
    leaving = Signal()
    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picture: Account | None = None
        self._places: list[TermSpot] = []
        self.here: int | None = None  # the place under the mouse
        self.selected: int | None = None  # the place that keys have selected
        self.time_ms: float | None = None  # since the first part was added; None: all of them are there
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._sketch: Sketch | None = None
        self._pressed: int | None = None
        self._first = 0  # the first term of a list that is shown
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)

    def draw(self, picture: Account, words: Words) -> None:
        before, self.picture, self.words = self.picture, picture, words
        if before is None or [link.label for link in before.sums.trail] != [link.label for link in picture.sums.trail]:
            self.selected = None
        if before is None or len(before.sums.terms) != len(picture.sums.terms) or before.sums.trail != picture.sums.trail:
            self._first = 0
        if picture.sums.terms or (before is not None and before.sums.trail != picture.sums.trail):
            self._end()
        self.setAccessibleDescription(f"{in_words(picture, words)}\n{words('why.keys_hint')}")
        self._place()
        if self.here is not None:
            self._lay_out()  # The place under the mouse may be gone.
        self.tell_again(NOTHING if self.here is None else self.describe(self.here))

    # Time

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def play(self) -> None:
        """Add the parts one after the other, from the first. Where nothing may move, all of them stay."""
        if self.picture is None or self.picture.sums.terms or not self.picture.sums.exact or not may_move():
            return
        self.seek(0.0)
        self._clock.start()
        self._timer.start()
        self.moved.emit()

    def seek(self, time_ms: float) -> None:
        """Show the sum as it is after a time."""
        self.time_ms = time_ms
        self._place()

    def stop(self) -> None:
        """Stay at the part that has been added last; the whole sum comes back with Space."""
        self._timer.stop()
        self.moved.emit()

    def _end(self) -> None:
        """Show the whole sum."""
        if self.time_ms is not None:
            self._timer.stop()
            self.time_ms = None
            self._place()
            self.moved.emit()

    def _tick(self) -> None:
        self.seek(float(self._clock.elapsed()))
        if self.picture is None or n_added(self.picture.sums, self.time_ms or 0.0) >= n_terms(self.picture.sums):
            self._end()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._end()

    def enlarge_letters(self, times: float) -> None:
        super().enlarge_letters(times)
        self._place()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._place()

    def _place(self) -> None:
        """The marks and the places are to be made anew, when they are painted or asked for: a layout resizes several times."""
        self._sketch, self._places = None, []
        self.update()

    @property
    def places(self) -> list[TermSpot]:
        """What answers to the mouse, in the order of drawing."""
        self._lay_out()
        return self._places

    def _lay_out(self) -> None:
        """Make the marks and the places, unless they are there."""
        if self._sketch is not None or self.picture is None or self.words is None:
            return
        self._sketch = Sketch(self.theme, self.picture.signed_colours, self.measure, answers=True)
        added = None if self.time_ms is None else n_added(self.picture.sums, self.time_ms)
        area = Rect(0, 0, self.wide, self.high)
        self._places = account(self._sketch, self.picture.sums, self.words, area, added, self._first)
        self.here = self.here if self.here is not None and self.here < len(self._places) else None
        self.selected = self.selected if self.selected is not None and self.selected < len(self._places) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def place_rect(self, index: int) -> QRectF:
        """The rectangle of a place (px)."""
        area = self.places[index].area
        return QRectF(area.x, area.y, area.wide, area.high)

    def paint(self, painter: QPainter, part: QRect) -> None:
        self._lay_out()
        if self._sketch is None:
            return
        framed_places = ((self.here, 1.0), (self.selected if self.hasFocus() else None, 2.0))
        frames = [framed(self.places[index].area.grown(0.5), "accent", px) for index, px in framed_places if index is not None]
        paint_marks(painter, [*self._sketch.marks, *frames], self.theme)
        self.paint_focus(painter)

    def describe(self, index: int) -> Pointed:
        return Pointed(self.places[index].about)

    def _at(self, place: QPointF) -> int | None:
        """The place under a point; a narrow one also from beside it."""
        for reach in (0.0, _REACH_PX):
            for index in range(len(self.places)):
                if self.place_rect(index).adjusted(-reach, 0, reach, 0).contains(place):
                    return index
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = self._at(self.at(event))
        if here != self.here:
            self.here = here
            opens = here is not None and self.places[here].goes is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if opens else Qt.CursorShape.ArrowCursor)
            self.update()
        self.tell(event.globalPosition().toPoint(), NOTHING if here is None else self.describe(here))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self._at(self.at(event))
            self.pointed.emit(NOTHING if self._pressed is None else self.describe(self._pressed))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the part on which the mouse was both pressed and released; the other button of the mouse goes back."""
        if event.button() == Qt.MouseButton.BackButton:
            self.leaving.emit()
        here = self._at(self.at(event))
        if event.button() == Qt.MouseButton.LeftButton and here is not None and here == self._pressed:
            self.selected = here
            self._open()
        self._pressed = None

    def _open(self) -> None:
        spot = None if self.selected is None else self.places[self.selected]
        if spot is not None and spot.more and not self.show_further(spot.more):
            self.show_further(-self._first)  # behind the last ones come the first ones
        elif spot is not None and spot.goes is not None:
            self.went.emit(dict(spot.goes))

    def show_further(self, by: int) -> bool:
        """Show later terms of a list, or earlier ones where `by` is negative; False where it cannot go on."""
        spot = next((each for each in self.places if each.more), None)
        if spot is None or self.picture is None:
            return False
        first = min(max(self._first + by, 0), len(self.picture.sums.terms) - spot.more)
        if first == self._first:
            return False
        self._first = first
        self._place()
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the list; at its ends, and where all terms are shown, the page scrolls."""
        turned = event.angleDelta().y()
        event.setAccepted(turned != 0 and self.show_further(_WHEEL_TERMS if turned < 0 else -_WHEEL_TERMS))

    def _walk(self, to: int) -> None:
        if self.places:
            self.selected = min(max(to, 0), len(self.places) - 1)
            self.tell_by_keys(self.describe(self.selected), self.place_rect(self.selected))

    def event(self, event: QEvent) -> bool:
        """Take Esc before the window does, while a part is open."""
        overrides = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if overrides and event.key() == Qt.Key.Key_Escape and self._inside():  # type: ignore[attr-defined]  # It is a QKeyEvent.
            event.accept()
            return True
        return super().event(event)

    def _inside(self) -> bool:
        """Whether a part is open, so that there is a way back."""
        return self.picture is not None and bool(self.picture.sums.trail)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, last = Qt.Key(event.key()), len(self.places) - 1
        if key in _STEPS:
            at = self.selected
            self._walk((0 if _STEPS[key] > 0 else last) if at is None else at + _STEPS[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._walk(0 if key == Qt.Key.Key_Home else last)
        elif key in _PAGES and any(each.more for each in self.places):
            self.show_further(_PAGES[key] * max(each.more for each in self.places))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif key == Qt.Key.Key_Space and self.picture is not None and not self.picture.sums.terms:
            if self.playing:
                self.stop()
            elif self.time_ms is not None:
                self._end()
            else:
                self.play()
        elif key in (Qt.Key.Key_Escape, Qt.Key.Key_Backspace) and self._inside():
            self.leaving.emit()
        else:
            super().keyPressEvent(event)

    def left(self) -> None:
        self.here = None
