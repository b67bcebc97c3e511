"""All actions of menus and keys, declared in one table."""

import re
import sys

import attrs
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from explorer import page_list
from explorer.app.display import BY_SCREEN, SIZES
from explorer.app.shell.keyboard import DIGIT_ROW, in_digit_row
from explorer.lang import Words
from explorer.manual.menu_key import MenuKey
from explorer.picture.scales import CENTRED, SEQUENTIAL

TABLE: dict[str, tuple[tuple[str, str] | None, ...]] = {
    "file": (
        *(
            ("open_any", "Ctrl+Shift+O"),
            ("open_file", "Ctrl+O"),
            ("save_session", "Ctrl+S"),
            ("save_session_as", "Ctrl+Shift+S"),
            ("save_preset", ""),
            None,
        ),
        *(("ablate_file", ""), None),
        *(("export", "Ctrl+E"), ("copy", "Ctrl+Shift+C"), ("copy_link", ""), ("copy_script", ""), None, ("quit", "Ctrl+Q")),
    ),
    "edit": (
        ("undo", "Ctrl+Z"),
        ("redo", "Ctrl+Shift+Z"),
        ("past", "Ctrl+Shift+H"),
        None,
        ("reset", "Ctrl+R"),
        ("sentence", "Ctrl+L"),
        ("examples", ""),
        ("stop", "Esc"),
        None,
        ("shortcuts", ""),
    ),
    "view": (
        *(
            ("knobs", "Ctrl+K"),
            ("lessons", "F2"),
            ("words", "Ctrl+J"),
            ("fit", "Ctrl+0"),
            ("full_screen", "F11"),
            ("present", "F5"),
            ("language", "Ctrl+Shift+L"),
        ),
        *(None, ("enlarge_card", "F9"), ("hide_card", "Shift+F9"), ("put_cards_back", "")),
    ),
    "go": (
        *(("next_page", "Ctrl+PgDown"), ("previous_page", "Ctrl+PgUp"), None),
        *(("next_area", "F6"), ("previous_area", "Shift+F6"), ("next_border", "F8")),
    ),
    "help": (
        ("tour", ""),
        ("manual", "Ctrl+F1"),
        None,
        ("explain", "Shift+F1"),
        ("keys", "F1"),
        ("glossary", ""),
        ("model_card", ""),
        ("models", ""),
        ("news", ""),
        ("about", ""),
    ),
}
"""Each menu's actions with their usual keys; None draws a line."""
PAGE_PLACES = tuple(place for place in DIGIT_ROW if place != "0")
"""The keys of `page_list.WITH_DIGITS` with Ctrl, in the order of the keyboard's row of digits. Ctrl+0 fits the picture.

Decision: further pages have no key and are opened from header and menu. Rejected: Ctrl+Alt with a digit, because on Windows
this is AltGr, which writes { [ ] } on a German keyboard.
"""

_MNEMONIC = re.compile(r"\(&\w\)")  # In Chinese the key of a menu stands behind its name.
_THEMES = ("theme_system", "theme_light", "theme_dark")
_MOTIONS = ("system", "full", "reduced")


@attrs.frozen(eq=False)
class Actions:
    """All actions. `by_name` holds the table's; the other fields but `menus` hold the choices of each, by key."""

    by_name: dict[str, QAction]
    pages: dict[str, QAction]
    themes: dict[str, QAction]
    motions: dict[str, QAction]
    sizes: dict[str, QAction]
    colours: dict[str, QAction]
    menus: dict[str, QMenu]

    def in_digit_row(self, place: str) -> QAction:
        """The action of Ctrl with this key of the row of digits."""
        if place == "0":
            return self.by_name["fit"]
        return self.pages[page_list.WITH_DIGITS[PAGE_PLACES.index(place)]]

    def trigger_by_place(self, event: QKeyEvent) -> bool:
        """Trigger the action of a key in the row of digits that writes another character on this keyboard."""
        place = in_digit_row(event)
        if place is None:
            return False
        action = self.in_digit_row(place)
        if QKeySequence(f"Ctrl+{place}") not in action.shortcuts():  # The user may have changed it.
            return False
        action.trigger()
        return True

    def speak(self, words: Words) -> None:
        for name, menu in self.menus.items():
            kind = "menu" if name in TABLE else "place" if name in page_list.PLACES else "action"
            menu.setTitle(words(f"{kind}.{name}"))
        for name, action in self.by_name.items():
            action.setText(words(f"action.{name}"))
        for key, action in self.pages.items():
            action.setText(words(f"page.{key}"))
        for key, action in self.themes.items():
            action.setText(words(f"action.theme_{key}"))
        for key, action in self.motions.items():
            action.setText(words(f"action.motion_{key}"))
        for key, action in self.sizes.items():
            action.setText(words("action.size_by_screen") if key == BY_SCREEN else words("action.size_percent", percent=key))
        for key, action in self.colours.items():
            action.setText(words(f"colours.{key}"))


def make_actions(bar: QMenuBar, window: QWidget) -> Actions:
    """Make all actions and fill a menu bar with them."""
    menus = {name: bar.addMenu("") for name in TABLE}
    by_name: dict[str, QAction] = {}
    for name, rows in TABLE.items():
        for row in rows:
            if row is None:
                menus[name].addSeparator()
                continue
            by_name[row[0]] = _action(menus[name], window, row[1])
    by_name["knobs"].setCheckable(True)
    by_name["knobs"].setChecked(True)
    for name in ("full_screen", "lessons", "present", "past", "words"):
        by_name[name].setCheckable(True)
    menus["recent"], menus["recent_sessions"] = QMenu(bar), QMenu(bar)
    behind_open = menus["file"].insertSeparator(by_name["save_session"])
    for name in ("recent", "recent_sessions"):
        menus["file"].insertMenu(behind_open, menus[name])
    menus["view"].addSeparator()
    menus["theme"] = menus["view"].addMenu("")
    menus["motion"] = menus["view"].addMenu("")
    menus["size"] = menus["view"].addMenu("")
    menus["colours"] = menus["view"].addMenu("")
    pages = _pages(menus, window)
    _use_what_the_system_knows(by_name)
    themes = _choices(menus["theme"], window, tuple(name.removeprefix("theme_") for name in _THEMES))
    motions = _choices(menus["motion"], window, _MOTIONS)
    sizes = _choices(menus["size"], window, SIZES)
    colours = _choices(menus["colours"], window, SEQUENTIAL) | _choices(menus["colours"], window, CENTRED)
    return Actions(by_name, pages, themes, motions, sizes, colours, menus)


def _pages(menus: dict[str, QMenu], window: QWidget) -> dict[str, QAction]:
    """Make the actions of the pages: each place is a menu at the top of the view menu, or the action of its single page."""
    view, shortcuts = menus["view"], page_shortcuts()
    first = view.actions()[0]
    actions: dict[str, QAction] = {}
    for place, pages in page_list.PLACES.items():
        if len(pages) > 1:
            menus[place] = QMenu(view)
            view.insertMenu(first, menus[place])
        for page in pages:
            actions[page] = _action(menus.get(place, view), window, shortcuts[page])
        if len(pages) == 1:
            view.insertAction(first, actions[pages[0]])
    view.insertSeparator(first)
    return actions


def page_shortcuts() -> dict[str, str]:
    """Each page's shortcut, such as "Ctrl+1"; "" for pages that have no key of the row of digits."""
    keys = dict.fromkeys(page_list.KEYS, "")
    return keys | {key: f"Ctrl+{digit}" for key, digit in zip(page_list.WITH_DIGITS, PAGE_PLACES, strict=True)}


def told_page_shortcuts() -> str:
    """The shortcuts of all pages for the help: the range of digits, then each of the others."""
    keys = [page_shortcuts()[page] for page in page_list.WITH_DIGITS]
    digits = [each for each in keys if each[-1].isdigit()]
    others = [each.replace("-", "\N{MINUS SIGN}") for each in keys if each not in digits]
    return ", ".join([f"{digits[0]} … {digits[-1]}", *others])


def told_keys(actions: Actions, words: Words) -> tuple[MenuKey, ...]:
    """Every action of the menus with the keys that it has now, as the manual lists them; pages stand last."""
    rows = [(menu, row) for menu, rows in TABLE.items() for row in rows]
    told = [_told(menu_title(menu, words), actions.by_name[row[0]]) for menu, row in rows if row is not None]
    return (*told, *(_told(menu_title("", words), action) for action in actions.pages.values()))


def menu_title(menu: str, words: Words) -> str:
    """The name of a menu without the sign of its key; "" stands for the pages."""
    return _MNEMONIC.sub("", words(f"menu.{menu}")).replace("&", "") if menu else words("manual.pages")


def _told(menu: str, action: QAction) -> MenuKey:
    keys = (each.toString(QKeySequence.SequenceFormat.NativeText) for each in action.shortcuts())
    return MenuKey(menu, action.text(), " · ".join(keys))


def _use_what_the_system_knows(by_name: dict[str, QAction]) -> None:
    """Add the system's own shortcuts, and put About and Quit into the program's menu on macOS."""
    standard = QKeySequence.StandardKey
    redo = ["Ctrl+Shift+Z"] if sys.platform == "darwin" else ["Ctrl+Shift+Z", "Ctrl+Y"]
    for name, own, known in (("redo", redo, standard.Redo), ("full_screen", ["F11"], standard.FullScreen)):
        keys = [QKeySequence(key) for key in own]
        by_name[name].setShortcuts([*keys, *(key for key in QKeySequence.keyBindings(known) if key not in keys)])
    by_name["about"].setMenuRole(QAction.MenuRole.AboutRole)
    by_name["quit"].setMenuRole(QAction.MenuRole.QuitRole)


def _action(menu: QMenu, window: QWidget, shortcut: str) -> QAction:
    action = QAction(window)
    action.setMenuRole(QAction.MenuRole.NoRole)  # macOS would guess a role from the action's text.
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
