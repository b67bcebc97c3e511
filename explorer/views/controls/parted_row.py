"""A row whose members a person parts anew, by a grip on each border.

Decision: a grip lies over the gap that a row has anyway, and tells the row how far it was moved. Rejected: QSplitter, which
knows no height for a width, so that explanations and notes inside it would be cut, and which holds no layouts.
"""

from itertools import pairwise

from PySide6.QtCore import QRect, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from explorer.lang import Words
from explorer.views.controls.grip import WIDE_PX, BorderGrip
from explorer.views.controls.layouts import is_there, members_of


class PartedRow(QHBoxLayout):
    """A subclass says what a move does, and which `numbers` are remembered of it.

    Signals: parted() when a person has parted it anew, or put it back.
    """

    parted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.grips: list[BorderGrip] = []
        self._beside: dict[BorderGrip, tuple[int, int]] = {}  # the places of the members at the left and the right of it
        self._words: Words | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """How it is parted; () as at first."""
        raise NotImplementedError

    def put(self, numbers: tuple[int, ...]) -> None:
        """Part it as remembered; numbers of another row change nothing."""
        raise NotImplementedError

    def move(self, left: int, right: int, px: int) -> None:
        """Give the member at the place `left` so many px more, and take them from the one at `right`."""
        raise NotImplementedError

    def put_back(self, left: int, right: int) -> None:
        """Part the room between these two as at first."""
        raise NotImplementedError

    def is_fixed(self, _left: int, _right: int) -> bool:
        """Whether the border between these two cannot be moved now."""
        return False

    def speak(self, words: Words) -> None:
        self._words = words
        for grip in self.grips:
            grip.speak(words)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        within = self.parentWidget()
        members = [(place, each.geometry()) for place, each in members_of(self).items() if is_there(each)]
        is_row = self.direction() == self.Direction.LeftToRight  # A page may turn a row into a column where it has no room.
        borders = [(one, other) for one, other in pairwise(members) if is_row and not self.is_fixed(one[0], other[0])]
        while within is not None and len(self.grips) < len(borders):
            self.grips.append(self._made(within))
        self._beside = {}
        for grip, ((left, area), (right, other)) in zip(self.grips, borders, strict=False):
            self._beside[grip] = (left, right)
            middle = (area.right() + 1 + other.left()) // 2
            grip.setGeometry(middle - WIDE_PX // 2, rect.top(), WIDE_PX, rect.height())
            grip.raise_()
        for grip in self.grips:
            grip.setVisible(grip in self._beside)

    def _made(self, within: QWidget) -> BorderGrip:
        grip = BorderGrip(within)
        grip.moved.connect(self._moved)
        grip.let_go.connect(self.parted)
        grip.put_back.connect(self._put_back)
        if self._words is not None:
            grip.speak(self._words)
        return grip

    def _moved(self, px: int) -> None:
        self.activate()  # Widths must be those of the move before, of which keys may make several at once.
        self.move(*self._beside[self.sender()], px)  # type: ignore[index]  # The sender is a grip.

    def _put_back(self) -> None:
        self.put_back(*self._beside[self.sender()])  # type: ignore[index]  # As above.
        self.parted.emit()
