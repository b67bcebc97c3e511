"""What somebody may do in the window, at random: one function an act. `pointing` has those of the mouse."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QLineEdit, QSlider

from explorer import page_list
from explorer.app.shell.window import Window
from explorer.config import KNOBS
from explorer.presets import RECORDED_SUFFIXES
from explorer.scanning.table_file import SUFFIXES
from explorer.state.intents import SetPreset
from explorer.state.state_file import BUNDLE_SUFFIX, SUFFIX
from tests.dragging import entering
from tests.fuzz import damage, values, writing
from tests.fuzz.pointing import MODIFIERS, click, drag, menu, move, somewhere, wheel

Act = Callable[[Window, Random, Path], None]

_KEYS = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Tab,
    Qt.Key.Key_Backtab,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Space,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Backspace,
    Qt.Key.Key_Delete,
    Qt.Key.Key_Menu,
    Qt.Key.Key_Insert,
    Qt.Key.Key_F1,
    Qt.Key.Key_F2,
    Qt.Key.Key_F11,
    Qt.Key.Key_Plus,
    Qt.Key.Key_Minus,
    Qt.Key.Key_Equal,
    Qt.Key.Key_0,
    Qt.Key.Key_1,
    Qt.Key.Key_5,
    Qt.Key.Key_9,
    Qt.Key.Key_A,
    Qt.Key.Key_C,
    Qt.Key.Key_E,
    Qt.Key.Key_K,
    Qt.Key.Key_L,
    Qt.Key.Key_M,
    Qt.Key.Key_O,
    Qt.Key.Key_R,
    Qt.Key.Key_S,
    Qt.Key.Key_V,
    Qt.Key.Key_X,
    Qt.Key.Key_Y,
    Qt.Key.Key_Z,
)
_ENDINGS = (
    *(SUFFIX, BUNDLE_SUFFIX, *SUFFIXES, *RECORDED_SUFFIXES),
    *(".toml", ".json", ".gguf", ".txt", ".model", ".lesson.toml", "", ".JSON", ".pt"),
)
_BEGINNINGS = (b"", b"PK\3\4", b"GGUF", b"{", b'{"transformer-explorer-scan": {}', b"[[", b"\xff\xfe", b'group = "A"\n')
_PRESETS = ("tiny", "translator", "tutorial-b", "tutorial-c", "tutorial-d", "tutorial-e", "nothing")


def key(window: Window, chance: Random, _folder: Path) -> None:
    """Some keys, wherever the focus is."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        focus = QApplication.focusWidget() or window
        QTest.keyClick(focus, chance.choice(_KEYS), chance.choice(MODIFIERS))


def focus(window: Window, chance: Random, _folder: Path) -> None:
    """To anything that takes it."""
    somewhere(window, chance)[0].setFocus(Qt.FocusReason.TabFocusReason)


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
    window.go(chance.choice(page_list.KEYS))


def export(window: Window, _chance: Random, _folder: Path) -> None:
    """Open the dialog, which is seen to elsewhere."""
    window.saving.export()


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
    window.session.ask(SetPreset(chance.choice(_PRESETS)))


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
        window.step_opener.add(str(path))
    else:
        button = chance.choice((panel.next, panel.next, panel.previous, panel.back))
        if button.isEnabled():
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def drop(window: Window, chance: Random, folder: Path) -> None:
    """Drag something over the window, of any ending and often no file at all, and let it go there or not."""
    path = folder / f"{len(list(folder.iterdir()))}{chance.choice(_ENDINGS)}"  # A pipe of an earlier drop is not written to.
    if chance.random() < 0.7:
        path.write_bytes(b"")
        damage.put_odd(path, chance)
    else:
        path.write_bytes(chance.choice(_BEGINNINGS) + writing.text(chance).encode("utf-8", "surrogatepass"))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))] * chance.choice((1, 1, 1, 2)))
    entered = entering(data, QPoint(5, 5))
    QApplication.sendEvent(window, entered)
    if entered.isAccepted():
        given = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(window, QDropEvent(QPoint(5, 5), *given))


ACTS: tuple[tuple[Act, int], ...] = (
    (click, 14),
    (drag, 5),
    (move, 3),
    (wheel, 4),
    (menu, 3),
    (key, 12),
    (focus, 6),
    (type_text, 6),
    (turn, 6),
    (fill, 3),
    (page, 6),
    (action, 3),
    (undo, 2),
    (resize, 2),
    (preset, 2),
    (lesson, 4),
    (export, 2),
    (drop, 3),
)
