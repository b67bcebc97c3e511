"""The box of Open…: the models that are on this machine, and the way to every other file and folder.

A thread lists them and then looks into one after the other, so that a slow disk holds nobody up. Whoever opens the box again
sees the list as it was, while it is made anew.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.app.shell.filter_line import FilterLine
from explorer.app.shell.looker import Looker
from explorer.lang import Words
from explorer.on_disk.catalogue import ModelEntry, entry_of
from explorer.on_disk.places import Place, models_below, stored_models
from explorer.on_disk.sizes import size_told
from explorer.trace.printed import printed
from explorer.views.controls.layouts import filled

THREAD = "catalogue"
_WIDE_PX, _HIGH_PX, _EDGE_PX = 860, 520, 24
_NAME, _FAMILY, _SIZE, _STORE, _OPENS = range(5)
_COLUMNS = ("name", "family", "size", "store", "opens")
_WIDTHS_PX = {_FAMILY: 180, _SIZE: 84, _STORE: 110, _OPENS: 110}
_ENTRY = Qt.ItemDataRole.UserRole


class Cataloguer(Looker):
    """Lists places, then looks into each; `looks` says that it does. Signals: listed(places); looked(entry)."""

    listed, looked = Signal(tuple), Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: list[Place] = []
        self.looks = self._ended = False
        for failed in (self.refused, self.broke):  # One that cannot be looked into holds up no other.
            failed.connect(self._go_on)

    def begin(self, places: Callable[[], tuple[Place, ...]]) -> None:
        """Make a list. What an earlier one has not looked into is left."""
        self._waiting, self._ended = [], False
        self.look(places, THREAD)

    def end(self) -> None:
        """Look into nothing more."""
        self._waiting, self._ended = [], True

    def found(self, what: object) -> None:
        if isinstance(what, tuple):
            self._waiting = [] if self._ended else list(what)
            self.listed.emit(what)
            self._next()
        else:
            self.looked.emit(what)
            self._go_on()

    def _go_on(self) -> None:
        self.looks = False
        self._next()

    def _next(self) -> None:
        if self._waiting and not self.looks:
            self.looks = True
            self.look(partial(entry_of, self._waiting.pop(0)), THREAD)


class OpenBox(QDialog):
    """Signals: chosen(path or name) to open, looked(path or name) to look into its files alone; browses_file() and
    browses_folder() for the dialogs of the system.
    """

    chosen, looked = Signal(str), Signal(str)
    browses_file, browses_folder = Signal(), Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._words: Words | None = None
        self._rows: dict[Place, QTreeWidgetItem] = {}
        self._folder = ""  # whose models are listed; "" for those of the stores
        self.cataloguer = Cataloguer(self)
        self.cataloguer.listed.connect(self._list)
        self.cataloguer.looked.connect(self._show)
        self.list, self.reason, self.about = QTreeWidget(), QLabel(), QLabel()
        self.filter = FilterLine(lambda: self.list)
        self.filter.textChanged.connect(self._sift)
        self._make_list()
        self.about.setObjectName("faint")
        self.about.setWordWrap(True)
        self.reason.setWordWrap(True)
        self.reason.setTextFormat(Qt.TextFormat.PlainText)  # It may quote files from strangers.
        self.file, self.folder, self.looks, self.opens = (QPushButton() for _ in range(4))
        self.opens.setDefault(True)
        for button in (self.file, self.folder, self.looks):
            button.setAutoDefault(False)
        self.file.clicked.connect(self._browse_file)
        self.folder.clicked.connect(self._browse_folder)
        self.looks.clicked.connect(self._look)
        self.opens.clicked.connect(self._open)
        self.buttons = filled(QHBoxLayout(), self.file, self.folder, None, self.looks, self.opens)
        filled(QVBoxLayout(self), self.filter, (self.list, 1), self.reason, self.about, self.buttons)

    def _make_list(self) -> None:
        self.list.setColumnCount(len(_COLUMNS))
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.header().setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        for column, wide in _WIDTHS_PX.items():
            self.list.setColumnWidth(column, wide)
        self.list.header().setStretchLastSection(False)
        self.list.itemActivated.connect(self._open)
        self.list.currentItemChanged.connect(self._tell)

    def speak(self, words: Words) -> None:
        self._words = words
        self.setWindowTitle(words("action.open_any").replace("…", ""))
        self.filter.setPlaceholderText(words("open.filter"))
        self.filter.setAccessibleName(words("open.filter"))
        self.list.setAccessibleName(words("open.models"))
        self.list.setHeaderLabels([words(f"open.column.{name}") for name in _COLUMNS])
        self.list.headerItem().setTextAlignment(_SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.file.setText(words("action.open_file"))
        self.folder.setText(words("open.folder"))
        self.looks.setText(words("files.look"))
        self.opens.setText(words("open.open"))
        for place, row in self._rows.items():
            self._write(place, row)
        self._tell()

    def show_stored(self) -> None:
        """Show the models in the stores of Hugging Face, LM Studio and Ollama."""
        self._begin("", stored_models)

    def show_below(self, folder: str) -> None:
        """Show the models in a folder of folders."""
        self._begin(folder, partial(models_below, Path(folder)))

    def _begin(self, folder: str, places: Callable[[], tuple[Place, ...]]) -> None:
        if folder != self._folder:
            self._list(())
        self._folder = folder
        self.filter.clear()
        self.cataloguer.begin(places)
        room = self._window.frameGeometry()
        self.resize(min(_WIDE_PX, room.width() - 2 * _EDGE_PX), min(_HIGH_PX, room.height() - 2 * _EDGE_PX))
        self.show()
        self.raise_()
        self.filter.setFocus()
        self._tell()

    # The list

    def _list(self, places: tuple[Place, ...]) -> None:
        """Take a new list. What is known of a place stays until it was looked into again."""
        known = {place: row.data(_NAME, _ENTRY) for place, row in self._rows.items()}
        self.list.clear()
        self._rows = {place: QTreeWidgetItem() for place in places}
        for place, row in self._rows.items():
            row.setData(_NAME, _ENTRY, known.get(place))
            row.setTextAlignment(_SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._write(place, row)
        self.list.addTopLevelItems(list(self._rows.values()))
        self._sift()

    def _show(self, entry: ModelEntry) -> None:
        """Take what was found out of one place."""
        row = self._rows.get(entry.place)
        if row is not None:
            row.setData(_NAME, _ENTRY, entry)
            self._write(entry.place, row)
            if row is self.list.currentItem():
                self._tell()

    def _write(self, place: Place, row: QTreeWidgetItem) -> None:
        if self._words is None:
            return
        entry: ModelEntry | None = row.data(_NAME, _ENTRY)
        row.setText(_NAME, printed(place.name))
        row.setToolTip(_NAME, str(place.path))
        row.setText(_STORE, self._words(f"open.store.{place.store}"))
        if entry is None:
            row.setText(_OPENS, "…")
            return
        row.setText(_FAMILY, " · ".join(filter(None, (entry.family, entry.form))))
        row.setText(_SIZE, size_told(entry.n_bytes))
        row.setText(_OPENS, self._words("open.yes" if entry.refused is None else "open.no"))
        row.setToolTip(_OPENS, entry.reason(self._words))

    def _sift(self) -> None:
        self.filter.sift()
        self._tell()

    def _tell(self) -> None:
        """Say below the list why the chosen model does not open, or what there is to choose from."""
        if self._words is None:
            return
        row = self._chosen()
        entry: ModelEntry | None = None if row is None else row.data(_NAME, _ENTRY)
        self.reason.setText("" if entry is None else entry.reason(self._words))
        self.reason.setVisible(bool(self.reason.text()))
        where = self._words("open.in_folder", path=self._folder) if self._folder else self._words("open.in_stores")
        self.about.setText(where if self._rows else f"{where} {self._words('open.none')}")
        for button in (self.looks, self.opens):
            button.setEnabled(bool(self._wanted()))

    def _chosen(self) -> QTreeWidgetItem | None:
        row = self.list.currentItem()
        return None if row is None or row.isHidden() else row

    # What is asked for

    def _wanted(self) -> str:
        """The path of the chosen model. A text that no row has is a path, or a name."""
        row = self._chosen()
        place = next((each for each, own in self._rows.items() if own is row), None)
        return str(place.path) if place is not None else self.filter.text().strip()

    def _look(self) -> None:
        self.looked.emit(self._wanted())

    def _open(self) -> None:
        wanted = self._wanted()
        if wanted:
            self.close()
            self.chosen.emit(wanted)

    def _browse_file(self) -> None:
        self.close()
        self.browses_file.emit()

    def _browse_folder(self) -> None:
        self.close()
        self.browses_folder.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        self.cataloguer.end()
        super().hideEvent(event)
