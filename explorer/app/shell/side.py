"""The right edge of the window: the panel of knobs below the bars of weights and adapter, and the tab that it folds to."""

from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.key_names import native
from explorer.lang import Words
from explorer.state.adapter_intents import CompareAdapter, OpenAdapter, WearAdapter
from explorer.state.intents import OpenPage, SetTrained
from explorer.state.wish import Wish
from explorer.views.controls.knobs import KnobPanel
from explorer.views.controls.layouts import filled
from explorer.views.controls.segments import Segments
from explorer.views.controls.tab_group import make_tab_group

_MOST_SHOWN = 24  # characters of the folder's name


class ModelBar(QWidget):
    """A title with a choice between two states of the model. Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.title, self.segments = QLabel(), Segments()
        self.title.setObjectName("title")
        self.segments.chose.connect(self.choose)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 4, 12, 4)
        self.column.setSpacing(4)

    def choose(self, key: str) -> None:
        """Ask for the state with this key."""
        raise NotImplementedError


class AdapterBar(ModelBar):
    """A LoRA adapter on or off, beside its base, or away; shown while the model has one."""

    def __init__(self) -> None:
        super().__init__()
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.compare, self.drop = QToolButton(), QToolButton()
        for button in (self.compare, self.drop):
            button.setObjectName("small")
        self.drop.setText("×")
        self.compare.clicked.connect(self._compare)
        self.drop.clicked.connect(self._drop)
        above = filled(QHBoxLayout(), (self.title, 1), self.drop)
        filled(self.column, above, filled(QHBoxLayout(), self.segments, None, self.compare))
        self.hide()

    def put(self, wish: Wish, words: Words) -> None:
        """Show the adapter of a Wish, and whether it is on."""
        self.setVisible(bool(wish.adapter))
        if not wish.adapter:
            return
        name = Path(wish.adapter).name
        self.title.setText(words("adapter.title", name=name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}…"))
        self.title.setToolTip(wish.adapter)
        self.segments.setAccessibleName(words("adapter.title", name=name))
        self.segments.offer({key: words(f"adapter.{key}") for key in ("on", "off")}, "on" if wish.adapted else "off")
        self.compare.setText(words("adapter.compare"))
        self.drop.setToolTip(words("adapter.drop"))
        self.drop.setAccessibleName(words("adapter.drop"))

    def choose(self, key: str) -> None:
        self.wished.emit(WearAdapter(key == "on"))

    def _compare(self) -> None:
        self.wished.emit(CompareAdapter())
        self.wished.emit(OpenPage("compare"))

    def _drop(self) -> None:
        self.wished.emit(OpenAdapter(""))


class WeightsBar(ModelBar):
    """Trained or random weights; shown for presets that have trained ones.

    The window places `note` below the knobs, because above them it would move the knobs while the user turns one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.note = QLabel()
        self.note.setObjectName("warning")
        self.note.setWordWrap(True)
        self.note.setContentsMargins(10, 6, 6, 6)
        self.note.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        above = filled(QHBoxLayout(), self.title, None, self.segments, gap_px=2)
        self.column.addLayout(above)

    def put(self, wish: Wish, words: Words) -> None:
        """Show which weights a Wish uses, and why if they are not the trained ones."""
        self.setVisible(wish.has_trained)
        self.note.setVisible(wish.has_trained and not wish.uses_trained)
        if not wish.has_trained:
            return
        trained = wish.uses_trained
        self.title.setText(words("weights.title"))
        self.segments.setAccessibleName(words("weights.title"))
        self.segments.offer({key: words(f"weights.{key}") for key in ("trained", "random")}, "trained" if trained else "random")
        why = "weights.by_choice" if not wish.trained else "weights.by_shape"
        self.note.setText(words(why if wish.preset_translates else f"{why}_alone"))

    def choose(self, key: str) -> None:
        self.wished.emit(SetTrained(key == "trained"))


_TAB_PX = 24
_SAID = {True: "open", False: "folded"}


class SidePanel(QWidget):
    """Title, weights, knobs and a note, one stop of the Tab key; up and down walk from knob to knob.

    Signals: folded() for the button at its title.
    """

    folded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.weights, self.adapter, self.knobs = WeightsBar(), AdapterBar(), KnobPanel()
        self.title, self.fold = QLabel(), QToolButton()
        self.title.setObjectName("title")
        self.fold.setObjectName("small")
        self.fold.setAutoRaise(True)
        self.fold.clicked.connect(self.folded)
        bar = filled(QHBoxLayout(), self.title, None, self.fold, margins_px=(12, 6, 12, 0))
        filled(
            QVBoxLayout(self),
            bar,
            self.weights,
            self.adapter,
            (self.knobs, 1),
            self.weights.note,
            gap_px=0,
            margins_px=(1, 0, 0, 0),
        )
        make_tab_group(self, Qt.Key.Key_Up, Qt.Key.Key_Down, first=self.knobs.writing.sampling[0].slider)

    def speak(self, words: Words) -> None:
        self.title.setText(words("panel.title"))
        self.fold.setText(words("panel.fold"))
        self.fold.setToolTip(native("Ctrl+K"))
        self.knobs.speak(words)


class EdgeTab(QToolButton):
    """A narrow button whose text runs down: Chinese one character below the other, other scripts turned."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tab")
        self.setFixedWidth(_TAB_PX)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        runs = self.fontMetrics().horizontalAdvance(self.text()) if self.text().isascii() else len(self.text()) * line
        return QSize(_TAB_PX, 3 * line + runs)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text = ""  # type: ignore[attr-defined]  # Qt's stubs lack this field.
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        painter.setPen(self.palette().color(self.foregroundRole()))
        centre, line = Qt.AlignmentFlag.AlignCenter, self.fontMetrics().height()
        painter.drawText(QRect(0, line // 2, self.width(), line), centre, "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}")
        top = 2 * line
        if self.text().isascii():
            painter.translate(self.width() / 2, top)
            painter.rotate(90)
            painter.drawText(QRect(0, -line // 2, self.height(), line), Qt.AlignmentFlag.AlignVCenter, self.text())
        else:
            for place, mark in enumerate(self.text()):
                painter.drawText(QRect(0, top + place * line, self.width(), line), centre, mark)
        painter.end()


class Drawer(QWidget):
    """Holds the panel beside the page, or folds it to a tab. A narrow window has its own memory, and begins folded.

    Decision: an open panel stands beside the page. Rejected: over it, where it would cover what the knobs change.

    While it is quiet it is folded until somebody opens it, and what is remembered stays as it was.

    Signals: opened(bool) when it opens or folds.
    """

    opened = Signal(bool)

    def __init__(self, side: SidePanel) -> None:
        super().__init__()
        self.side = side
        self._narrow = False
        self._kept = {False: True, True: False}  # whether it is open, by whether the window is narrow
        self._quiet = False
        self.tab = EdgeTab()
        self.tab.clicked.connect(self._open)
        side.folded.connect(self._fold)
        filled(QHBoxLayout(self), side, self.tab, gap_px=0, margins_px=(0, 0, 0, 0))
        self._show()

    def speak(self, words: Words) -> None:
        self.side.speak(words)
        self.tab.setText(words("panel.title"))
        self.tab.setToolTip(f"{words('panel.unfold_name')} ({native('Ctrl+K')})")
        self.tab.setAccessibleName(words("panel.unfold_name"))

    @property
    def is_open(self) -> bool:
        return self._kept[self._narrow] and not self._quiet

    def set_open(self, on: bool) -> None:
        if on != self.is_open:
            self._kept[self._narrow], self._quiet = on, False
            self._show()

    def set_quiet(self, quiet: bool) -> None:
        """Fold it for as long as a tour needs the room, or open it again if it was open before."""
        if quiet != self._quiet:
            self._quiet = quiet
            self._show()

    def set_narrow(self, narrow: bool) -> None:
        if narrow != self._narrow:
            self._narrow = narrow
            self._show()

    @property
    def memory(self) -> str:
        """What is remembered until the next start: "open folded" for a wide and a narrow window."""
        return " ".join(_SAID[self._kept[narrow]] for narrow in (False, True))

    def recall(self, memory: str) -> None:
        """Open or fold as at the end of the last run; an unknown memory changes nothing."""
        said = memory.split(" ")
        if len(said) == len(self._kept) and set(said) <= set(_SAID.values()):
            self._kept = {narrow: word == _SAID[True] for narrow, word in zip((False, True), said, strict=True)}
            self._show()

    def _open(self) -> None:
        self.set_open(True)

    def _fold(self) -> None:
        self.set_open(False)

    def _show(self) -> None:
        self.side.setVisible(self.is_open)
        self.tab.setVisible(not self.is_open)
        self.opened.emit(self.is_open)
