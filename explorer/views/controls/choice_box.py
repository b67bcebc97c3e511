"""Combo boxes that show their whole text, and those that choose a layer, a head, a token, or what stands for several heads."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from explorer.lang import Words

_SPARE_PX = 4  # px that styles leave free beside the text


class ChoiceBox(QComboBox):
    """A combo box that asks for the room of its present text, and whose list is as wide as its longest entry.

    Decision: the present text decides the width. Rejected: the longest entry, which would take room for what is not shown.
    A box that is made narrower all the same ends its text with an ellipsis and cuts no letter in half.
    """

    name_key = ""  # of the text that a screen reader has for it, "" where its owner names it

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(1)
        self.currentIndexChanged.connect(self._measure)

    def speak(self, words: Words) -> None:
        """Name it for a screen reader, before it has something to choose from."""
        if self.name_key:
            self.setAccessibleName(words(self.name_key))

    def put(self, entries: Sequence[str], chosen: int) -> None:
        """Show these entries and choose one, without a signal. The list is made anew only where it has other entries."""
        with QSignalBlocker(self):
            if entries != [self.itemText(place) for place in range(self.count())]:
                self.clear()
                self.addItems(entries)
            self.setCurrentIndex(chosen)

    def shown(self) -> str:
        """The visible part of the current text."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width() - _SPARE_PX)

    def minimumSizeHint(self) -> QSize:
        return self._wide_enough(super().minimumSizeHint())

    def sizeHint(self) -> QSize:
        return self._wide_enough(super().sizeHint())

    def setItemText(self, index: int, text: str) -> None:
        super().setItemText(index, text)
        self.updateGeometry()

    def setCurrentIndex(self, index: int) -> None:
        super().setCurrentIndex(index)
        self.updateGeometry()  # The program sets choices with its signals blocked.

    def showPopup(self) -> None:
        """Open the list, wide enough for its longest entry."""
        view = self.view()
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        view.setMinimumWidth(max(self.width(), view.sizeHintForColumn(0) + bar + 2 * _SPARE_PX))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown()  # type: ignore[attr-defined]  # Qt's stubs lack this field.
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _measure(self) -> None:
        self.updateGeometry()

    def _wide_enough(self, hint: QSize) -> QSize:
        """A size with room for the present text; the hint has the frame, the arrow and the least number of letters."""
        self.ensurePolished()
        metrics = self.fontMetrics()
        frame = hint.width() - self.minimumContentsLength() * metrics.horizontalAdvance("X")
        text = metrics.horizontalAdvance(self.currentText()) + 2 * _SPARE_PX
        return QSize(max(hint.width(), frame + text), hint.height())


class PlaceBox(ChoiceBox):
    """Signals: chose(place) when the user chooses an entry."""

    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.currentIndexChanged.connect(self.chose)


class LayerBox(PlaceBox):
    """Chooses a layer."""

    name_key = "axis.layer"

    def offer(self, n_layers: int, chosen: int, words: Words) -> None:
        """Show so many layers without a signal."""
        self.put([words("picture.layer", layer=layer) for layer in range(n_layers)], chosen)
        self.speak(words)


class HeadBox(PlaceBox):
    """Chooses a head."""

    name_key = "axis.head"

    def offer(self, n_heads: int, chosen: int, words: Words) -> None:
        """Show so many heads without a signal; the box is hidden where there is one."""
        self.put([f"H{head}" for head in range(n_heads)], chosen)
        self.setVisible(n_heads > 1)
        self.speak(words)


class TokenBox(PlaceBox):
    """Chooses a token of a side."""

    name_key = "vectors.token"

    def offer(self, texts: tuple[str, ...], chosen: int, words: Words) -> None:
        """Show these tokens without a signal; the box is hidden where there are none."""
        self.put([f"{place} {text}" for place, text in enumerate(texts)], chosen)
        self.setVisible(bool(texts))
        self.speak(words)


class SecondHeadBox(ChoiceBox):
    """Chooses a second head, or none. Signals: chose(layer, head) when the user chooses one, −1 for none."""

    name_key = "heads.second_hint"

    chose = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int]] = []
        self.currentIndexChanged.connect(self._chosen)

    def offer(self, layers: Sequence[int], n_heads: int, chosen: tuple[int, int], words: Words) -> None:
        """Show all heads of these layers without a signal."""
        self._places = [(-1, -1), *((layer, head) for layer in layers for head in range(n_heads))]
        named = [words("picture.head", layer=layer, head=head) for layer, head in self._places[1:]]
        self.put([words("heads.no_second"), *(words("heads.second", name=name) for name in named)], self._places.index(chosen))
        self.speak(words)
        self.setToolTip(words("heads.second_hint"))

    def _chosen(self, place: int) -> None:
        if place >= 0:
            self.chose.emit(*self._places[place])


class PoolBox(ChoiceBox):
    """Chooses one head, or what stands for several. Signals: chose(key of `state.look.ALIGNED`) when the user chooses one."""

    name_key = "heads.pooled"

    chose = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[str, ...] = ()
        self.currentIndexChanged.connect(self._chosen)

    def offer(self, keys: tuple[str, ...], chosen: str, words: Words) -> None:
        """Show these choices without a signal."""
        self._keys = keys
        self.put([words(f"aligned.{key}") for key in keys], keys.index(chosen))
        self.speak(words)
        self.setToolTip(words("heads.pooled"))

    def _chosen(self, place: int) -> None:
        if place >= 0:
            self.chose.emit(self._keys[place])


def name_boxes(around: Sequence[QWidget | None], words: Words) -> None:
    """Name all boxes within these widgets."""
    for each in around:
        for box in each.findChildren(ChoiceBox) if each is not None else ():
            box.speak(words)
