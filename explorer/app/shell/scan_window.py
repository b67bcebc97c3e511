"""The table of a scan in a window of its own: the mean of every head as a map, the heads sorted by it, and beside them the
sentences where one is highest.

Decision: it stays open beside the main window, so that one sentence after the other can be looked at there.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from PySide6.QtCore import QRectF, QSignalBlocker, Signal
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QLabel, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.makers.scan_map import map_rows, mean_map
from explorer.picture.theme import Theme
from explorer.presets import title_in
from explorer.state.change_intents import TakeSentence
from explorer.state.intents import look_at
from explorer.trace.measures.head_measures import MEASURES
from explorer.trace.measures.scan_sums import UPPER, WHOLE
from explorer.trace.measures.scan_table import Found, HeadRow, ScanTable
from explorer.views.controls.layouts import filled
from explorer.views.controls.row_list import ROW, LinePainter, RowList
from explorer.views.pictures.heatmap import HeatmapView

_NAME_PX, _NUMBER_PX, _VALUE_PX = 150, 118, 56
_ROW_LABEL_PX = 130  # "encoder self L11"


class HeadList(RowList):
    """Heads, the one with the highest mean first."""

    def __init__(self) -> None:
        super().__init__(_HeadPainter)

    def put(self, rows: list[HeadRow], words: Words) -> None:
        """Show these heads, and choose the first one."""
        self.clear()
        for row in rows:
            self.put_row(self.count(), (row, told_head(row, words)), told_row(row, words))
        self.setCurrentRow(0)

    def choose(self, attention: str, layer: int, head: int) -> None:
        """Choose a head, and scroll to it."""
        for place in range(self.count()):
            found = self.item(place).data(ROW)
            if isinstance(found, tuple) and (found[0].attention, found[0].layer, found[0].head) == (attention, layer, head):
                self.setCurrentRow(place)
                self.scrollToItem(self.item(place))

    def chosen(self) -> HeadRow | None:
        """The head that is chosen."""
        found = self.chosen_row()
        return found[0] if isinstance(found, tuple) else None


class SentenceList(RowList):
    """Sentences, the one with the highest value first."""

    def __init__(self) -> None:
        super().__init__(_SentencePainter)

    def put(self, found: tuple[Found, ...], words: Words) -> None:
        """Show these sentences; none is chosen."""
        self.clear()
        for each in found:
            self.put_row(
                self.count(), each, words("scan.sentence", value=f"{each.value:.3f}", row=f"{each.row + 1:,}", text=each.text)
            )

    def chosen(self) -> Found | None:
        """The sentence that is chosen."""
        found = self.chosen_row()
        return found if isinstance(found, Found) else None


def told_head(row: HeadRow, words: Words) -> str:
    """Attention, layer and head in few words."""
    if row.attention == WHOLE:
        return words("scan.whole")
    return words("scan.head", attention=words(f"attention_short.{row.attention}"), layer=row.layer, head=row.head)


def told_row(row: HeadRow, words: Words) -> str:
    """The whole row in words."""
    if not row.count:
        return words("scan.no_row", head=told_head(row, words))
    mean, deviation = f"{row.mean:.3f}", f"{row.deviation:.3f}"
    return words("scan.row", head=told_head(row, words), mean=mean, deviation=deviation, count=f"{row.count:,}")


class _HeadPainter(LinePainter):
    """Name, histogram, mean ± deviation. A histogram's highest bar fills the row."""

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        assert isinstance(row, tuple)  # `HeadList.put` puts in the head with its name.
        head, name = row
        self.write(painter, QRectF(area.left(), area.top(), _NAME_PX, area.height()), name, self.theme.text)
        numbers = QRectF(area.right() - _NUMBER_PX, area.top(), _NUMBER_PX, area.height())
        told = f"{head.mean:.3f} ± {head.deviation:.3f}" if head.count else "–"
        self.write(painter, numbers, told, self.theme.text, right=True)
        self._bars(
            painter,
            QRectF(area.left() + _NAME_PX, area.top(), area.width() - _NAME_PX - _NUMBER_PX - self.pad_px, area.height()),
            head,
        )

    def _bars(self, painter: QPainter, area: QRectF, head: HeadRow) -> None:
        counts = head.histogram
        if area.width() < len(counts) or not counts.any():
            return
        edges = np.round(area.left() + area.width() * np.arange(len(counts) + 1) / len(counts))
        ground = area.bottom() - 5
        painter.fillRect(QRectF(area.left(), ground, area.width(), 1), QColor(self.theme.hairline))
        height = (area.height() - 11) * counts / counts.max()  # [bin]
        for left, right, own in zip(edges[:-1], edges[1:], height, strict=True):
            if own:
                painter.fillRect(QRectF(left, ground - max(1.0, own), right - left, max(1.0, own)), QColor(self.theme.grey))


class _SentencePainter(LinePainter):
    """The value, and the sentence."""

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        assert isinstance(row, Found)
        self.write(
            painter,
            QRectF(area.left(), area.top(), _VALUE_PX - self.pad_px, area.height()),
            f"{row.value:.3f}",
            self.theme.faint,
        )
        self.write(painter, area.adjusted(_VALUE_PX, 0, 0, 0), row.text, self.theme.text)


_SIZE = (940, 600)  # px


class ScanWindow(QDialog):
    """`put(table, name)` shows a table. Signals: wished(Intent) when a sentence is clicked."""

    wished = Signal(object)

    def __init__(self, parent: QWidget, words: Words) -> None:
        super().__init__(parent)
        self.words = words
        self.table: ScanTable | None = None
        self._name = ""
        self.title, self.about, self.meaning, self.left_out, self.note = (QLabel() for _ in range(5))
        self.heads_name, self.numbers_name, self.bars_name, self.sentences_name = (QLabel() for _ in range(4))
        self.title.setObjectName("title")
        faint = (self.about, self.meaning, self.left_out, self.note, self.heads_name, self.numbers_name, self.bars_name)
        for label in (*faint, self.sentences_name):
            label.setObjectName("faint")
        for label in (self.meaning, self.left_out, self.note):
            label.setWordWrap(True)
        self.measure, self.heads, self.sentences, self.leave = QComboBox(), HeadList(), SentenceList(), QPushButton()
        self.map = HeatmapView(row_label_px=_ROW_LABEL_PX)
        self.map.follows = False
        self.map.chose.connect(self._chosen_in_map)
        self.leave.setAutoDefault(False)
        self.leave.clicked.connect(self.close)
        self.measure.currentIndexChanged.connect(self._measured)
        self.heads.currentItemChanged.connect(self._chosen)
        self.sentences.itemClicked.connect(self._use)
        self.sentences.itemActivated.connect(self._use)
        self._lay_out()
        self.resize(*_SIZE)

    def _lay_out(self) -> None:
        self.heads_name.setFixedWidth(150)
        # The names stand above the rows, beside the bar that scrolls these.
        names = filled(
            QHBoxLayout(), self.heads_name, (self.bars_name, 1), self.numbers_name, gap_px=0, margins_px=(11, 0, 20, 0)
        )
        right_name = filled(QHBoxLayout(), (self.sentences_name, 1), margins_px=(10, 0, 10, 0))
        left = filled(QVBoxLayout(), (self.map, 1), names, (self.heads, 1))
        right = filled(QVBoxLayout(), right_name, (self.sentences, 1))
        top = filled(QHBoxLayout(), self.title, (self.about, 1), self.measure)
        middle = filled(QHBoxLayout(), (left, 5), (right, 4), gap_px=12)
        foot = filled(QHBoxLayout(), (self.note, 1), self.leave)
        filled(QVBoxLayout(self), top, self.meaning, (middle, 1), self.left_out, foot, gap_px=8)

    def put(self, table: ScanTable, name: str) -> None:
        """Show a table, which was in the file `name`."""
        self.table, self._name = table, name
        self.speak(self.words)

    def speak(self, words: Words) -> None:
        """Write all texts anew."""
        self.words = words
        table = self.table
        if table is None:
            return
        self.setWindowTitle(words("scan.title", name=self._name))
        self.title.setText(self._name)
        self.about.setText(_told_about(table.about, table.n_measured, words))
        self.measure.setAccessibleName(words("heads.label"))
        self.heads.setAccessibleName(words("scan.heads"))
        self.heads_name.setText(words("scan.heads_name"))
        self.numbers_name.setText(words("scan.numbers"))
        reasons = (
            words("scan.left_out", count=f"{count:,}", reason=words.kind_of_error(key)) for key, count in table.left_out.items()
        )
        self.left_out.setText("\n".join(reasons))
        self.left_out.setVisible(bool(table.left_out))
        self.note.setText(words("scan.note"))
        self.leave.setText(words("export.close"))
        before = self.measure.currentData()
        with QSignalBlocker(self.measure):
            self.measure.clear()
            for measure in table.measures:
                self.measure.addItem(words(f"heads.measure.{measure}"), measure)
            self.measure.setCurrentIndex(max(0, self.measure.findData(before)))
        self._measured()

    def set_theme(self, theme: Theme) -> None:
        self.map.set_theme(theme)
        self.heads.set_theme(theme)
        self.sentences.set_theme(theme)

    def _measured(self) -> None:
        """Show the heads by the chosen measure."""
        measure, table, words = self.measure.currentData(), self.table, self.words
        if table is None or measure is None:
            return
        self.meaning.setText(words(f"heads.about.{measure}"))
        unit = MEASURES[measure].unit if measure in MEASURES else ""
        end = f"{UPPER.get(measure, 1.0):g} {words(f'heads.unit.{unit}') if unit else ''}".strip()
        rows = table.rows(measure)
        self.bars_name.setText(words("scan.bars", end=end) if any(row.histogram.any() for row in rows) else "")
        picture = mean_map(table, measure, words)
        self.map.setVisible(picture is not None)
        if picture is not None:
            self.map.draw(picture, words)
            self.map.update()
        self.heads.put(rows, words)

    def _mark(self, head: HeadRow) -> None:
        """Mark the chosen head in the map."""
        rows = () if self.table is None else map_rows(self.table, head.measure)
        if self.map.picture is not None and (head.attention, head.layer) in rows:
            place = rows.index((head.attention, head.layer))
            self.map.draw(attrs.evolve(self.map.picture, chosen_row=place, chosen_column=head.head), self.words)
            self.map.update()

    def _chosen_in_map(self, row: int, column: int) -> None:
        """Choose the head of a cell in the list."""
        if self.table is not None:
            self.heads.choose(*map_rows(self.table, self.measure.currentData())[row], column)

    def _chosen(self) -> None:
        """Show the sentences where the chosen head is highest."""
        row = self.heads.chosen()
        if row is not None:
            self._mark(row)
            self.sentences_name.setText(self._told_sentences(row))
            self.sentences.setAccessibleName(self._told_sentences(row))
            self.sentences.put(row.best, self.words)

    def _told_sentences(self, row: HeadRow) -> str:
        return self.words("scan.best" if row.best else "scan.no_best", head=told_head(row, self.words))

    def _use(self, _item: QListWidgetItem) -> None:
        """Put the sentence into the window, and look at the head there."""
        found, row = self.sentences.chosen(), self.heads.chosen()
        if found is None or row is None:
            return
        self.wished.emit(TakeSentence(found.text))
        if row.attention != WHOLE:
            self.wished.emit(look_at(attention=row.attention, layer=row.layer, head=row.head))


def _told_about(about: Mapping[str, Any], n_measured: int, words: Words) -> str:
    """The model, what was read, and how many sentences."""
    model = title_in(words, str(about.get("preset", "")))
    parts = (model, str(about.get("file", "")), words("scan.count", count=f"{n_measured:,}"))
    return " · ".join(part for part in parts if part)
