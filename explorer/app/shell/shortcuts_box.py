"""The box in which keys are changed: a row for each action, what stands in the way below, and the way back."""

from itertools import groupby

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence
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

from explorer.app.shell.actions import TABLE, menu_title
from explorer.app.shell.shortcuts import Shortcuts
from explorer.lang import Words

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
    """Each change acts at once; keys that another action has are told and not taken."""

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
        column = QVBoxLayout(self)
        column.addWidget(area, 1)
        column.addWidget(self.notice)
        column.addWidget(buttons)
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
