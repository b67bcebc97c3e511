"""Draws a Postcard as large as it fits, as it will be in the file."""

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter

from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.postcard import HIGH_PX, WIDE_PX, draw_postcard
from explorer.picture.layout.sketch import Sketch
from explorer.picture.theme import Theme
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.surface import Surface


class PostcardView(Surface):
    """Shows a Postcard."""

    def __init__(self) -> None:
        super().__init__()
        self.picture: Postcard | None = None
        self._sketch: Sketch | None = None

    def sizeHint(self) -> QSize:
        return QSize(round(WIDE_PX * 0.6), round(HIGH_PX * 0.6))

    def draw(self, picture: Postcard, words: Words) -> None:
        self.picture, self.words, self._sketch = picture, words, None
        self.setAccessibleName(picture.caption.title)
        self.setAccessibleDescription(in_words(picture, words))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._sketch = None
        super().set_theme(theme)

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None or self.words is None:
            return
        if self._sketch is None:
            self._sketch = Sketch(self.theme, "", self.measure)
            draw_postcard(self._sketch, self.picture, self.words)
        scale = min(self.width() / WIDE_PX, self.height() / HIGH_PX)
        painter.save()
        painter.translate((self.width() - scale * WIDE_PX) / 2, (self.height() - scale * HIGH_PX) / 2)
        painter.scale(scale, scale)
        paint_marks(painter, self._sketch.marks, self.theme)
        painter.restore()
        self.paint_focus(painter)
