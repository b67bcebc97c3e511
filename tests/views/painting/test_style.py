"""A theme in the place of another one is put on without waiting, and leaves widgets as they are when they are made under it."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPalette
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from explorer.picture.theme import DARK, FAMILY, LIGHT
from explorer.views.controls.check_box import CheckBox
from explorer.views.painting.style import _ROLES, Restyling, style_anew, use_font, use_theme

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


def test_a_theme_styles_what_is_in_sight_at_once_and_the_rest_later(qapp: QApplication, qtbot: QtBot) -> None:
    """Once each, however deep they are: by another sheet Qt would style all of them, once for each ancestor. What comes into
    sight meanwhile is not forgotten, and what is deleted meanwhile is let go.
    """
    window, inside = QWidget(), QWidget()
    qtbot.addWidget(window)
    inner: QWidget = window
    for _ in range(_DEPTH):
        layout = QVBoxLayout(inner)
        inner = QLabel()
        layout.addWidget(inner)
    inside.setParent(window)
    away, gone = QLabel("away", inside), QLabel("gone", inside)
    window.show()
    inside.hide()
    before = qapp.styleSheet(), qapp.palette()
    try:
        use_theme(qapp, LIGHT)
        use_theme(qapp, LIGHT)  # The first one sets the sheet.
        qtbot.waitUntil(lambda: not qapp.findChild(Restyling).busy)
        styled, later = _Styled(inner), _Styled(away)
        use_theme(qapp, DARK)
        assert (styled.count, later.count) == (1, 0)
        assert inner.palette().color(inner.foregroundRole()).name() == DARK.text
        delete(gone)
        inside.show()
        qtbot.waitUntil(lambda: not qapp.findChild(Restyling).busy)
        assert (styled.count, later.count) == (1, 1)
        assert away.palette().color(away.foregroundRole()).name() == DARK.text
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
        CheckBox("a"),
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


def test_a_window_in_another_font_looks_as_a_new_one(qtbot: QtBot, qapp: QApplication) -> None:
    """To the pixel, in larger letters and in the usual ones again."""
    use_theme(qapp, LIGHT)
    before = qapp.font()
    larger = QFont(before)
    larger.setPointSizeF(before.pointSizeF() * 1.5)
    kept = shown(qtbot)
    try:
        for font in (larger, before):
            qapp.setFont(font)
            style_anew(qapp)
            assert seen(kept) == seen(shown(qtbot))
    finally:
        qapp.setFont(before)


def test_every_colour_of_the_sheet_has_a_role_of_its_own() -> None:
    """Two colours of one role would be one colour."""
    assert len(set(_ROLES.values())) == len(_ROLES)


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
