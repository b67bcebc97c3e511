"""What somebody may do in the window, at random: one function an act."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QLineEdit, QSlider, QWidget

from explorer.app.desk import PAGE_KEYS
from explorer.app.window import Window
from explorer.config import KNOBS
from tests.fuzz import values, writing

Act = Callable[[Window, Random, Path], None]

_KEYS = (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Menu, Qt.Key.Key_Insert, Qt.Key.Key_F1, Qt.Key.Key_F2, Qt.Key.Key_F11,
    Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Equal, Qt.Key.Key_0, Qt.Key.Key_1, Qt.Key.Key_5, Qt.Key.Key_9, Qt.Key.Key_A,
    Qt.Key.Key_C, Qt.Key.Key_E, Qt.Key.Key_K, Qt.Key.Key_L, Qt.Key.Key_M, Qt.Key.Key_O, Qt.Key.Key_R, Qt.Key.Key_S,
    Qt.Key.Key_V, Qt.Key.Key_X, Qt.Key.Key_Y, Qt.Key.Key_Z,
)
_MODIFIERS = (Qt.KeyboardModifier.NoModifier,) * 5 + (
    Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
)
_BUTTONS = (Qt.MouseButton.LeftButton,) * 6 + (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton)

_PRESETS = ("tiny", "translator", "tutorial-b", "tutorial-c", "tutorial-d", "tutorial-e", "nothing")


def click(window: Window, chance: Random, _folder: Path) -> None:
    """Once or twice, on anything that can be seen."""
    widget, place = _somewhere(window, chance)
    button, modifier = chance.choice(_BUTTONS), chance.choice(_MODIFIERS)
    (QTest.mouseDClick if chance.random() < 0.2 else QTest.mouseClick)(widget, button, modifier, place)


def drag(window: Window, chance: Random, _folder: Path) -> None:
    """From one place of a widget to another, which may be outside."""
    widget, start = _somewhere(window, chance)
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, chance.choice(_MODIFIERS), start)
    for _ in range(chance.randint(1, 5)):
        QTest.mouseMove(widget, QPoint(chance.randint(-50, widget.width() + 50), chance.randint(-50, widget.height() + 50)))
    end = QPoint(chance.randint(-50, widget.width() + 50), chance.randint(-50, widget.height() + 50))
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)


def move(window: Window, chance: Random, _folder: Path) -> None:
    """The mouse over something."""
    QTest.mouseMove(*_somewhere(window, chance))


def wheel(window: Window, chance: Random, _folder: Path) -> None:
    """Up, down or sideways, with or without Ctrl."""
    widget, place = _somewhere(window, chance)
    turn = QPoint(chance.choice((0, 0, 0, 120, -120)), chance.choice((120, -120, 1200, -1200, 7)))
    QApplication.sendEvent(widget, QWheelEvent(QPointF(place), QPointF(widget.mapToGlobal(place)), QPoint(), turn,
                                               Qt.MouseButton.NoButton, chance.choice(_MODIFIERS),
                                               Qt.ScrollPhase.NoScrollPhase, False))


def key(window: Window, chance: Random, _folder: Path) -> None:
    """Some keys, wherever the focus is."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        focus = QApplication.focusWidget() or window
        QTest.keyClick(focus, chance.choice(_KEYS), chance.choice(_MODIFIERS))


def focus(window: Window, chance: Random, _folder: Path) -> None:
    """To anything that takes it."""
    _somewhere(window, chance)[0].setFocus(Qt.FocusReason.TabFocusReason)


def type_text(window: Window, chance: Random, _folder: Path) -> None:
    """Into one of the sentences, all at once, by characters, by an input method, or from the clipboard."""
    edit = chance.choice((window.sentences.source_edit, window.sentences.source_edit, window.sentences.target_edit))
    if not edit.isVisible():
        return
    edit.setFocus()
    text = writing.text(chance)
    way = chance.randrange(4)
    if way == 0:
        QGuiApplication.clipboard().setText(text * chance.choice((1, 1, 1, 30)))
        if chance.random() < 0.5:
            edit.selectAll()
        edit.paste()
    elif way == 1:
        edit.setText(text)
    elif way == 2:
        event = QInputMethodEvent("nihao", [])
        QApplication.sendEvent(edit, event)
        done = QInputMethodEvent()
        done.setCommitString(text[:5])
        QApplication.sendEvent(edit, done)
    else:
        for character in text[:6]:
            edit.insert(character)


def turn(window: Window, chance: Random, _folder: Path) -> None:
    """A knob, by its slider, its box or its list."""
    row = window.knobs.rows[chance.choice(KNOBS).name]
    if isinstance(row.editor, QDoubleSpinBox):
        if chance.random() < 0.4 and row.slider is not None:
            row.slider.setValue(chance.randint(row.slider.minimum(), row.slider.maximum()))
        else:
            line = row.editor.lineEdit()
            line.setText(chance.choice((str(values.number(chance)), writing.word(chance), "7", "16", "")))
            QTest.keyClick(line, Qt.Key.Key_Return)
    elif isinstance(row.editor, QComboBox):
        row.editor.setCurrentIndex(chance.randrange(row.editor.count()))
    else:
        row.editor.toggle()


def fill(window: Window, chance: Random, _folder: Path) -> None:
    """Anything that can be filled: lists, boxes, lines and sliders of the page and of the lessons."""
    kinds = (QComboBox, QLineEdit, QSlider, QDoubleSpinBox)
    found = [each for kind in kinds for each in window.findChildren(kind) if each.isVisible() and each.isEnabled()]
    if not found:
        return
    widget = chance.choice(found)
    if isinstance(widget, QComboBox) and widget.count():
        widget.setCurrentIndex(chance.randrange(widget.count()))
    elif isinstance(widget, QLineEdit) and not widget.isReadOnly():
        widget.setText(chance.choice((writing.text(chance), str(values.number(chance)))))
        QTest.keyClick(widget, Qt.Key.Key_Return)
    elif isinstance(widget, QSlider):
        widget.setValue(chance.randint(widget.minimum(), widget.maximum()))


def page(window: Window, chance: Random, _folder: Path) -> None:
    """Another page."""
    window.go(chance.choice(PAGE_KEYS))


def action(window: Window, chance: Random, _folder: Path) -> None:
    """Anything from the menus but the end of the program."""
    names = [name for name in window.actions_.by_name if name != "quit"]
    more = [*window.actions_.themes.values(), *window.actions_.colours.values()]
    chosen = chance.choice((window.actions_.by_name[chance.choice(names)],) * 3 + tuple(more[:1]) + (chance.choice(more),))
    if chosen.isEnabled():
        chosen.trigger()


def undo(window: Window, chance: Random, _folder: Path) -> None:
    """Back, and perhaps forth, some times."""
    for _ in range(chance.choice((1, 1, 3, 10))):
        window.actions_.by_name[chance.choice(("undo", "undo", "redo"))].trigger()


def resize(window: Window, chance: Random, _folder: Path) -> None:
    """To any size, also smaller than it may be."""
    window.resize(chance.choice((100, 960, 1100, 1440, 2500)), chance.choice((100, 620, 800, 1300)))


def preset(window: Window, chance: Random, _folder: Path) -> None:
    """One of the list, but for the two whose weights alone take gigabytes."""
    window.session.set_preset(chance.choice(_PRESETS))


def lesson(window: Window, chance: Random, folder: Path) -> None:
    """Open one of the list or a file, or go through it."""
    panel = window.lessons
    if not panel.isVisible():
        window.actions_.by_name["lessons"].trigger()
    way = chance.randrange(4)
    if way == 0 or panel.step is None:
        if panel.lessons:
            panel.open(chance.choice(panel.lessons).key)
    elif way == 1:
        from tests.fuzz import lessons

        path = folder / "own.toml"
        path.write_bytes(lessons.content(chance))
        window.tutor.add(str(path))
    else:
        button = chance.choice((panel.next, panel.next, panel.previous, panel.back))
        if button.isEnabled():
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _somewhere(window: Window, chance: Random) -> tuple[QWidget, QPoint]:
    """A widget that can be seen, more often one that something is inside of, and a place in it."""
    top = QApplication.activePopupWidget() or QApplication.activeModalWidget() or window
    place = QPoint(chance.randrange(max(1, top.width())), chance.randrange(max(1, top.height())))
    if chance.random() < 0.5:
        seen = [each for each in top.findChildren(QWidget) if each.isVisible() and each.width() > 0 and each.height() > 0]
        if seen:
            widget = chance.choice(seen)
            return widget, QPoint(chance.randrange(widget.width()), chance.randrange(widget.height()))
    widget = top.childAt(place) or top
    return widget, widget.mapFrom(top, place)


ACTS: tuple[tuple[Act, int], ...] = (
    (click, 10), (drag, 4), (move, 3), (wheel, 4), (key, 8), (focus, 2), (type_text, 6), (turn, 6), (fill, 3), (page, 6),
    (action, 3), (undo, 2), (resize, 2), (preset, 2), (lesson, 4),
)
