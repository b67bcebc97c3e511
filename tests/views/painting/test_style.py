"""A theme in the place of another one is put on without waiting, and leaves widgets as they are when they are made under it."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from explorer.picture.theme import DARK, FAMILY, LIGHT
from explorer.views.painting.style import use_font, use_theme

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


def shown(qtbot: QtBot) -> QWidget:
    """Widgets that the sheet styles, one with a font and one with a palette of its own."""
    whole = QWidget(objectName="knobs")
    room = QVBoxLayout(whole)
    title, own, ticked, chosen, typed, small = (
        QLabel("题"),
        QLabel("own"),
        QCheckBox("a"),
        QComboBox(),
        QLineEdit("b"),
        QToolButton(),
    )
    title.setObjectName("title")
    large = QFont(own.font())
    large.setPixelSize(25)
    own.setFont(large)
    ticked.setChecked(True)
    chosen.addItems(["c", "d"])
    palette = QPalette(typed.palette())
    palette.setColor(QPalette.ColorRole.Text, QColor("#00aa00"))
    typed.setPalette(palette)
    small.setObjectName("small")
    small.setText("e")
    for each in (title, own, ticked, chosen, typed, small):
        each.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Only the window in front would show it.
        room.addWidget(each)
    qtbot.addWidget(whole)
    whole.resize(300, 300)
    whole.show()
    QCoreApplication.processEvents()
    return whole


def seen(widget: QWidget) -> QImage:
    QCoreApplication.processEvents()
    return widget.grab().toImage()


def test_a_switched_window_looks_as_a_new_one(qtbot: QtBot, qapp: QApplication) -> None:
    """To the pixel, after a switch, after the switch back, and after one to the same theme."""
    use_theme(qapp, DARK)
    switched = shown(qtbot)
    for theme in (LIGHT, DARK, DARK):
        before = seen(switched)
        use_theme(qapp, theme)
        assert seen(switched) == seen(shown(qtbot))
        assert theme is DARK or seen(switched) != before


def test_the_bundled_font_is_named_once(qapp: QApplication) -> None:
    """However many windows were made: fonts with other families are other fonts to everything that is kept by font."""
    before = QApplication.font()
    try:
        fonts = []
        for _window in range(3):
            use_font(qapp)
            fonts.append(QApplication.font())
        assert fonts[0].families()[0] == FAMILY and fonts[0].families().count(FAMILY) == 1
        assert all(font == fonts[0] and hash(font) == hash(fonts[0]) for font in fonts)
    finally:
        QApplication.setFont(before)
