"""A line of facts that leaves out whole facts from its end where there is no room, and never cuts one."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

_BETWEEN = "  ·  "


class PartsLabel(QLabel):
    """Shows as many of its parts as fit. `text` has all of them.

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
