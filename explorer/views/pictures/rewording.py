"""Draws a Rewording: a translation before and after a change. The mouse and the arrow keys tell each word's numbers."""

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent

from explorer.lang import Words
from explorer.picture.causal_kinds import Rewording
from explorer.picture.cell_text import told_difference
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.rewording import PlacedWord, draw_rewording, needed_px
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect, framed
from explorer.picture.theme import Theme
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_MARGIN_PX = 4


class RewordingView(Surface):
    """Shows a Rewording. The layout is made anew only when the picture, the size or the theme is another one."""

    draws_in_px = True

    def __init__(self) -> None:
        super().__init__()
        self.picture: Rewording | None = None
        self.chosen = -1  # the word that the keys have gone to
        self._sketch: Sketch | None = None
        self._placed: tuple[PlacedWord, ...] = ()

    def draw(self, picture: Rewording, words: Words) -> None:
        self.picture, self.words, self._sketch = picture, words, None
        self.setAccessibleDescription(in_words(picture, words))
        self.tell_again()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._sketch = None
        super().set_theme(theme)

    def enlarge_letters(self, times: float) -> None:
        self._sketch = None
        super().enlarge_letters(times)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sketch = None

    def paint(self, painter: QPainter, part: QRect) -> None:
        self._lay_out()
        if self._sketch is not None:
            paint_marks(painter, self._sketch.marks, self.theme)
        if self.hasFocus() and 0 <= self.chosen < len(self._placed):
            paint_marks(painter, [framed(self._placed[self.chosen].area.grown(2), "accent", 2)], self.theme)
        self.paint_focus(painter)

    def _lay_out(self) -> None:
        if self.picture is None or self.words is None or self._sketch is not None:
            return
        sketch = Sketch(self.theme, self.picture.scale.colours, self.measure)
        area = Rect(_MARGIN_PX, _MARGIN_PX, self.wide - 2 * _MARGIN_PX, self.high - 2 * _MARGIN_PX)
        self._placed = draw_rewording(sketch, self.picture, self.words, area)
        self._sketch = sketch

    @property
    def comfortable_px(self) -> int:
        """The height in which all words stand in the smallest letters at the present width."""
        if self.picture is None or self.words is None:
            return 0
        sketch = Sketch(self.theme, self.picture.scale.colours, self.measure)
        area = Rect(_MARGIN_PX, _MARGIN_PX, self.wide - 2 * _MARGIN_PX, 0.0)
        return round((needed_px(sketch, self.picture, self.words, area) + 2 * _MARGIN_PX) * self.larger)

    def _told(self, place: int) -> Pointed:
        """What is said of a word."""
        if self.words is None or not 0 <= place < len(self._placed):
            return NOTHING
        word = self._placed[place].word
        if word.difference is None or word.log_p is None or word.log_p_after is None:
            return Pointed(word.after or word.before)
        told = self.words(
            "change.word",
            word=word.before,
            before=f"{word.log_p:.2f}",
            after=f"{word.log_p_after:.2f}",
            difference=told_difference(word.difference),
        )
        return Pointed(told.replace("-", "\N{MINUS SIGN}"))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._lay_out()
        at = self.at(event)
        found = next((n for n, each in enumerate(self._placed) if _within(each.area, at)), -1)
        self.tell(event.globalPosition().toPoint(), self._told(found))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if not step:
            super().keyPressEvent(event)
            return
        self._lay_out()
        self.chosen = min(max(self.chosen + step, 0), len(self._placed) - 1)
        self.tell_by_keys(self._told(self.chosen))


def _within(area: Rect, at: QPointF) -> bool:
    return area.x <= at.x() <= area.right and area.y <= at.y() <= area.bottom
