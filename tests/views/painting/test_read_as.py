"""A screen reader meets widgets under their roles: asked as Qt's bridges to screen readers ask."""

import gc

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from explorer import page_list
from explorer.app.shell.header import HeaderBar
from explorer.lang import Words
from explorer.views.controls.page_tabs import PageTabs
from explorer.views.painting.read_as import ReadWidget, read_as


def read(widget: QWidget) -> ReadWidget:
    found = QAccessible.queryAccessibleInterface(widget)
    assert isinstance(found, ReadWidget), found
    return found


def tabs_of(held: QWidget) -> dict[str, bool]:
    """Name → whether it is selected, of the tabs in the list of tabs which a widget is or holds."""
    found = {}
    for each in held.findChildren(QAbstractButton):
        asked = QAccessible.queryAccessibleInterface(each)
        if asked.role() == QAccessible.Role.PageTab:
            assert asked.parent().role() == QAccessible.Role.PageTabList and asked.parent().text(QAccessible.Text.Name)
            found[asked.text(QAccessible.Text.Name)] = bool(asked.state().selected)
    return found


def test_places_and_pages_are_tabs(qtbot: QtBot) -> None:
    """In lists of tabs that have names; the one in front is selected, and pressing another one opens it."""
    words, header, tabs = Words.load("en"), HeaderBar(), PageTabs()
    for bar in (header, tabs):
        qtbot.addWidget(bar)
        bar.speak(words)
        bar.show()
        bar.put_page("position")
    place = page_list.place_of("position")
    assert tabs_of(header) == {words(f"place.{each}"): each == place for each in page_list.PLACES}
    assert tabs_of(tabs) == {words(f"page.{each}"): each == "position" for each in page_list.KEYS}
    other = page_list.KEYS[-1]
    with qtbot.waitSignal(tabs.wished) as opened:
        read(tabs.buttons[other]).doAction("Press")
    assert opened.args[0].page == other


def test_a_button_without_a_role_is_what_qt_makes_of_it(qtbot: QtBot) -> None:
    """The check above sees check boxes."""
    button = QToolButton()
    button.setCheckable(True)
    qtbot.addWidget(button)
    assert QAccessible.queryAccessibleInterface(button).role() == QAccessible.Role.CheckBox


def test_what_was_asked_for_goes_with_its_widget(qtbot: QtBot) -> None:
    """Qt deletes it, Python does not."""
    for _turn in range(50):
        widget = QWidget()
        read_as(widget, QAccessible.Role.Graphic)
        widget.setAccessibleName("a picture")
        assert read(widget).role() == QAccessible.Role.Graphic
        gc.collect()
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name) == "a picture"
        widget.deleteLater()
        qtbot.wait(1)
