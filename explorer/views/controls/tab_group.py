"""The order of the Tab key: groups of controls are a single stop, and arrow keys walk inside them.

Decision: the window asks here for its next stop, so that each control keeps its focus policy, its name and its click.
Rejected: taking the policy TabFocus from all controls of a group but one, which a group that folds would have to repair; and
Qt's own chain, in which pages that are made later come after everything else.
"""

from collections.abc import Iterable, Iterator

import attrs
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QScrollArea, QWidget
from shiboken6 import isValid

_INNER = "qt_"  # Qt's own names for the parts of a control
_GROUP = "tab_group"  # the property of a widget whose controls are one stop
_FIRST = "tab_first"  # its property for the control that takes the focus first


@attrs.frozen
class TabStop:
    """A stop of the Tab key: a control, or a group, which stands for the one of its controls that is entered."""

    held: QWidget
    is_group: bool = False

    @property
    def control(self) -> QWidget:
        """What takes the focus. For a group it is looked for when it is asked for: of all stops a press needs one."""
        return entry(self.held) if self.is_group else self.held

    @property
    def group(self) -> QWidget | None:
        """The group that it stands for, if there is one."""
        return self.held if self.is_group else None

    def holds(self, focused: QWidget | None) -> bool:
        """Whether a widget that has the focus is this stop, or within it."""
        return focused is not None and (self.held is focused or self.held.isAncestorOf(focused))


def make_tab_group(
    group: QWidget, back: Qt.Key | None = None, forward: Qt.Key | None = None, first: QWidget | None = None
) -> None:
    """Make a widget's controls one stop of the Tab key; these two keys walk among them, unless they do it by themselves.

    `first` takes the focus until another control has had it.
    """
    group.setProperty(_GROUP, True)
    group.setProperty(_FIRST, first)
    if back is not None and forward is not None:
        ArrowKeys(group, back, forward)


def tab_stops(areas: Iterable[QWidget]) -> list[TabStop]:
    """The stops in some areas, one area after the other, each in the order in which its controls were made."""
    stops: list[TabStop] = []
    for area in areas:
        group = _group_of(area)
        if group is None:
            stops += _stops_in(area)
        elif any(map(_is_stop, visible_in(area))):
            stops.append(TabStop(group, is_group=True))
    return stops


def _stops_in(area: QWidget) -> Iterator[TabStop]:
    """The stops in an area that is in no group. A group is looked into as far as its first stop."""
    for each in _visible_children(area):
        if _is_stop(each):
            yield TabStop(each)
        if not each.property(_GROUP):
            yield from _stops_in(each)
        elif any(map(_is_stop, visible_in(each))):
            yield TabStop(each, is_group=True)


def step(areas: Iterable[QWidget], focused: QWidget | None, forward: bool) -> bool:
    """Give the focus to the stop after the focused widget, or to the one before; returns False where nothing is known of it."""
    stops = tab_stops(areas)
    holding = [place for place, stop in enumerate(stops) if stop.holds(focused)]
    if not holding:
        return False
    here = holding[-1]  # A page that takes keys itself holds its controls, which come after it.
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    focus(stops[(here + (1 if forward else -1)) % len(stops)].control, reason)
    return True


def focus(control: QWidget, reason: Qt.FocusReason = Qt.FocusReason.TabFocusReason) -> None:
    """Give a control the focus and scroll to it."""
    control.setFocus(reason)
    above = control.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(control, 0, 8)
        above = above.parentWidget()


def entry(group: QWidget) -> QWidget:
    """The control of a group that takes the focus: what had it last, otherwise its first or its pressed one."""
    controls = controls_in(group)
    for wanted in (group.focusWidget(), group.property(_FIRST)):
        if wanted in controls:
            return wanted
    return next((each for each in controls if isinstance(each, QAbstractButton) and each.isChecked()), controls[0])


def controls_in(group: QWidget) -> list[QWidget]:
    """The visible controls of a group that can take the focus, in reading order."""
    found = filter(_can_focus, visible_in(group))
    return sorted(found, key=lambda each: _place(each, group))


def visible_in(area: QWidget) -> Iterator[QWidget]:
    """The visible widgets in an area, in the order of `findChildren`; what is hidden is not looked into."""
    for each in _visible_children(area):
        yield each
        yield from visible_in(each)


def _visible_children(area: QWidget) -> list[QWidget]:
    """The visible widgets that lie in a widget itself. Most widgets are on pages that are not in front."""
    return [each for each in area.children() if isinstance(each, QWidget) and each.isVisible()]


def _place(each: QWidget, group: QWidget) -> tuple[int, int]:
    """The middle of a control in its group; (y, x), so that sorting gives reading order."""
    middle = each.mapTo(group, QPoint(each.width() // 2, each.height() // 2))
    return middle.y() // 8, middle.x()  # Controls of one line may differ by some pixels in height.


def _can_focus(each: QWidget) -> bool:
    if each.focusPolicy() is Qt.FocusPolicy.NoFocus or not each.isEnabled():  # Most widgets are labels and frames.
        return False
    return each.focusProxy() is None and not each.objectName().startswith(_INNER)


def _is_stop(each: QWidget) -> bool:
    return _can_focus(each) and bool(each.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _group_of(widget: QWidget) -> QWidget | None:
    """The outermost group that a widget is or belongs to."""
    group: QWidget | None = None
    above: QWidget | None = widget
    while above is not None:
        if above.property(_GROUP):
            group = above
        above = above.parentWidget()
    return group


class ArrowKeys(QObject):
    """Two keys that walk among the controls of a group. Combo boxes change their choice by the two other arrow keys.

    Only the control that has the focus is watched: no other one is sent keys, and every event of a watched one, each painting
    and each resizing, is a call of Python.
    """

    def __init__(self, group: QWidget, back: Qt.Key, forward: Qt.Key) -> None:
        super().__init__(group)
        self._group, self._steps = group, {back: -1, forward: 1}
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focused)
            self._focused(None, application.focusWidget())

    def _focused(self, before: QWidget | None, now: QWidget | None) -> None:
        if not isValid(self._group):  # It goes while it has the focus.
            return
        if before is not None and self._group.isAncestorOf(before):
            before.removeEventFilter(self)
        if now is not None and self._group.isAncestorOf(now):
            now.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and isinstance(watched, QWidget):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if plain and Qt.Key(event.key()) in self._steps:
                self._walk(watched, self._steps[Qt.Key(event.key())])
                return True
            if plain and isinstance(watched, QComboBox) and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                _choose(watched, 1 if event.key() == Qt.Key.Key_Right else -1)
                return True
        return False

    def _walk(self, start: QWidget, step: int) -> None:
        controls = controls_in(self._group)
        if start in controls:
            place = min(max(controls.index(start) + step, 0), len(controls) - 1)
            focus(controls[place])


def _choose(box: QComboBox, step: int) -> None:
    """Choose the next entry of a combo box that can be chosen."""
    place = box.currentIndex() + step
    while 0 <= place < box.count():
        if box.model().index(place, 0).flags() & Qt.ItemFlag.ItemIsEnabled:
            box.setCurrentIndex(place)
            return
        place += step
