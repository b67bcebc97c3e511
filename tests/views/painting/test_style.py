"""A theme is put on without waiting."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from explorer.picture.theme import DARK, LIGHT
from explorer.views.painting.style import use_theme

_DEPTH = 9


class _Styled(QObject):
    """Counts how often a widget is styled."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Nothing is kept from the widget."""
        self.count += event.type() == QEvent.Type.StyleChange
        return False


def test_a_theme_styles_a_widget_twice_however_deep_it_is(qapp: QApplication, qtbot: QtBot) -> None:
    """Qt alone would do it once for each ancestor."""
    window = QWidget()
    qtbot.addWidget(window)
    inner: QWidget = window
    for _ in range(_DEPTH):
        layout = QVBoxLayout(inner)
        inner = QLabel()
        layout.addWidget(inner)
    window.show()
    before = qapp.styleSheet(), qapp.palette()
    try:
        use_theme(qapp, LIGHT)
        styled = _Styled(inner)
        use_theme(qapp, DARK)
        assert styled.count == 2
        assert inner.palette().color(inner.foregroundRole()).name() == DARK.text
        styled.count = 0
        qapp.setStyleSheet(qapp.styleSheet() + " ")
        assert styled.count > _DEPTH, "Qt styles it once now: style_anew may go"
    finally:
        qapp.setStyleSheet(before[0])
        qapp.setPalette(before[1])
