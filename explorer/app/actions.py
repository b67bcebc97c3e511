"""Everything that can be done from a menu or by a key, declared in one table."""

import attrs
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from explorer.app.desk import PAGE_KEYS
from explorer.lang import Words
from explorer.picture.scales import CENTRED, SEQUENTIAL

_TABLE = {
    "file": (("open_lesson", "Ctrl+O"), None, ("export", "Ctrl+E"), ("copy", "Ctrl+Shift+C"), None, ("quit", "Ctrl+Q")),
    "edit": (("undo", "Ctrl+Z"), ("redo", "Ctrl+Shift+Z"), None, ("reset", "Ctrl+R"), ("sentence", "Ctrl+L"),
             ("stop", "Esc")),
    "view": (("knobs", "Ctrl+K"), ("lessons", "F2"), ("fit", "Ctrl+0"), ("full_screen", "F11"), ("language", "Ctrl+Shift+L")),
    "help": (("keys", "F1"), ("about", "")),
}
_THEMES = ("theme_system", "theme_light", "theme_dark")


@attrs.frozen(eq=False)
class Actions:
    """`by_name` has every action; `pages`, `themes` and `colours` have those of which one is chosen, by key."""

    by_name: dict[str, QAction]
    pages: dict[str, QAction]
    themes: dict[str, QAction]
    colours: dict[str, QAction]
    menus: dict[str, QMenu]

    def speak(self, words: Words) -> None:
        for name, menu in self.menus.items():
            menu.setTitle(words(f"menu.{name}") if name in _TABLE else words(f"action.{name}"))
        for name, action in self.by_name.items():
            action.setText(words(f"action.{name}"))
        for key, action in self.pages.items():
            action.setText(words(f"page.{key}"))
        for key, action in self.themes.items():
            action.setText(words(f"action.theme_{key}"))
        for key, action in self.colours.items():
            action.setText(words(f"colours.{key}"))


def make_actions(bar: QMenuBar, window: QWidget) -> Actions:
    """Fill a menu bar."""
    menus = {name: bar.addMenu("") for name in _TABLE}
    by_name: dict[str, QAction] = {}
    for name, rows in _TABLE.items():
        for row in rows:
            if row is None:
                menus[name].addSeparator()
                continue
            by_name[row[0]] = _action(menus[name], window, row[1])
    by_name["knobs"].setCheckable(True)
    by_name["knobs"].setChecked(True)
    for name in ("full_screen", "lessons"):
        by_name[name].setCheckable(True)
    menus["view"].addSeparator()
    menus["theme"] = menus["view"].addMenu("")
    menus["colours"] = menus["view"].addMenu("")
    menus["view"].addSeparator()
    keys = [*(f"Ctrl+{place}" for place in range(1, 10)), "Ctrl+-", "Ctrl+="]  # as they stand on the keyboard; Ctrl+0 fits
    pages = {key: _action(menus["view"], window, shortcut) for key, shortcut in zip(PAGE_KEYS, keys, strict=True)}
    themes = _choices(menus["theme"], window, tuple(name.removeprefix("theme_") for name in _THEMES))
    colours = _choices(menus["colours"], window, SEQUENTIAL) | _choices(menus["colours"], window, CENTRED)
    return Actions(by_name, pages, themes, colours, menus)


def _action(menu: QMenu, window: QWidget, shortcut: str) -> QAction:
    action = QAction(window)
    if shortcut:
        action.setShortcut(QKeySequence(shortcut))
    menu.addAction(action)
    return action


def _choices(menu: QMenu, window: QWidget, keys: tuple[str, ...]) -> dict[str, QAction]:
    group = QActionGroup(window)
    actions = {}
    for key in keys:
        action = _action(menu, window, "")
        action.setCheckable(True)
        action.setData(key)
        group.addAction(action)
        actions[key] = action
    menu.addSeparator()
    return actions
