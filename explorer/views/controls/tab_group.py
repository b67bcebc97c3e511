"""Groups of controls that are a single stop of the Tab key; arrow keys walk inside.

Decision: a group overrides `focusNextPrevChild`, so that each control in it keeps its focus policy, its name and its click.
Rejected: taking the policy TabFocus from all controls but one, which a group that folds would have to repair all the time.
"""

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

_INNER = "qt_"  # Qt's own names for the parts of a control


def controls_in(group: QWidget) -> list[QWidget]:
    """The visible controls of a group that can take the focus, in reading order."""
    found = [
        each
        for each in group.findChildren(QWidget)
        if each.focusPolicy() != Qt.FocusPolicy.NoFocus
        and each.focusProxy() is None
        and not each.objectName().startswith(_INNER)
        and each.isEnabled()
        and each.isVisible()
    ]
    return sorted(found, key=lambda each: _place(each, group))


def _place(each: QWidget, group: QWidget) -> tuple[int, int]:
    """The middle of a control in its group; (y, x), so that sorting gives reading order."""
    middle = each.mapTo(group, QPoint(each.width() // 2, each.height() // 2))
    return middle.y() // 8, middle.x()  # Controls of one line may differ by some pixels in height.


def step_out(group: QWidget, forward: bool) -> bool:
    """Give the focus to the next stop of Tab outside a group, or to the one before it; False where there is none."""
    start = QApplication.focusWidget() or group
    each: QWidget | None = start
    for _ in range(10_000):  # The focus chain is a ring; a broken one must not hang the window.
        each = None if each is None else each.nextInFocusChain() if forward else each.previousInFocusChain()
        if each is None or each is start:
            return False
        inside = each is group or group.isAncestorOf(each)
        if not inside and each.window() is group.window() and _is_stop(each):
            reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
            each.setFocus(reason)
            return True
    return False


def _is_stop(each: QWidget) -> bool:
    takes = bool(each.focusPolicy() & Qt.FocusPolicy.TabFocus) and each.focusProxy() is None
    return takes and each.isEnabled() and each.isVisible()


class ArrowKeys(QObject):
    """Two keys that walk among the controls of a group. Combo boxes change their choice by the two other arrow keys."""

    def __init__(self, group: QWidget, back: Qt.Key, forward: Qt.Key) -> None:
        super().__init__(group)
        self._group, self._steps = group, {back: -1, forward: 1}
        for each in group.findChildren(QWidget):
            if each.focusPolicy() != Qt.FocusPolicy.NoFocus:
                each.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and isinstance(watched, QWidget):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if plain and Qt.Key(event.key()) in self._steps:
                self._walk(watched, self._steps[Qt.Key(event.key())])
                return True
            if plain and isinstance(watched, QComboBox) and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                _choose(watched, 1 if event.key() == Qt.Key.Key_Right else -1)
                return True
        return super().eventFilter(watched, event)

    def _walk(self, start: QWidget, step: int) -> None:
        controls = controls_in(self._group)
        if start in controls:
            place = min(max(controls.index(start) + step, 0), len(controls) - 1)
            controls[place].setFocus(Qt.FocusReason.TabFocusReason)


def _choose(box: QComboBox, step: int) -> None:
    """Choose the next entry of a combo box that can be chosen."""
    place = box.currentIndex() + step
    while 0 <= place < box.count():
        if box.model().index(place, 0).flags() & Qt.ItemFlag.ItemIsEnabled:
            box.setCurrentIndex(place)
            return
        place += step
