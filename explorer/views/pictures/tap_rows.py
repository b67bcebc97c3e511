"""The rows of the table of all taps, as Qt asks for them. Figures that are not there yet are asked for, once, together."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal

from explorer.lang import Words
from explorer.picture.cell_text import number, rough
from explorer.picture.makers.taps import TapList
from explorer.trace.measures.tap_figures import TapFigures

_Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("tap", "shape", "difference", "product", "min", "max", "mean", "deviation", "nan", "infinite", "dtype")
DIFFERENCE, PRODUCT = COLUMNS.index("difference"), COLUMNS.index("product")
DTYPE = COLUMNS.index("dtype")
FIGURES = range(DIFFERENCE, len(COLUMNS))
"""The columns of figures; names and shapes stand before them."""
_NOT_KEPT = "–"
_SHORT = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float64": "f64",
}  # as it is written where there is little room
SORTED_BY = Qt.ItemDataRole.UserRole


class TapRows(QAbstractTableModel):
    """The Qt model of a TapList.

    Decision: figures are worked out beside the passes, for the rows that Qt asks about alone; until they come, those of the
    last pass stay, faint. Rejected: on the GUI thread at the first look, which held it for 0.2 s where a tap has 30 million
    numbers.

    Signals: lacks(names of taps) when Qt has asked for figures that are not known, with all that are still to come.
    """

    lacks = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self._taps: TapList | None = None
        self._words: Words | None = None
        self._figures: dict[str, TapFigures] = {}
        self._last: dict[str, TapFigures] = {}  # those of the pass before
        self._missing: dict[str, None] = {}  # in the order in which Qt asked for them
        self._asked: dict[str, None] = {}  # those that have been told as lacking
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._tell_missing)

    def put(self, taps: TapList, words: Words) -> None:
        """Take the taps of another pass."""
        same = self._taps is not None and self._taps.names == taps.names and self._words is words
        self._last, self._figures = self._last | self._figures, {}
        self._missing, self._asked = {}, {}
        if same:
            self._taps = taps
            self.dataChanged.emit(self.index(0, 0), self.index(len(taps.names) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self._taps, self._words = taps, words
        self.endResetModel()

    @property
    def awaits(self) -> bool:
        """Whether figures that were asked for are still to come."""
        return bool(self._missing) or any(name not in self._figures for name in self._asked)

    def ask(self, rows: Iterable[int]) -> None:
        """Ask for the figures of these rows at once, before Qt paints them."""
        assert self._taps is not None  # There are rows.
        for row in rows:
            self._found(self._taps.names[row])
        self._timer.stop()
        self._tell_missing()

    def tell(self, figures: Mapping[str, TapFigures]) -> None:
        """Show the figures of some taps."""
        assert self._taps is not None  # Nobody measures before there is a pass.
        self._figures |= figures
        rows = [row for row, name in enumerate(self._taps.names) if name in figures]
        if rows:
            self.dataChanged.emit(self.index(rows[0], 0), self.index(rows[-1], len(COLUMNS) - 1))

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  This is Qt's own signature.
        return 0 if self._taps is None or parent.isValid() else len(self._taps.names)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  This is Qt's own signature.
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal or self._words is None:
            return None
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            return Qt.SortOrder.DescendingOrder if section > 1 else Qt.SortOrder.AscendingOrder
        if role == Qt.ItemDataRole.ToolTipRole and section > 1:
            of_pass = self._taps is None or self._taps.kind == "taps"
            about = f"inspector.about.{COLUMNS[section]}" if of_pass else f"inspector.about_weights.{COLUMNS[section]}"
            origin = "picture.origin.computed" if of_pass else "picture.origin.parameter"
            return self._words(about) if about in self._words else self._words(origin)
        name = self._taps.kind if self._taps is not None and section == 0 else COLUMNS[section]
        return self._words(f"inspector.{name}") if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: _Index, role: int = 0) -> Any:
        if self._taps is None or not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == SORTED_BY:
            return self._taps.names[row] if column == 0 else self._rank(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self._taps.names[row]} {self._taps.shapes[row]}"
        return self._shown(row, column) if role == Qt.ItemDataRole.DisplayRole else None

    def cells(self, row: int) -> tuple[list[str], bool]:
        """What the cells of a row say, and whether its figures are those of this pass."""
        assert self._taps is not None  # There are rows.
        name = self._taps.names[row]
        return [self._shown(row, column) for column in range(len(COLUMNS))], name in self._figures

    def _shown(self, row: int, column: int) -> str:
        assert self._taps is not None  # The caller has checked.
        if column < DIFFERENCE:
            return (self._taps.names, self._taps.sizes)[column][row]
        found = self._found(self._taps.names[row])
        return "…" if found is None else _said(found, COLUMNS[column])

    def _rank(self, row: int, column: int) -> float:
        """What a row is sorted by; what is not known, or not there, comes last."""
        assert self._taps is not None  # The caller has checked.
        if column < DIFFERENCE:
            return math.prod(map(int, self._taps.sizes[row].split("×")))
        found = self._found(self._taps.names[row])
        value = -math.inf if found is None else _value(found, COLUMNS[column])
        return -math.inf if value is None or math.isnan(value) else value

    def _found(self, name: str) -> TapFigures | None:
        """The figures of a tap, or those of the last pass until they are there; None if there are neither."""
        if name not in self._figures and name not in self._asked:
            self._missing[name] = None
            self._timer.start()
        return self._figures.get(name) or self._last.get(name)

    def _tell_missing(self) -> None:
        """Tell what is on screen now before what was asked for earlier and is not there yet."""
        missing, self._missing = self._missing, {}
        self._asked = missing | {name: None for name in self._asked if name not in self._figures}
        if missing:
            self.lacks.emit(tuple(self._asked))


def _value(found: TapFigures, column: str) -> float | None:
    about = found.summary
    if column in ("difference", "product"):
        return found.difference if column == "difference" else found.product
    if column == "dtype" or about is None:
        return None
    name = {"min": "low", "max": "high", "nan": "nan_share", "infinite": "infinite_share"}.get(column, column)
    value: float = getattr(about, name)
    return value


def _said(found: TapFigures, column: str) -> str:
    if column == "dtype":
        return _SHORT.get(found.dtype, found.dtype) or _NOT_KEPT
    value = _value(found, column)
    if value is None:
        return _NOT_KEPT
    if column == "product":
        return rough(value)
    return f"{value:.0%}" if column in ("nan", "infinite") else number(value)
