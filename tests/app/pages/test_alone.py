"""A page that is made opens no window of its own, not for a moment."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from explorer import page_list
from explorer.app.pages.arranging import page_class
from explorer.lang import Words

pytestmark = pytest.mark.slow  # every page is made


class _Shown(QObject):
    """Notes each widget that is shown as a window."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(type(watched).__name__)
        return False


def shown_by(qapp: QApplication, make: Callable[[], QWidget]) -> list[str]:
    """The windows that were shown while a widget was made."""
    shown = _Shown()
    qapp.installEventFilter(shown)
    try:
        make().deleteLater()
    finally:
        qapp.removeEventFilter(shown)
    return shown.windows


def test_a_widget_that_opens_a_window_is_found(qapp: QApplication) -> None:
    """One that shows itself without a parent."""

    def make() -> QWidget:
        label = QLabel()
        label.setVisible(True)
        return label

    assert shown_by(qapp, make) == ["QLabel"]


@pytest.mark.parametrize("key", page_list.KEYS)
def test_no_page_opens_a_window_while_it_is_made(key: str, qapp: QApplication) -> None:
    """Whoever goes to a page for the first time sees nothing flash, and the command line makes no noise."""

    def make() -> QWidget:
        page = page_class(key)()
        page.speak(Words.load("zh"))
        return page

    assert shown_by(qapp, make) == []
