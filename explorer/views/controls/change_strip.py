"""The strip of changes above every page: a chip for each that switches it, and one button that switches all off."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from explorer.lang import Words
from explorer.picture.change_text import Listed
from explorer.state.change_intents import RemoveChanges, SwitchAllOff, SwitchChanges
from explorer.state.intents import OpenPage
from explorer.views.controls.layouts import filled
from explorer.views.controls.tab_group import make_tab_group
from explorer.views.painting.style import set_style_property

_AGAIN_MS = 50
_LONGEST_PX = 260  # px; a longer name is elided, and the tooltip has the whole one


class ChangeStrip(QWidget):
    """Hidden without changes. Chips that have no room stand behind a button that opens the change page.

    Signals: wished(Intent).
    """

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("changes")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.chips: list[_Chip] = []
        self._spare: list[_Chip] = []  # A new chip costs a millisecond of style, and the pencil comes and goes.
        self.title, self.more, self.off = QLabel(), QToolButton(), QToolButton()
        self.title.setObjectName("faint")
        self.more.setObjectName("small")
        self.off.setObjectName("small")
        self.more.clicked.connect(self._open)
        self.off.clicked.connect(self._all_off)
        self._layout = filled(QHBoxLayout(self), self.title, self.more, None, self.off, gap_px=6, margins_px=(12, 3, 12, 3))
        self._later = QTimer(self, interval=_AGAIN_MS, singleShot=True)
        self._later.timeout.connect(self._appear)
        make_tab_group(self, Qt.Key.Key_Left, Qt.Key.Key_Right)
        self.hide()

    def put(self, listed: Sequence[Listed], words: Words) -> None:
        """Show a chip for each of these changes."""
        while len(self.chips) > len(listed):
            chip = self.chips.pop()
            self._layout.removeWidget(chip)
            chip.hide()
            self._spare.append(chip)
        while len(self.chips) < len(listed):
            chip = self._spare.pop() if self._spare else self._new_chip()
            self.chips.append(chip)
            self._layout.insertWidget(len(self.chips), chip)
        for chip, each in zip(self.chips, listed, strict=True):
            chip.put(each, words)
        self.title.setText(words("change.strip"))
        self.off.setText(words("change.all_off"))
        self.off.setEnabled(any(each.group.on for each in listed))
        self.more.setAccessibleName(words("page.change"))
        self.more.setToolTip(words("change.more"))
        self._make_room()
        if listed and self.isHidden():
            self._appear()
        elif not listed:
            self._later.stop()
            self.hide()

    def _new_chip(self) -> "_Chip":
        chip = _Chip()
        chip.name.clicked.connect(self._switched)
        chip.remove.clicked.connect(self._removed)
        return chip

    def _appear(self) -> None:
        """Show the strip as soon as no button is pressed: the map must not move away below a pencil."""
        if QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self.show()
        else:
            self._later.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._make_room()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _make_room(self) -> None:
        """Hide the last chips where they have no room, and say how many."""
        gap = self._layout.spacing()
        room = self.width() - 24 - self.title.sizeHint().width() - self.off.sizeHint().width() - 2 * gap
        widths = [chip.sizeHint().width() + gap for chip in self.chips]
        shown = len(widths)
        if sum(widths) > room:
            room -= self.more.sizeHint().width() + gap + 24
            while shown and sum(widths[:shown]) > room:
                shown -= 1
        for place, chip in enumerate(self.chips):
            chip.setVisible(place < shown)
        self.more.setText(f"+{len(self.chips) - shown}")
        self.more.setVisible(shown < len(self.chips))

    def _chip(self) -> "_Chip":
        chip: _Chip = self.sender().parentWidget()  # type: ignore[attr-defined]  # The sender is a button of a chip.
        return chip

    def _switched(self, on: bool) -> None:
        chip = self._chip()
        with QSignalBlocker(chip.name):
            chip.name.setChecked(not on)  # The answer of the session switches it, so that it can spring back.
        self.wished.emit(SwitchChanges(chip.indices, on))

    def _removed(self) -> None:
        self.wished.emit(RemoveChanges(self._chip().indices))

    def _all_off(self) -> None:
        self.wished.emit(SwitchAllOff())

    def _open(self) -> None:
        self.wished.emit(OpenPage("change"))


class _Chip(QFrame):
    """A change's name, which switches it, and a cross that takes it out."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chip")
        self.indices: tuple[int, ...] = ()
        self.name, self.remove = QToolButton(), QToolButton()
        self.name.setObjectName("changename")
        self.name.setCheckable(True)
        self.remove.setText("×")
        filled(QHBoxLayout(self), self.name, self.remove, gap_px=0, margins_px=(1, 1, 1, 1))

    def put(self, listed: Listed, words: Words) -> None:
        self.indices = listed.group.indices
        metrics = QFontMetrics(self.name.font())
        sign = "●" if listed.group.on else "○"
        self.name.setText(f"{sign} {metrics.elidedText(listed.name, Qt.TextElideMode.ElideRight, _LONGEST_PX)}")
        self.name.setChecked(listed.group.on)
        tip = "\n".join(filter(None, (listed.name, listed.lacks or words("change.click_switches"))))
        self.name.setToolTip(tip)
        self.name.setAccessibleName(listed.name)
        self.name.setAccessibleDescription(listed.lacks)
        self.remove.setToolTip(words("change.remove"))
        self.remove.setAccessibleName(f"{words('change.remove')}: {listed.name}")
        set_style_property(self.name, "lacks", bool(listed.lacks))
