"""The role under which a screen reader meets a widget: a picture as a graphic, a button that opens a page as a tab.

Qt says "filler" of what a program paints itself, and "check box" of every button that stays pressed.
"""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleActionInterface, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QWidget

_ROLE = "read_as"  # the property of a widget that holds its role's number
_PRESS = QAccessibleActionInterface.pressAction()


def read_as(widget: QWidget, role: QAccessible.Role) -> None:
    """Let screen readers meet a widget under a role. Has an effect until one has asked for the widget."""
    if not _installed:
        QAccessible.installFactory(_made)  # Qt asks it again for each widget, so that one is enough.
        _installed.append(True)
    widget.setProperty(_ROLE, role.value)


_installed: list[bool] = []


class ReadWidget(QAccessibleWidget):
    """A widget under another role, with its own name and description. A button is selected while it is pressed."""

    def state(self) -> QAccessible.State:
        state = super().state()
        button = self.widget()
        if isinstance(button, QAbstractButton):
            state.selectable, state.selected = True, button.isChecked()  # type: ignore[attr-defined]  # PySide's types lack them.
        return state

    def actionNames(self) -> list[str]:
        return [_PRESS] * isinstance(self.widget(), QAbstractButton) + list(super().actionNames())

    def doAction(self, action_name: str) -> None:
        button = self.widget()
        if action_name == _PRESS and isinstance(button, QAbstractButton):
            button.click()
        else:
            super().doAction(action_name)


def _made(_kind: str, asked: QObject) -> QAccessibleInterface | None:
    """What stands for a widget whose role was set; None leaves it to Qt."""
    if not isinstance(asked, QWidget) or asked.property(_ROLE) is None:
        return None
    return ReadWidget(asked, QAccessible.Role(asked.property(_ROLE)))
