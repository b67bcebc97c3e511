"""A row of small buttons that goes on in further lines where the width ends."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QLayout, QLayoutItem, QWidget


def flowing(*widgets: QWidget, gap_px: int = 8) -> QWidget:
    """A widget that shows these in as many lines as they need."""
    row = QWidget()
    layout = FlowLayout(row, gap_px)
    for each in widgets:
        layout.addWidget(each)
    return row


class FlowLayout(QLayout):
    """Lays out widgets from left to right, and in as many lines as they need; some stand at the right end of their line."""

    def __init__(self, parent: QWidget, gap_px: int = 4) -> None:
        super().__init__(parent)
        self.setContentsMargins(QMargins(0, 0, 0, 0))
        self._gap = gap_px
        self._items: list[QLayoutItem] = []
        self._at_end: list[QWidget] = []

    def add_at_end(self, widget: QWidget) -> None:
        """Add a widget that stands at the right end of its line; one at a time is shown."""
        self._at_end.append(widget)
        self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]  # As above.
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        around = self.contentsMargins()
        high = self._lay(QRect(0, 0, width - around.left() - around.right(), 0), move=False)
        return high + around.top() + around.bottom()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay(self.contentsRect(), move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    def _lay(self, rect: QRect, *, move: bool) -> int:
        """Place the items; returns the height (px) that they need. A label is as high as the highest of them."""
        x, y, line = rect.x(), rect.y(), 0
        tallest = max((item.sizeHint().height() for item in self._items if not item.isEmpty()), default=0)
        for item in self._items:
            if item.isEmpty():
                continue
            hint = item.sizeHint()
            if isinstance(item.widget(), QLabel):
                hint.setHeight(tallest)
            if x > rect.x() and x + hint.width() > rect.right() + 1:
                x, y, line = rect.x(), y + line + self._gap, 0
            if item.widget() in self._at_end:
                x = max(x, rect.right() + 1 - hint.width())
            if move:
                item.setGeometry(QRect(QPoint(x, y), hint))
            x += hint.width() + self._gap
            line = max(line, hint.height())
        return y + line - rect.y()
