"""The Plot: what views that pyqtgraph draws have in common. +, − and 0 zoom, and a double click shows everything."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsItem

from explorer.picture.theme import Theme
from explorer.views.painting.surface import wheel_is_the_pages


class Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types.
    """A plot without menus inside a view, which takes the keys. Signals: left() when the mouse leaves."""

    left = Signal()

    def __init__(self) -> None:
        pg.setConfigOption("mouseRateLimit", 0)  # Else the last of many moves may be dropped, and what it meets not told.
        super().__init__(viewBox=pg.ViewBox(enableMenu=False), enableMenu=False)  # A menu takes as long as all the rest.
        for widget in (self, self.viewport()):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The view itself takes the keys.
        self.hideButtons()

    def set_theme(self, theme: Theme) -> None:
        self.setBackground(theme.card)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.hairline)
            axis.setTextPen(theme.faint)
            axis.setStyle(tickLength=-4)
            axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def fit(self) -> None:
        self.getPlotItem().getViewBox().autoRange(padding=0.02)

    def zooms(self, event: QKeyEvent) -> bool:
        """Zoom where the key is one of the keys of zoom; tells whether it is."""
        box = self.getPlotItem().getViewBox()
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                box.scaleBy((0.8, 0.8))
            case Qt.Key.Key_Minus:
                box.scaleBy((1.25, 1.25))
            case Qt.Key.Key_0:
                self.fit()
            case _:
                return False
        return True

    def mouseDoubleClickEvent(self, event: Any) -> None:
        self.fit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to a page that scrolls, as in every view, unless this view has the focus."""
        if not wheel_is_the_pages(self.parentWidget(), event):
            super().wheelEvent(event)
