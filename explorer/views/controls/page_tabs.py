"""The tabs of the pages that share a place of the header, and beside them what the page in front lets one choose.

A place with a single page has no tabs.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QToolButton, QWidget

from explorer import page_list
from explorer.lang import Words
from explorer.state.intents import OpenPage
from explorer.views.controls.flow import FlowLayout
from explorer.views.painting.read_as import read_as


class PageTabs(QWidget):
    """Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page_tabs")
        read_as(self, QAccessible.Role.PageTabList)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        self._choices: QWidget | None = None
        layout = self._row = FlowLayout(self, gap_px=6)
        layout.setContentsMargins(12, 3, 12, 3)
        for key in page_list.KEYS:
            button = self.buttons[key] = QToolButton()
            button.setObjectName("page_tab")
            button.setCheckable(True)
            read_as(button, QAccessible.Role.PageTab)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Ctrl+PgDown goes on from page to page.
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            self._group.addButton(button, page_list.KEYS.index(key))
            layout.addWidget(button)
        self._group.idClicked.connect(self._chose)
        self.put_page(page_list.KEYS[0])

    def put_page(self, key: str) -> None:
        """Show the tabs of the place that holds a page."""
        shown = page_list.PLACES[page_list.place_of(key)]
        for each, button in self.buttons.items():
            button.setVisible(each in shown)
        self.buttons[key].setChecked(True)
        self.setVisible(len(shown) > 1)

    def put_choices(self, choices: QWidget | None) -> None:
        """Show the choices of the page in front at the right, or those of no page."""
        if self._choices is not None and self._choices is not choices:
            self._choices.hide()
        if choices is not None:
            if self._row.indexOf(choices) < 0:
                self._row.add_at_end(choices)
            choices.show()
        self._choices = choices

    def speak(self, words: Words) -> None:
        self.setAccessibleName(words("header.pages"))
        for key, button in self.buttons.items():
            button.setText(words(f"page.{key}"))
            button.setAccessibleName(words(f"page.{key}"))

    def _chose(self, number: int) -> None:
        self.wished.emit(OpenPage(page_list.KEYS[number]))
