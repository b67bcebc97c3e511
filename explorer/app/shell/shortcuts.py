"""The keys of actions, which the user may change: no two actions have the same, and what was changed is remembered."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from explorer.app.shell.actions import Actions
from explorer.json_text import read_json_text

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
