"""The keys of actions, which the user may change: no two actions have the same, and what was changed is remembered."""

import json
from collections.abc import Mapping
from itertools import groupby
from types import MappingProxyType

from PySide6.QtCore import QKeyCombination, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QKeySequenceEdit,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from explorer.app.shell.actions import TABLE, Actions, menu_title
from explorer.json_text import read_json_text
from explorer.lang import Words
from explorer.views.controls.layouts import filled

_FUNCTION_KEYS = range(Qt.Key.Key_F1, Qt.Key.Key_F35 + 1)
_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


class Shortcuts(QObject):
    """`actions` are all of them by name; pages are called "page.KEY". An action without keys is still in its menu.

    Signals: changed() after the user has changed some.
    """

    changed = Signal()

    def __init__(self, actions: Actions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        named = actions.by_name | {f"page.{key}": action for key, action in actions.pages.items()}
        self.actions: Mapping[str, QAction] = MappingProxyType(named)
        self._usual = {name: tuple(action.shortcuts()) for name, action in named.items()}

    def keys(self, name: str) -> QKeySequence:
        """The first keys of an action; empty where it has none."""
        return self.actions[name].shortcut()

    def refused(self, name: str, keys: QKeySequence) -> str:
        """Why an action cannot have these keys: "" if it can, "plain" for keys that pictures need, else the action's name."""
        if keys.isEmpty():
            return ""
        if not _is_for_menus(keys[0]):  # type: ignore[index]  # The stubs lack it.
            return "plain"
        return next((other for other, action in self.actions.items() if other != name and keys in action.shortcuts()), "")

    def choose(self, name: str, keys: QKeySequence) -> str:
        """Give keys to an action, or take them from it. Returns why not, as `refused` does."""
        why = self.refused(name, keys)
        if not why and keys != self.keys(name):
            usual = self._usual[name]
            self.actions[name].setShortcuts(usual if usual and usual[0] == keys else [] if keys.isEmpty() else [keys])
            self.changed.emit()
        return why

    def reset(self) -> None:
        """Give all actions their usual keys."""
        for name, usual in self._usual.items():
            self.actions[name].setShortcuts(usual)
        self.changed.emit()

    def now(self, usual: str) -> str:
        """The keys that stand in the place of usual ones, for a text that names them; the same where none were changed."""
        keys = QKeySequence(usual)
        names = [name for name, known in self._usual.items() if keys in known]
        if not names or keys in self.actions[names[0]].shortcuts():
            return usual
        return self.keys(names[0]).toString() or "–"

    @property
    def memory(self) -> str:
        """What was changed, to be recalled at the next start."""
        changed = {
            name: action.shortcuts() for name, action in self.actions.items() if tuple(action.shortcuts()) != self._usual[name]
        }
        return json.dumps({name: keys[0].toString() if keys else "" for name, keys in changed.items()}) if changed else ""

    def recall(self, memory: str) -> None:
        """Change keys as a memory says. What it says of actions that are gone, or that cannot be, is left out."""
        try:
            changed = read_json_text(memory or "{}")
        except ValueError:
            return
        known = {
            name: QKeySequence(keys)
            for name, keys in (changed.items() if isinstance(changed, dict) else ())
            if name in self.actions and isinstance(keys, str)
        }
        for name in known:  # Two actions may have exchanged their keys, so all give theirs away first.
            self.actions[name].setShortcuts([])
        for name, keys in known.items():
            if self.choose(name, keys):
                self.actions[name].setShortcuts([key for key in self._usual[name] if not self.refused(name, key)])


def _is_for_menus(keys: QKeyCombination) -> bool:
    """Whether it is a function key, Esc, or has Ctrl, Alt or Meta: single letters and arrows act inside pictures."""
    return keys.key() in _FUNCTION_KEYS or keys.key() == Qt.Key.Key_Escape or bool(keys.keyboardModifiers() & _MODIFIERS)


_SIZE_PX = (520, 600)
_EDIT_PX = 190


class KeysEdit(QKeySequenceEdit):
    """A box for one press of keys; `name` is the action's."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.setMaximumSequenceLength(1)
        self.setClearButtonEnabled(True)
        self.setFixedWidth(_EDIT_PX)


class ShortcutsBox(QDialog):
    """The box in which keys are changed: a row for each action, what stands in the way below, and the way back.

    Each change acts at once; keys that another action has are not taken, and the box says so.
    """

    def __init__(self, window: QWidget, shortcuts: Shortcuts, words: Words) -> None:
        super().__init__(window)
        self._shortcuts, self._words = shortcuts, words
        self.setWindowTitle(words("action.shortcuts").rstrip("…"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.edits: dict[str, KeysEdit] = {}
        self.notice = QLabel(words("shortcuts.hint"))
        self.notice.setWordWrap(True)
        self.notice.setObjectName("faint")
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(self._rows())
        buttons = QDialogButtonBox()
        self.usual = buttons.addButton(words("shortcuts.usual"), QDialogButtonBox.ButtonRole.ResetRole)
        self.usual.clicked.connect(self._reset)
        buttons.addButton(words("export.close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        for button in buttons.buttons():
            button.setAutoDefault(False)  # type: ignore[attr-defined]  # They are push buttons. Enter belongs to the keys.
        filled(QVBoxLayout(self), (area, 1), self.notice, buttons)
        self.resize(_SIZE_PX[0], min(_SIZE_PX[1], window.height()))

    def _rows(self) -> QWidget:
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setColumnStretch(0, 1)
        grid.setVerticalSpacing(4)
        for menu, names in groupby(self._shortcuts.actions, key=_menu_of):
            title = QLabel(menu_title(menu, self._words))
            title.setObjectName("section")
            grid.addWidget(title, grid.rowCount(), 0, 1, 2)
            for name in names:
                row = grid.rowCount()
                text = self._shortcuts.actions[name].text()
                edit = KeysEdit(name)
                edit.setKeySequence(self._shortcuts.keys(name))
                edit.setAccessibleName(text)
                edit.editingFinished.connect(self._choose)
                grid.addWidget(QLabel(text), row, 0)
                grid.addWidget(edit, row, 1)
                self.edits[name] = edit
        return inside

    def _choose(self) -> None:
        edit = self.sender()
        assert isinstance(edit, KeysEdit)  # Only they are connected.
        if edit.keySequence() != self._shortcuts.keys(edit.name):  # A box that is left ends its editing, too.
            self.choose(edit.name, edit.keySequence())

    def choose(self, name: str, keys: QKeySequence) -> None:
        """Give keys to an action, or tell why it cannot have them and put the old ones back into its box."""
        why = self._shortcuts.choose(name, keys)
        told = keys.toString(QKeySequence.SequenceFormat.NativeText)
        if why == "plain":
            self._tell(self._words("shortcuts.plain", keys=told))
        elif why:
            self._tell(self._words("shortcuts.taken", keys=told, action=self._shortcuts.actions[why].text()))
        else:
            self._tell("")
        self._show()

    def _tell(self, why: str) -> None:
        """Say what stood in the way, or how it is done."""
        self.notice.setObjectName("warning" if why else "faint")
        self.notice.style().polish(self.notice)
        self.notice.setText(why or self._words("shortcuts.hint"))

    def _reset(self) -> None:
        self._shortcuts.reset()
        self._tell("")
        self._show()

    def _show(self) -> None:
        for name, edit in self.edits.items():
            with QSignalBlocker(edit):
                edit.setKeySequence(self._shortcuts.keys(name))


def _menu_of(name: str) -> str:
    """The menu in which an action stands; "" for pages."""
    return next((menu for menu, rows in TABLE.items() if name in {row[0] for row in rows if row is not None}), "")
