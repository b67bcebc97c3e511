"""What is in a model's files: why it does not open, its settings, its tensors, and each matrix of floats as a picture.

It is for models that this program does not run, so nothing here needs torch.
"""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.app.shell.files_reader import FilesReader
from explorer.app.shell.filter_line import FilterLine, rows_of
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.on_disk.catalogue import ModelEntry
from explorer.on_disk.sizes import size_told
from explorer.on_disk.tensors import ModelFiles, TensorInFile
from explorer.picture.cell_text import rough
from explorer.picture.makers.parameters import parameter_map
from explorer.picture.theme import LIGHT, Theme
from explorer.state.look import Look
from explorer.trace.found.parameters import ParameterNumbers
from explorer.trace.printed import printed
from explorer.views.controls.layouts import filled
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.controls.segments import Segments
from explorer.views.pictures.heatmap import HeatmapView

_WIDE_PX, _HIGH_PX, _EDGE_PX = 1080, 680, 24
_NAME, _KIND, _SHAPE, _SIZE = range(4)
_TENSOR = Qt.ItemDataRole.UserRole


class FilesWindow(QDialog):
    """Signals: opened() for files that are shown."""

    opened = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._words: Words | None = None
        self._theme: Theme = LIGHT
        self._files: ModelFiles | None = None
        self._entry: ModelEntry | None = None
        self._read: ParameterNumbers | None = None
        self._refused: ExplorerError | None = None
        self.files, self.matrices = FilesReader(self), FilesReader(self)
        self.files.listed.connect(self._show)
        self.matrices.read.connect(self._draw)
        self.matrices.refused.connect(self._refuse)
        self.reason, self.count, self.figures, self.note = (QLabel() for _ in range(4))
        self.reason.setObjectName("warning")
        for label in (self.reason, self.figures, self.note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)  # It may quote files from strangers.
        for label in (self.count, self.note):
            label.setObjectName("faint")
        self.parts, self.stack = Segments(), QStackedWidget()
        self.tensors, self.settings = _list(4), _list(2)
        self.filter = FilterLine(lambda: self.settings if self.stack.currentIndex() else self.tensors)
        self.box_label, self.box = QLabel(), WholeNumberBox()
        self.map = HeatmapView()
        self.map.follows = False
        kept = self.map.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # What is said above it stays where it is.
        self.map.setSizePolicy(kept)
        self.parts.chose.connect(self._choose_part)
        self.filter.textChanged.connect(self.filter.sift)
        self.tensors.currentItemChanged.connect(self._choose)
        self.box.valueChanged.connect(self._ask)
        self._lay_out()

    def _lay_out(self) -> None:
        for each in (self.tensors, self.settings):
            self.stack.addWidget(each)
        self.tensors.header().setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        for column, wide in ((_KIND, 64), (_SHAPE, 104), (_SIZE, 84)):
            self.tensors.setColumnWidth(column, wide)
        self.settings.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.settings.setColumnWidth(0, 200)
        above = filled(QHBoxLayout(), self.parts, (self.filter, 1))
        left = filled(QVBoxLayout(), above, (self.stack, 1), self.count)
        head = filled(QHBoxLayout(), (self.figures, 1), self.box_label, self.box)
        right = filled(QVBoxLayout(), head, (self.map, 1), self.note)
        filled(QVBoxLayout(self), self.reason, (filled(QHBoxLayout(), (left, 1), (right, 1), gap_px=12), 1))

    def speak(self, words: Words) -> None:
        self._words = words
        self.parts.setAccessibleName(words("files.parts"))
        at = "settings" if self.stack.currentIndex() else "tensors"
        self.parts.offer({name: words(f"files.{name}") for name in ("tensors", "settings")}, at)
        self.filter.setPlaceholderText(words("files.filter"))
        self.filter.setAccessibleName(words("files.filter"))
        self.tensors.setAccessibleName(words("files.tensors"))
        self.settings.setAccessibleName(words("files.settings"))
        self.tensors.setHeaderLabels([words(f"files.column.{name}") for name in ("name", "type", "shape", "size")])
        self.tensors.headerItem().setTextAlignment(_SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.settings.setHeaderLabels([words(f"files.column.{name}") for name in ("name", "value")])
        self.box_label.setText(words("axis.matrix"))
        self.box.setAccessibleName(words("axis.matrix"))
        self._tell()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.map.set_theme(theme)
        self._tell()

    def look_into(self, name: str) -> None:
        """Show the files at a path, or of the model of a name."""
        self.files.list_files(name)

    def _show(self, files: ModelFiles, entry: ModelEntry) -> None:
        """Take the files that were read."""
        self._files, self._entry, self._read, self._refused = files, entry, None, None
        with QSignalBlocker(self.tensors):
            self.tensors.clear()
            self.tensors.addTopLevelItems([_row(each) for each in files.tensors])
        self.settings.clear()
        self.settings.addTopLevelItems([QTreeWidgetItem(row) for row in files.settings])
        for row in rows_of(self.settings):
            row.setToolTip(1, f"{row.text(0)} = {row.text(1)}")
        self.filter.clear()
        self.filter.sift()
        self._tell()
        room = self._window.frameGeometry()
        self.resize(min(_WIDE_PX, room.width() - 2 * _EDGE_PX), min(_HIGH_PX, room.height() - 2 * _EDGE_PX))
        self.show()
        self.raise_()
        self.filter.setFocus()
        self.opened.emit()

    def _choose_part(self, key: str) -> None:
        self.stack.setCurrentIndex(int(key == "settings"))
        self.filter.sift()

    # One tensor

    def _chosen(self) -> TensorInFile | None:
        row = self.tensors.currentItem()
        found: TensorInFile | None = None if row is None else row.data(_NAME, _TENSOR)
        return found

    def _choose(self) -> None:
        """Read the first matrix of another tensor."""
        tensor = self._chosen()
        several = tensor is not None and tensor.parameter.n_matrices > 1
        self.box.setVisible(several)
        self.box_label.setVisible(several)
        with QSignalBlocker(self.box):
            self.box.setRange(0, max(0, tensor.parameter.n_matrices - 1) if tensor is not None else 0)
            self.box.setValue(0)
        self._ask()

    def _ask(self) -> None:
        tensor = self._chosen()
        self._read = self._refused = None
        if tensor is not None:
            self.matrices.read_matrix(tensor, self.box.value())
        self._tell()

    def _draw(self, read: ParameterNumbers) -> None:
        tensor = self._chosen()
        if tensor is not None and (read.parameter, read.number) == (tensor.parameter, self.box.value()):
            self._read = read
            self._tell()

    def _refuse(self, error: ExplorerError) -> None:
        self._refused = error
        self._tell()

    def _tell(self) -> None:
        """Write all that depends on what was found."""
        words, files, entry = self._words, self._files, self._entry
        if words is None or files is None or entry is None:
            return
        self.setWindowTitle(words("files.title", name=entry.place.name))
        self.reason.setText(entry.reason(words))
        self.reason.setVisible(entry.refused is not None)
        size = size_told(sum(each.n_bytes for each in files.tensors))
        self.count.setText(words("files.count", count=f"{len(files.tensors):,}", size=size))
        self.map.setVisible(self._read is not None)
        if self._read is None:
            self.figures.setText(words("files.reading") if self._refused is None else words.error(self._refused))
            self.note.setText("")
            return
        about = self._read.summary
        figures = {"low": about.low, "high": about.high, "mean": about.mean, "deviation": about.deviation}
        self.figures.setText(words("files.figures", **{name: rough(value) for name, value in figures.items()}))
        picture = parameter_map(self._read, Look(signed_colours=self._theme.signed_colours), words)
        self.note.setText(picture.caption.note)
        self.map.draw(picture, words)
        self.map.update()

    def hideEvent(self, event: QHideEvent) -> None:
        self.matrices.end()
        super().hideEvent(event)


def _list(n_columns: int) -> QTreeWidget:
    made = QTreeWidget()
    made.setColumnCount(n_columns)
    made.setRootIsDecorated(False)
    made.setUniformRowHeights(True)
    made.setAllColumnsShowFocus(True)
    made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    made.header().setStretchLastSection(False)
    return made


def _row(tensor: TensorInFile) -> QTreeWidgetItem:
    own = tensor.parameter
    row = QTreeWidgetItem([printed(own.name), own.dtype, "×".join(map(str, own.shape)) or "1", size_told(tensor.n_bytes)])
    row.setData(_NAME, _TENSOR, tensor)
    row.setToolTip(_NAME, f"{printed(own.name)}\n{tensor.file.name}")
    row.setTextAlignment(_SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return row
