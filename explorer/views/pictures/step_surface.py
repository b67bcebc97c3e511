"""The StepSurface, the base of views of a training: mouse, wheel and keys choose a snapshot; what is too high scrolls.

Keys: left and right choose the snapshot before and after, Home and End the first and the last.
"""

from typing import Any

import attrs
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Box, Rect
from explorer.picture.theme import Theme
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_NOTCH = 120  # the angle of one notch of the wheel, in eighths of a degree
_SCROLL_PX = 48.0  # of one notch
_BAR_PX = 3.0
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class StepSurface(Surface):
    """Shows a picture with `steps` and the `shown` one. Signals: pointed(Pointed); stepped(step) for the snapshot to look at.

    The layout is made anew only when the picture, the size or the theme is another one.
    """

    draws_in_px = True
    scrolls_to = "shown"  # the field of the picture that the view scrolls to
    stepped = Signal(int)

    def __init__(self, least_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture: Any = None
        self.shift = 0.0  # how far the picture is scrolled (px)
        self._sketch: Sketch | None = None
        self._turned = 0  # the wheel's angle since the last whole notch
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, least_px)

    # Methods that a subclass overrides

    def lay_out(self, sketch: Sketch) -> None:
        """Draw the picture into a sketch, and keep where it stands."""

    def content_px(self) -> float:
        """The height of the whole picture (px)."""
        return 0.0

    def about(self, place: QPointF) -> Pointed:
        """What is said of a place of the drawing."""
        return NOTHING

    def about_shown(self) -> Pointed:
        """What is said of the snapshot that keys have reached."""
        return NOTHING

    def pressed(self, place: QPointF) -> None:
        """Choose what lies at a place of the drawing."""

    def chosen_part(self) -> tuple[float, float, float] | None:
        """Top and bottom of what is chosen, and the height of the head above (px), as all stands now; None without one."""
        return None

    # Methods that a subclass calls

    def show_picture(self, picture: Any, words: Words, keys: str) -> None:
        """Show another picture; `keys` says what keys do."""
        before = None if self.picture is None else getattr(self.picture, self.scrolls_to)
        was_seen = self._sees_chosen()
        self.picture, self.words = picture, words
        self.setAccessibleName(picture.caption.title)
        self.setAccessibleDescription(f"{in_words(picture, words)}\n{keys}")
        self.made_anew()
        self.laid_out()
        if was_seen or getattr(picture, self.scrolls_to) != before:  # Else somebody has scrolled away on purpose.
            self.reveal()
        self.tell_again()

    def change(self, **fields: Any) -> None:
        """Show what a person has chosen at once, before the new pictures are made."""
        self.picture = attrs.evolve(self.picture, **fields)
        self.made_anew()
        if self.scrolls_to in fields:
            self.reveal()

    def made_anew(self) -> None:
        """Forget the layout."""
        self._sketch = None
        self.update()

    def laid_out(self) -> Sketch | None:
        """The marks of the picture; None without one."""
        if self._sketch is None and self.picture is not None and self.words is not None:
            self._sketch = Sketch(self.theme, "", self.measure, answers=True)
            self.lay_out(self._sketch)
            if self.shift > self.most_shift:
                self.shift, self._sketch = self.most_shift, Sketch(self.theme, "", self.measure, answers=True)
                self.lay_out(self._sketch)
        return self._sketch

    @property
    def most_shift(self) -> float:
        """How far the picture can be scrolled (px)."""
        return max(0.0, self.content_px() - self.high)

    def scroll_to(self, top: float, bottom: float, head: float = 0.0) -> None:
        """Scroll until a part of the drawing, as it stands now, is seen below a head of this height (px)."""
        self.scroll_by(min(0.0, top - head) or max(0.0, bottom - self.high))

    def reveal(self) -> None:
        """Scroll to what is chosen."""
        part = self.chosen_part()
        if part is not None:
            self.scroll_to(*part)

    def _sees_chosen(self) -> bool:
        """Whether what is chosen is seen whole."""
        part = None if self.picture is None else self.chosen_part()
        return part is not None and part[0] >= part[2] and part[1] <= self.high

    def scroll_by(self, by: float) -> None:
        """Scroll by px of the drawing."""
        shift = min(max(self.shift + by, 0.0), self.most_shift)
        if shift != self.shift:
            self.shift = shift
            self.made_anew()

    def go(self, step: int | None) -> None:
        """Look at another snapshot."""
        if step is not None and step != self.picture.shown:
            self.change(shown=step)
            self.stepped.emit(step)

    def walk(self, by: int) -> None:
        """Look at a snapshot before or after."""
        steps = self.picture.steps
        if steps:
            place = steps.index(self.picture.shown) + by if self.picture.shown in steps else len(steps) - 1
            self.go(steps[min(max(place, 0), len(steps) - 1)])
            self.tell_by_keys(self.about_shown())

    def paint_scroll_bar(self, painter: QPainter) -> None:
        """Paint which part is seen, where not all is."""
        if self.most_shift > 0:
            share = self.high / self.content_px()
            bar = Rect(self.wide - _BAR_PX - 1, self.shift * share, _BAR_PX, self.high * share)
            paint_marks(painter, [Box(bar, "closed_line", radius=1.5)], self.theme)

    # Events

    def set_theme(self, theme: Theme) -> None:
        self._sketch = None
        super().set_theme(theme)

    def enlarge_letters(self, times: float) -> None:
        self._sketch = None
        super().enlarge_letters(times)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.made_anew()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.laid_out() is not None:
            self.pressed(self.at(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.laid_out() is None:
            return
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.pressed(self.at(event))
        self.laid_out()  # What was pressed may stand elsewhere now.
        self.tell(event.globalPosition().toPoint(), self.about(self.at(event)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll what is too high; else choose the snapshot before or after with each notch."""
        if self.wheel_is_the_pages(event) or self.laid_out() is None:
            return
        angle = event.angleDelta()
        if self.most_shift > 0 and abs(angle.y()) >= abs(angle.x()):
            self.scroll_by(-angle.y() / _NOTCH * _SCROLL_PX)
        else:
            self._turned += angle.y() or angle.x()
            notches = int(self._turned / _NOTCH)
            self._turned -= notches * _NOTCH
            if notches:
                self.walk(-notches)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self.laid_out() is None or key not in (*_STEPS, *_ENDS) or not self.picture.steps:
            super().keyPressEvent(event)
        elif key in _STEPS:
            self.walk(_STEPS[key])
        else:
            self.go(self.picture.steps[_ENDS[key]])
            self.tell_by_keys(self.about_shown())
