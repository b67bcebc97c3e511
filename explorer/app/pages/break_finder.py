"""The search for the sentences that the present changes break most: rows appear as they are found, beside the base rate.

Decision: it is a window of its own that stays open, so that one find after the other can be put into the box. Rejected: a box
that has to be closed first, which would have to be searched anew for each.
"""

from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QListWidgetItem, QProgressBar, QPushButton, QVBoxLayout, QWidget

from explorer.app.file_dialogs import ask_file, start_in
from explorer.engine.errand import Brought, FindBreaks
from explorer.errors import ExplorerError
from explorer.knobs import Value
from explorer.lang import Words
from explorer.picture.cell_text import told_difference
from explorer.picture.outcome import Runs, folded, runs
from explorer.picture.theme import Theme
from explorer.state.change_intents import TakeSentence
from explorer.state.held_out import held_out, own_sentences
from explorer.state.tries import is_altered
from explorer.state.wish import Wish
from explorer.trace.found.consequences import SURE, Break, Breaks
from explorer.views.controls.layouts import filled
from explorer.views.controls.row_list import ROW, RowList, RowPainter

_PAD_PX, _BAR_PX, _NUMBER_PX = 10, 96, 44
_SOURCE_SHARE = 0.32  # of the width that the sentence takes


class FoundRows(RowList):
    """The finds with both translations, the one with the highest score first."""

    painter_: "_Painter"

    def __init__(self) -> None:
        super().__init__(_Painter)
        self.setObjectName("found")

    def found(self) -> list[Break]:
        """All finds from top to bottom."""
        return [self.item(row).data(ROW) for row in range(self.count())]

    def add(self, one: Break, told: str) -> None:
        """Put a find in its place; `told` is the whole of it in words."""
        self.put_row(sum(other.score >= one.score for other in self.found()), one, told)
        self.painter_.most = max(other.score for other in self.found())
        self.viewport().update()

    def chosen(self) -> Break | None:
        """The find that is chosen."""
        found = self.chosen_row()
        return found if isinstance(found, Break) else None


class _Painter(RowPainter):
    """Paints a row. The bar's whole length is the highest score."""

    row_px = 46
    most = 0.0

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        assert isinstance(row, Break)  # `FoundRows.add` puts it in.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = area.left() + _PAD_PX + _SOURCE_SHARE * area.width()
        right = area.right() - _PAD_PX - _NUMBER_PX - _BAR_PX - _PAD_PX
        self._line(painter, font, ((row.source, ""),), area.left() + _PAD_PX, left - _PAD_PX, area.center().y() + 5, chosen)
        self._line(painter, font, runs(row.after, row.before), left, right, area.top() + 19, None)
        self._line(painter, font, runs(row.before, row.after), left, right, area.top() + 38, False)
        self._score(painter, font, row, area)

    def _score(self, painter: QPainter, font: QFont, one: Break, area: QRectF) -> None:
        share = max(0.0, one.score / self.most) if self.most > 0 else 0.0
        end = area.right() - _PAD_PX - _NUMBER_PX
        bar = QRectF(end - share * _BAR_PX, area.center().y() - 5, share * _BAR_PX, 10)
        painter.fillRect(bar, QColor(self.theme.grey))
        painter.setFont(font)
        painter.setPen(QColor(self.theme.text))
        number = QRectF(end, area.top(), _NUMBER_PX, area.height())
        told = told_difference(one.score).removesuffix("0").removeprefix("+")
        painter.drawText(number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, told)

    def _line(
        self, painter: QPainter, font: QFont, told: Runs, left: float, right: float, baseline: float, bold: bool | None
    ) -> None:
        """Write runs up to `right`. Those that differ have the accent: bold, or underlined where `bold` is None."""
        x = left
        for text, mark in told:
            own = QFont(font)
            own.setBold(bool(bold) or (mark == "new" and bold is not None))
            metrics = QFontMetricsF(own)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, right - x))
            painter.setFont(own)
            painter.setPen(QColor(self.theme.accent if mark and bold is not None else self._ink(bold)))
            painter.drawText(round(x), round(baseline), shown)
            wide = metrics.horizontalAdvance(shown)
            if mark and bold is None:
                blank = metrics.horizontalAdvance(shown[: len(shown) - len(shown.lstrip())])
                painter.fillRect(QRectF(x + blank, baseline + 2.5, wide - blank, 1.2), QColor(self.theme.accent))
            x += wide
            if shown != text:
                return

    def _ink(self, bold: bool | None) -> str:
        return self.theme.faint if bold is None else self.theme.text


_SIZE = (760, 560)  # px
_TEXTS = "*.txt *.tsv *.csv"


class BreakFinder(QDialog):
    """`search()` begins. Escape ends a search, and closes the window once none runs.

    Signals: wished(Intent) when a find is clicked; sent(Errand).
    """

    wished = Signal(object)
    sent = Signal(object)

    def __init__(self, parent: QWidget, words: Words, turned: tuple[tuple[str, Value], ...] = ()) -> None:
        """`turned` are knobs, with their values, that a find is shown with."""
        super().__init__(parent)
        self._turned = turned
        self.words, self.breaks, self.errand, self._told = words, Breaks(), FindBreaks(), ""
        self._own: tuple[str, ...] = ()
        self._refused = ""
        self.title, self.changes, self.rate, self.left_out, self.note = (QLabel() for _ in range(5))
        self.title.setObjectName("title")
        self.changes.setObjectName("right")
        self.left_name, self.right_name = QLabel(), QLabel()
        for label in (self.note, self.left_out, self.left_name, self.right_name):
            label.setObjectName("faint")
        for label in (self.changes, self.rate, self.note, self.left_out):
            label.setWordWrap(True)
        self.progress, self.rows = QProgressBar(), FoundRows()
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(6)
        self.own, self.stop, self.leave = QPushButton(), QPushButton(), QPushButton()
        for button in (self.own, self.stop, self.leave):
            button.setAutoDefault(False)
        self.rows.itemClicked.connect(self._use)
        self.rows.itemActivated.connect(self._use)
        self.own.clicked.connect(self._choose)
        self.stop.clicked.connect(self._stop_or_again)
        self.leave.clicked.connect(self.close)
        self._lay_out()
        self.resize(*_SIZE)

    def _lay_out(self) -> None:
        top = filled(QHBoxLayout(), self.title, (self.changes, 1))
        names = filled(QHBoxLayout(), self.left_name, None, self.right_name, margins_px=(10, 0, 10, 0))
        foot = filled(QHBoxLayout(), self.own, None, self.stop, self.leave)
        above = (top, self.rate, self.progress, names)
        filled(QVBoxLayout(self), *above, (self.rows, 1), self.left_out, self.note, foot, gap_px=8)

    @property
    def searching(self) -> bool:
        """Whether a search runs."""
        return len(self.breaks) + self.breaks.left_out < self.errand.n_pieces

    def search(self, wish: Wish, told: str) -> None:
        """Begin anew with the changes of a Wish, which `told` names; without any, say so."""
        self._told, self.breaks = told, Breaks()
        self.rows.clear()
        self._refused = ""
        sentences = (self._own or held_out(english=wish.reads_english)) if is_altered(wish) and wish.writes else ()
        self.errand = FindBreaks(wish=wish, sentences=sentences)
        self.sent.emit(self.errand)
        self.tell()

    def bring(self, brought: Brought) -> None:
        """Count a sentence, and show it if it is worth it."""
        if brought.errand is not self.errand:
            return
        one = brought.found if isinstance(brought.found, Break) else None
        self.breaks = self.breaks.with_one(one)
        if one is not None and one.kept:
            self.rows.add(one, self._row_told(one))
        self.tell()

    def _row_told(self, one: Break) -> str:
        before, after = folded(one.before), folded(one.after)
        return self.words("breaks.row", source=one.source, before=before, after=after, score=f"{one.score:.1f}")

    def speak(self, words: Words) -> None:
        """Take another language."""
        self.words = words
        self.tell()

    def set_theme(self, theme: Theme) -> None:
        self.rows.set_theme(theme)

    def tell(self) -> None:
        """Write all texts anew."""
        words, errand = self.words, self.errand
        self.setWindowTitle(words("breaks.title"))
        self.title.setText(words("breaks.title"))
        self.changes.setText(self._told)
        silent = errand.wish is not None and not errand.wish.writes
        nothing = words("error.writes_nothing" if silent else "error.nothing_changed")
        self.rate.setText(self._rate() if errand.n_pieces else nothing)
        self.progress.setRange(0, max(1, errand.n_pieces))
        self.progress.setValue(len(self.breaks) + self.breaks.left_out)
        self.progress.setAccessibleName(words("breaks.progress"))
        self.rows.setAccessibleName(words("breaks.rows"))
        self.left_out.setText(self._refused or words("breaks.left_out", count=self.breaks.left_out))
        self.left_out.setVisible(bool(self._refused or self.breaks.left_out))
        self.left_name.setText(words("breaks.columns"))
        self.right_name.setText(words("breaks.score"))
        self.note.setText(words("breaks.note", sure=f"{SURE}".replace("-", "\N{MINUS SIGN}")))
        self.own.setText(words("breaks.own"))
        self.own.setEnabled(errand.wish is not None)
        self.stop.setText(words("breaks.stop" if self.searching else "breaks.again"))
        self.stop.setEnabled(bool(errand.n_pieces))
        self.leave.setText(words("export.close"))

    def _rate(self) -> str:
        """How many sentences changed of those that were tried: no find may be read without it."""
        words, breaks = self.words, self.breaks
        if not len(breaks):
            return words("breaks.begins", total=self.errand.n_pieces)
        share = f"{breaks.share:.0%}".replace("%", " %")
        told = words("breaks.rate", tried=len(breaks), changed=breaks.changed, share=share, kept=self.rows.count())
        return f"{told} {words('breaks.rest', total=self.errand.n_pieces)}" if self.searching else told

    def _use(self, item: QListWidgetItem) -> None:
        one = self.rows.chosen()
        if one is not None:
            self.wished.emit(TakeSentence(one.source, self._turned))

    def _stop_or_again(self) -> None:
        if self.searching:
            self.end()
        elif self.errand.wish is not None:
            self.search(self.errand.wish, self._told)

    def end(self) -> None:
        """End the search; what was found stays."""
        if self.searching:
            wish, done = self.errand.wish, self.errand.sentences[: len(self.breaks) + self.breaks.left_out]
            self.errand = FindBreaks(wish=wish, sentences=done)
            self.sent.emit(FindBreaks())
            self.tell()

    def _choose(self) -> None:
        path = ask_file(self, self.words("breaks.own"), start_in(), _TEXTS)
        if path:
            self.take_file(Path(path))

    def take_file(self, path: Path) -> None:
        """Search in the sentences of a file of the user's."""
        wish = self.errand.wish
        try:
            self._own = own_sentences(path, english=wish is not None and wish.reads_english)
        except ExplorerError as error:
            self._refused = self.words.error(error)
            self.tell()
        else:
            if wish is not None:
                self.search(wish, self._told)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.searching:
            self.end()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.end()
        super().closeEvent(event)
