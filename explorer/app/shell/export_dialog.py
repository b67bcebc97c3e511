"""The export dialog: content, format, size and place, then progress and Cancel. Files are written on a thread of its own.

The weights that stand beside a script are written before, by the compute thread, which alone has the model.
"""

import threading
from pathlib import Path

import attrs
from PySide6.QtCore import QSignalBlocker, QStandardPaths, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.app.display import native_dialog
from explorer.app.shell.export_names import file_stem, filter_of, is_file
from explorer.app.shell.export_thread import write_on_thread
from explorer.engine.errand import Brought, PrepareScript
from explorer.errors import ExplorerError
from explorer.export.choice import Choice
from explorer.export.formats import FILMS, SCRIPTS, Format, find, formats_of, named
from explorer.export.job import Export
from explorer.export.pytorch.writing import weights_beside
from explorer.lang import Words
from explorer.picture.kinds import Picture
from explorer.picture.tables import has_tables
from explorer.picture.theme import LIGHT, THEMES
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace
from explorer.views.controls.number_box import WholeNumberBox

_WHAT = ("this", "film", "wall", "each", "page", "all", "script")


class ExportDialog(QDialog):
    """The dialog. It exports exactly the given picture and trace.

    `numbers` is the same picture in English, since files of numbers are the same in every language. `wish` is that of the
    trace, if a script can be made of it.
    Signals: broke(error) for a bug on the writing thread; sent(errand) for what the compute thread shall do, which `bring` is
    told.
    """

    broke, sent = Signal(object), Signal(object)

    def __init__(
        self,
        trace: Trace,
        look: Look,
        picture: Picture,
        words: Words,
        parent: QWidget | None = None,
        *,
        numbers: Picture | None = None,
        wish: Wish | None = None,
    ) -> None:
        super().__init__(parent)
        self._wish, self._errand = wish, PrepareScript()  # The errand has a Wish while the compute thread is waited for.
        self._numbers = picture if numbers is None else numbers
        self._trace, self._look, self._picture, self._words = trace, look, picture, words
        self._cancelled = threading.Event()
        self._thread: threading.Thread | None = None
        self._warned = ""
        self.setWindowTitle(words("export.title"))
        self.what, self.format, self.theme = QComboBox(), QComboBox(), QComboBox()
        self.dpi, self.width_px = WholeNumberBox(), WholeNumberBox()
        self.path, self.choose = QLineEdit(), QPushButton()
        self.progress, self.message = QProgressBar(), QLabel()
        self.begin, self.leave = QPushButton(words("export.start")), QPushButton(words("export.close"))
        self._fill()
        self._lay_out()
        self._connect()
        self._changed()

    def _fill(self) -> None:
        words = self._words
        lacking = {"film": self._picture.kind().film is None, "script": self._wish is None}
        for key in (key for key in _WHAT if not lacking.get(key)):
            self.what.addItem(words(f"export.{key}", title=self._picture.caption.title), key)
        self.dpi.setRange(24, 1200)
        self.dpi.setValue(192)
        self.width_px.setRange(0, 20000)
        sheet = self._picture.kind().sheet
        if sheet is not None:  # A sheet has a size of its own; any other picture is as wide as its dots say.
            self.width_px.setValue(round(sheet[0]))
        for box in (self.dpi, self.width_px):
            box.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
        self.theme.addItem(words("action.theme_light"), "light")
        self.theme.addItem(words("action.theme_dark"), "dark")
        self.message.setWordWrap(True)
        self.path.setMinimumWidth(280)
        self.progress.hide()
        self.begin.setDefault(True)

    def _lay_out(self) -> None:
        words = self._words
        form = QFormLayout()
        place = QHBoxLayout()
        place.addWidget(self.path, 1)
        place.addWidget(self.choose)
        for key, widget in (
            ("what", self.what),
            ("format", self.format),
            ("dpi", self.dpi),
            ("width", self.width_px),
            ("theme", self.theme),
        ):
            form.addRow(words(f"export.{key}"), widget)
            widget.setAccessibleName(words(f"export.{key}"))
        form.addRow(words("export.path"), place)
        self.path.setAccessibleName(words("export.path"))
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.begin)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(self.progress)
        layout.addWidget(self.message)
        layout.addLayout(buttons)
        self.setMinimumWidth(520)

    def _connect(self) -> None:
        self.what.currentIndexChanged.connect(self._changed)
        self.format.currentIndexChanged.connect(self._named)
        self.path.textEdited.connect(self._typed)
        self.choose.clicked.connect(self._choose)
        self.begin.clicked.connect(self.start)
        self.leave.clicked.connect(self._leave)

    @property
    def _kind(self) -> str:
        return str(self.what.currentData())

    @property
    def running(self) -> bool:
        return self._errand.n_pieces > 0 or (self._thread is not None and self._thread.is_alive())

    @property
    def _in_folder(self) -> bool:
        return self._kind == "each" or self._format.in_folder

    def _offered(self) -> tuple[Format, ...]:
        if self._kind == "film":
            return FILMS
        if self._kind == "script":
            return SCRIPTS
        if self._kind == "page":
            return formats_of(figure=False, numbers=False, page=True)
        return formats_of(figure=self._kind != "all", numbers=self._kind != "this" or has_tables(self._picture))

    @property
    def _format(self) -> Format:
        return find(self.format.currentText(), self._offered())

    def _changed(self) -> None:
        """Offer the formats that can hold the chosen content."""
        kept = self.format.currentText()
        self.format.blockSignals(True)
        self.format.clear()
        self.format.addItems([each.name for each in self._offered()])
        self.format.setCurrentIndex(max(0, self.format.findText(kept)))
        self.format.blockSignals(False)
        self._named()

    def _named(self) -> None:
        """Suggest a file name that says what the file contains."""
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        kept = Path(self.path.text()).parent if self.path.text() else folder
        stem = file_stem(self._kind, self._picture, self._wall_tap())
        self.choose.setText(self._words("export.choose_folder" if self._in_folder else "export.choose"))
        self.path.setText(str(kept / stem) + ("" if self._in_folder else f".{self.format.currentText()}"))
        self._allow()

    def _allow(self) -> None:
        """Enable only the settings that the format uses."""
        for widget in (self.dpi, self.width_px):
            widget.setEnabled(self._format.has_pixels)
        self.dpi.setEnabled(self._format.has_pixels and self._kind != "film")
        self.theme.setEnabled(self._format.has_theme)

    def _wall_tap(self) -> str:
        return self._look.attention_tap()

    def _choose(self) -> None:
        with native_dialog():
            if self._in_folder:
                chosen, picked = (
                    QFileDialog.getExistingDirectory(self, self._words("export.choose_folder"), self.path.text()),
                    "",
                )
            else:
                chosen, picked = self._ask_file()
        if not chosen:
            return
        self._warned = chosen  # The file dialog has already asked whether to replace the file.
        by_filter = {filter_of(each): f"{chosen}.{each.name}" for each in self._offered()}
        if picked in by_filter and not Path(chosen).suffix:  # Not every system adds the filter's suffix.
            chosen = by_filter[picked]
        self.path.setText(chosen)
        self._typed(chosen)

    def _ask_file(self) -> tuple[str, str]:
        """Ask for a file; returns its path and the chosen filter."""
        filters = ";;".join(map(filter_of, self._offered()))
        asked = self._words("export.choose")
        return QFileDialog.getSaveFileName(self, asked, self.path.text(), filters, filter_of(self._format))

    def _typed(self, path: str) -> None:
        """Choose the format that the typed file name ends in."""
        place = self.format.findText(named(path))
        if place >= 0 and not self._in_folder:
            with QSignalBlocker(self.format):
                self.format.setCurrentIndex(place)
            self._allow()

    def job(self, script: ScriptParts | None = None) -> Export:
        """The Export that the dialog describes; `script` is what the compute thread has told for one."""
        choice = Choice(self._wall_tap(), None, None) if self._kind in ("wall", "each") else None
        theme = THEMES[str(self.theme.currentData())]
        signed = LIGHT.signed_colours if theme is LIGHT else theme.signed_colours
        return Export(
            trace=self._trace,
            out=self._out(),
            format=self.format.currentText(),
            words=self._words,
            choice=choice,
            picture=self._this() if self._kind in ("this", "film") else None,
            film=self._kind == "film",
            script=script,
            one_each=self._kind == "each",
            look=attrs.evolve(self._look, signed_colours=signed),
            theme=theme,
            dpi=self.dpi.value(),
            width_px=self.width_px.value() or None,
        )

    def _out(self) -> Path:
        path = Path(self.path.text())
        try:
            return path.expanduser()
        except RuntimeError:  # There is no such user, so ~name is an ordinary file name.
            return path

    def _this(self) -> Picture:
        return self._picture if self._format.is_figure else self._numbers

    def start(self) -> None:
        """Begin to write, unless a file would be replaced unasked."""
        if self.running or self._would_replace():
            return
        self._cancelled.clear()
        self.progress.setRange(0, 0)
        self.progress.show()
        self.begin.setEnabled(False)
        self.leave.setText(self._words("export.cancel"))
        self.message.setText("")
        if self._kind == "script":
            self._errand = PrepareScript(wish=self._wish, weights=weights_beside(self._out()))
            self.sent.emit(self._errand)
        else:
            self._write(self.job())

    def bring(self, brought: Brought) -> None:
        """Go on with a script for which the compute thread has written the weights."""
        if brought.errand is not self._errand:
            return
        self._errand = PrepareScript()
        if isinstance(brought.found, ScriptParts):
            self._write(self.job(brought.found))
        else:
            self._finished(brought.found)

    def _write(self, job: Export) -> None:
        cancelled_text = self._words("export.cancelled")
        self._thread = write_on_thread(job, self._cancelled, cancelled_text, self._stepped, self._finished)

    def _stop(self) -> None:
        """End the writing after its present file, and what the compute thread is waited for."""
        self._cancelled.set()
        if self._errand.n_pieces:
            self._errand = PrepareScript()
            self.sent.emit(self._errand)
            self._finished(self._words("export.cancelled"))

    def _would_replace(self) -> bool:
        """Whether a file exists that the user has not been warned about. A second press then replaces it."""
        path = self.path.text()
        has_weights = self._kind == "script" and self._wish is not None and not self._wish.foreign
        beside = (weights_beside(self._out()),) if has_weights else ()
        if self._in_folder or path == self._warned or not any(map(is_file, (self._out(), *beside))):
            return False
        self._warned = path
        self.message.setText(self._words("export.exists", path=path))
        return True

    def _stepped(self, done: int, total: int) -> None:
        self.progress.setRange(0, total)
        self.progress.setValue(done)
        self.message.setText(self._words("export.progress", done=done, total=total))

    def _finished(self, outcome: object) -> None:
        if self._thread is not None:
            self._thread.join()
        self.progress.hide()
        self.begin.setEnabled(True)
        self.leave.setText(self._words("export.close"))
        if isinstance(outcome, ExplorerError):
            self.message.setText(self._words.error(outcome))
        elif isinstance(outcome, BaseException):
            self.broke.emit(outcome)
        else:
            self.message.setText(str(outcome or self._words("status.exported", path=self.path.text())))

    def _leave(self) -> None:
        if self.running:
            self._stop()
        else:
            self.reject()

    def reject(self) -> None:
        """Cancel and close. The thread ends after its present file; waiting for it would block the window."""
        self._stop()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.reject()
