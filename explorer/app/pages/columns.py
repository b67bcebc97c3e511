"""The columns of a page: each has a share of the width, and a person may part them anew, which is remembered.

Decision: the preferences keep the widths, by page. Rejected: the State, because a shared state or a step back would move what
somebody has arranged.
"""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLayout, QWidget

from explorer.views.controls.layouts import is_there, members_of
from explorer.views.controls.parted_row import PartedRow

FINE = 1000  # times the shares that a page names, so that a border can be moved by a pixel
KEPT_SHARE = "share"  # the property of a layout that keeps the share of an empty part, followed by its place
_LEAST_PX, _MOST = 96, 10**6  # px of a column, however small its cards may be; the largest share that is read


class Columns(PartedRow):
    """Columns with shares of the width, which hold in a window of any size as far as the least widths of the cards allow."""

    def __init__(self) -> None:
        super().__init__()
        self._usual: tuple[int, ...] = ()  # the shares at first, once they have been changed

    @property
    def numbers(self) -> tuple[int, ...]:
        shares = self._shares()
        return () if shares == self._usual or not self._usual else shares

    def put(self, numbers: tuple[int, ...]) -> None:
        if len(numbers) == self.count() and all(0 < each < _MOST for each in numbers):
            self._part(numbers)

    def put_back(self, _left: int, _right: int) -> None:
        if self._usual:
            self._part(self._usual)

    def move(self, left: int, right: int, px: int) -> None:
        there = {place: each for place, each in members_of(self).items() if is_there(each)}
        wide = {place: each.geometry().width() for place, each in there.items()}
        both = wide[left] + wide[right]
        most = both - _least_px(there[right])
        wide[left] = max(min(wide[left] + px, most), _least_px(there[left]))
        wide[right] = both - wide[left]
        shares = list(self._shares())
        total = sum(shares[place] for place in wide)
        for place, width in wide.items():
            shares[place] = max(1, round(total * width / sum(wide.values())))
        self._part(shares)

    def _shares(self) -> tuple[int, ...]:
        return tuple(self.property(f"{KEPT_SHARE}{place}") or self.stretch(place) for place in range(self.count()))

    def _part(self, shares: Sequence[int]) -> None:
        self._usual = self._usual or self._shares()
        for place, share in enumerate(shares):
            if self.property(f"{KEPT_SHARE}{place}"):  # Nothing is in sight there now.
                self.setProperty(f"{KEPT_SHARE}{place}", share)
            else:
                self.setStretch(place, share)


def _least_px(member: QWidget | QLayout) -> int:
    if isinstance(member, QLayout):
        return max(_LEAST_PX, member.minimumSize().width())
    return max(_LEAST_PX, member.minimumWidth(), member.minimumSizeHint().width())


class KeptWidths(QObject):
    """How rows are parted, by their names. Signals: changed() when a person has parted one anew."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[PartedRow, str] = {}
        self._kept: dict[str, tuple[int, ...]] = {}

    def take(self, name: str, rows: Sequence[PartedRow]) -> None:
        """Part these rows as remembered, and remember what becomes of them; the name has no space and no colon."""
        for number, row in enumerate(rows):
            self._rows[row] = f"{name}.{number}"
            row.put(self._kept.get(self._rows[row], ()))
            row.parted.connect(self._parted)

    def _parted(self) -> None:
        row = self.sender()
        assert isinstance(row, PartedRow)  # Only rows are taken.
        self._kept[self._rows[row]] = row.numbers
        self.changed.emit()

    @property
    def memory(self) -> str:
        """What is remembered until the next start: "attention.0:1400,600 window.0:330,280"."""
        return " ".join(f"{name}:{','.join(map(str, numbers))}" for name, numbers in self._kept.items() if numbers)

    def recall(self, memory: str) -> None:
        """Part the rows as at the end of the last run; what cannot be read changes nothing."""
        for entry in memory.split():
            name, _colon, numbers = entry.partition(":")
            if all(number.isascii() and number.isdecimal() and len(number) <= len(str(_MOST)) for number in numbers.split(",")):
                self._kept[name] = tuple(map(int, numbers.split(",")))
        for row, name in self._rows.items():
            row.put(self._kept.get(name, ()))
