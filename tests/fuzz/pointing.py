"""What the mouse may do, anywhere in the window or in what stands in front of it."""

from pathlib import Path
from random import Random

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from explorer.app.shell.window import Window
from explorer.views.painting.surface import Surface

MODIFIERS = (Qt.KeyboardModifier.NoModifier,) * 5 + (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
)
_BUTTONS = (Qt.MouseButton.LeftButton,) * 6 + (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton)


def click(window: Window, chance: Random, _folder: Path) -> None:
    """Once or twice, on anything that can be seen."""
    widget, place = somewhere(window, chance)
    button, modifier = chance.choice(_BUTTONS), chance.choice(MODIFIERS)
    (QTest.mouseDClick if chance.random() < 0.2 else QTest.mouseClick)(widget, button, modifier, place)


def drag(window: Window, chance: Random, _folder: Path) -> None:
    """From one place of a widget to another, which may be outside."""
    widget, start = somewhere(window, chance)
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, chance.choice(MODIFIERS), start)
    for _ in range(chance.randint(1, 5)):
        QTest.mouseMove(widget, QPoint(chance.randint(-50, widget.width() + 50), chance.randint(-50, widget.height() + 50)))
    end = QPoint(chance.randint(-50, widget.width() + 50), chance.randint(-50, widget.height() + 50))
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)


def move(window: Window, chance: Random, _folder: Path) -> None:
    """The mouse over something."""
    QTest.mouseMove(*somewhere(window, chance))


def wheel(window: Window, chance: Random, _folder: Path) -> None:
    """Up, down or sideways, with or without Ctrl."""
    widget, place = somewhere(window, chance)
    turn = QPoint(chance.choice((0, 0, 0, 120, -120)), chance.choice((120, -120, 1200, -1200, 7)))
    QApplication.sendEvent(
        widget,
        QWheelEvent(
            QPointF(place),
            QPointF(widget.mapToGlobal(place)),
            QPoint(),
            turn,
            Qt.MouseButton.NoButton,
            chance.choice(MODIFIERS),
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


def menu(window: Window, chance: Random, _folder: Path) -> None:
    """The context menu of something, by mouse or by key."""
    widget, place = somewhere(window, chance)
    reason = chance.choice((QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard))
    QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))


def somewhere(window: Window, chance: Random) -> tuple[QWidget, QPoint]:
    """A widget that can be seen, more often one that draws a picture, and a place in it."""
    top = QApplication.activePopupWidget() or QApplication.activeModalWidget() or window
    place = QPoint(chance.randrange(max(1, top.width())), chance.randrange(max(1, top.height())))
    if chance.random() < 0.7:
        kind = chance.choice((QWidget, Surface))
        seen = [each for each in top.findChildren(kind) if each.isVisible() and each.width() > 0 and each.height() > 0]
        if seen:
            widget = chance.choice(seen)
            return widget, QPoint(chance.randrange(widget.width()), chance.randrange(widget.height()))
    widget = top.childAt(place) or top
    return widget, widget.mapFrom(top, place)
