"""Labels that fit their text into the room that they have: facts, titles, and tables. Nothing is cut in the middle."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

_BETWEEN = "  ·  "


class PartsLabel(QLabel):
    """A line of facts that leaves out whole facts from its end where there is no room. `text` has all of them.

    The parts are chosen on resize and not on paint, because painting in Python has to wait for the compute thread's turn.
    """

    def __init__(self) -> None:
        super().__init__()
        self._parts: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)  # Parts may quote tokens such as <eos>.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        return _BETWEEN.join(self._parts)

    def shown(self) -> str:
        """What is visible."""
        return super().text()

    def set_parts(self, parts: Sequence[str]) -> None:
        """Show these parts, the first of which matters most."""
        if tuple(parts) != self._parts:
            self._parts = tuple(parts)
            self.updateGeometry()
            self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        return QSize(self._wide(len(self._parts)) + 2, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _wide(self, count: int) -> int:
        """The width (px) of the first `count` parts."""
        return self.fontMetrics().horizontalAdvance(_BETWEEN.join(self._parts[:count]))

    def _fit(self) -> None:
        count = next((count for count in range(len(self._parts), 0, -1) if self._wide(count) <= self.width()), 0)
        super().setText(_BETWEEN.join(self._parts[:count]))


_LEAST_PX = 24
_MAY_BREAK = "\N{ZERO WIDTH SPACE}"


class TitleLabel(QLabel):
    """A label of one line, or of as many as its text needs in the width that `fit` was told. Names break behind their dots."""

    def __init__(self) -> None:
        super().__init__()
        self._wide_px, self._text = 0, ""
        self.setTextFormat(Qt.TextFormat.PlainText)  # A title may quote a token such as <eos>.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        self._text = text
        super().setText(text.replace(".", f".{_MAY_BREAK}") if self._wide_px else text)

    def one_line_px(self) -> int:
        """The width of the whole title in one line."""
        self.ensurePolished()
        return self.fontMetrics().horizontalAdvance(self.text()) + 2

    def fit(self, wide_px: int) -> None:
        """Take one line if this width (px) is enough, otherwise several."""
        wide_px = 0 if wide_px >= self.one_line_px() else max(_LEAST_PX, wide_px)
        if wide_px != self._wide_px:
            self._wide_px = wide_px
            self.setWordWrap(wide_px > 0)
            self.setText(self._text)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        if self._wide_px:
            return QSize(self._wide_px, self.heightForWidth(self._wide_px))
        return QSize(self.one_line_px(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_PX, self.sizeHint().height())


class TableLabel(QLabel):
    """Rich text with tables, as wide as its place and as high as its text needs then.

    Qt's own label lays its tables out a dozen times before each painting; here the height is computed once for each width.
    """

    def __init__(self) -> None:
        super().__init__()
        self._heights_px: dict[int, int] = {}  # by width, for the present text
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)

    def setText(self, text: str) -> None:
        if text != self.text():
            self._heights_px.clear()
            super().setText(text)

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights_px:
            self._heights_px[width] = super().heightForWidth(width)
        return self._heights_px[width]

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.heightForWidth(self.width()))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._heights_px.clear()
        super().changeEvent(event)
