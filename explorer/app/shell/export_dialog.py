"""The export dialog: content, format, size and place with a preview, then progress and Cancel.

`export_writing.py` writes the files, on a thread of its own, and the preview is drawn on another one. The weights that stand
beside a script are written before, by the compute thread, which alone has the model.

Decision: the dialog opens in the turn that makes it, which takes 4 ms longer. Rejected: opening it in the next turn, because a
second Ctrl+E in between would open two.
"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
from PySide6.QtCore import QSignalBlocker, QUrl, Signal
from PySide6.QtGui import QCloseEvent, QDesktopServices
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.app.file_dialogs import ask_folder, ask_new_file, documents
from explorer.app.shell.export_contents import EACH, FILM, SCRIPT, SEVERAL, Contents, Offered
from explorer.app.shell.export_preview import ExportPreview
from explorer.app.shell.export_writing import ExportWriting, filter_of, is_file, own_stem
from explorer.app.shell.print_form import PrintForm
from explorer.engine.errand import Brought, PrepareScript
from explorer.errors import ExplorerError
from explorer.export.formats import Format, find, named
from explorer.export.job import Export
from explorer.export.script_file import weights_beside
from explorer.lang import Words
from explorer.picture.figure.kinds import kind_of
from explorer.picture.kinds import Picture
from explorer.picture.theme import LIGHT, THEMES
from explorer.state.look import Look
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import filled
from explorer.views.controls.number_box import WholeNumberBox

_DPI, _PRINT_DPI = 192, 300  # of an image for the screen, and for a paper
_PATH_PX = 320  # px, the end of a path with the name of its folder


class ExportDialog(QDialog):
    """The dialog. It exports exactly the given picture and trace, or a further picture of the page, or all of them.

    `in_english` makes the same picture in English, since files of numbers are the same in every language. `more` are the
    fields of Contents about the page. `memory` is how figures were set the last time.
    Signals: broke(error) for a bug on a thread; sent(errand) for the compute thread, whose result goes to `bring`.
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
        in_english: Callable[[], Picture | None] = lambda: None,
        memory: str = "",
        **more: Any,
    ) -> None:
        super().__init__(parent)
        self._trace, self._look, self._words = trace, look, words
        self._contents = Contents(look=look, first=Offered(picture, in_english), **more)
        self._writing = ExportWriting(words("export.cancelled"), self)
        self._warned = ""
        self._own_stem = ""  # the file name, without its suffix, that somebody has typed or chosen
        self.setWindowTitle(words("export.title"))
        self.what, self.format, self.theme = QComboBox(), QComboBox(), QComboBox()
        self.dpi, self.width_px, self._usual_dpi = WholeNumberBox(), WholeNumberBox(), _DPI
        self.path, self.choose = QLineEdit(), QPushButton()
        self.show_folder = QPushButton(words("export.show_folder"))
        self.print_form, self.preview = PrintForm(words, self), ExportPreview(words)
        self.progress, self.message = QProgressBar(), QLabel()
        self.begin, self.leave = QPushButton(words("export.start")), QPushButton(words("export.close"))
        self._fill()
        self.print_form.recall(memory)
        self._lay_out()
        self._connect()
        self._changed()

    def _fill(self) -> None:
        words = self._words
        for key, name in self._contents.named(words):
            self.what.addItem(name, key)
        self.dpi.setRange(24, 1200)
        self.dpi.setValue(self._usual_dpi)
        self.width_px.setRange(0, 20000)
        sheet = kind_of(self._contents.first.picture).sheet
        if sheet is not None:  # A sheet has a size of its own; any other picture is as wide as its dots say.
            self.width_px.setValue(round(sheet[0]))
        for box in (self.dpi, self.width_px):
            box.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
        self.theme.addItem(words("action.theme_light"), "light")
        self.theme.addItem(words("action.theme_dark"), "dark")
        self.message.setWordWrap(True)
        self.path.setMinimumWidth(_PATH_PX)
        for each in (self.progress, self.show_folder):
            each.hide()
        self.begin.setDefault(True)

    def _lay_out(self) -> None:
        words = self._words
        form = self._form = QFormLayout()
        for key, widget in (
            ("what", self.what),
            ("format", self.format),
            ("dpi", self.dpi),
            ("width", self.width_px),
            ("theme", self.theme),
        ):
            form.addRow(words(f"export.{key}"), widget)
            widget.setAccessibleName(words(f"export.{key}"))
        self.print_form.add_to(form)
        form.addRow(words("export.path"), self.path)
        form.addRow("", filled(QHBoxLayout(), self.choose, self.show_folder, None))
        self.path.setAccessibleName(words("export.path"))
        buttons = filled(QHBoxLayout(), None, self.leave, self.begin)
        layout = filled(QVBoxLayout(), form, None, self.progress, self.message, buttons, gap_px=12)
        filled(QHBoxLayout(self), layout, (self.preview, 1), gap_px=16)
        self.what.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.resize(980, 600)
        ways = (self.what, self.format, self.dpi, self.width_px, self.theme, *self.print_form.widgets)
        for first, then in pairwise((*ways, self.path, self.choose, self.show_folder, self.leave, self.begin)):
            QWidget.setTabOrder(first, then)

    def _connect(self) -> None:
        self.what.currentIndexChanged.connect(self._changed)
        self.format.currentIndexChanged.connect(self._named)
        self.path.textEdited.connect(self._typed)
        self.theme.currentIndexChanged.connect(self._preview)
        for box in (self.dpi, self.width_px):
            box.valueChanged.connect(self._preview)
        self.print_form.changed.connect(self._preview)
        self.preview.broke.connect(self.broke)
        self.preview.drawn.connect(self._say_once)
        self.choose.clicked.connect(self._choose)
        self.show_folder.clicked.connect(self._show_folder)
        self.begin.clicked.connect(self.start)
        self.leave.clicked.connect(self._leave)
        self._writing.sent.connect(self.sent)
        self._writing.stepped.connect(self._stepped)
        self._writing.finished.connect(self._finished)

    @property
    def _kind(self) -> str:
        return str(self.what.currentData())

    @property
    def running(self) -> bool:
        return self._writing.running

    @property
    def _in_folder(self) -> bool:
        return self._kind == EACH or self._format.in_folder

    def _offered(self) -> tuple[Format, ...]:
        return self._contents.formats(self._kind)

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
        """Suggest a file name that says what the file contains, or keep the user's own."""
        kept = Path(self.path.text()).parent if self.path.text() else documents()
        self.choose.setText(self._words("export.choose_folder" if self._in_folder else "export.choose"))
        stem = self._own_stem or self._contents.stem(self._kind)
        self.path.setText(str(kept / stem) + ("" if self._in_folder else f".{self.format.currentText()}"))
        self._allow()

    def _allow(self) -> None:
        """Show only the settings that the format uses."""
        has_pixels = self._format.has_pixels
        there = (self.dpi, has_pixels and self._kind != FILM), (self.width_px, has_pixels), (self.theme, self._format.has_theme)
        for widget, used in there:
            widget.setEnabled(used)
            self._form.setRowVisible(widget, used)
        self.print_form.allow(self._format.draw is not None, several=self._kind == SEVERAL)
        self._preview()

    def _preview(self) -> None:
        """Preview what is chosen now."""
        usual = _PRINT_DPI if self.print_form.is_printed else _DPI
        if self.dpi.value() == self._usual_dpi != usual:  # The user has chosen no other one.
            self._usual_dpi = usual
            self.dpi.setValue(usual)
        self.print_form.suggest(self._contents.caption(self._kind, self._words))
        self.preview.ask(self.job() if self._format.draw is not None else None)

    def _choose(self) -> None:
        chosen, picked = self._ask()
        if not chosen:
            return
        self._warned = chosen  # The file dialog has already asked whether to replace the file.
        by_filter = {filter_of(each): f"{chosen}.{each.name}" for each in self._offered()}
        if picked in by_filter and not Path(chosen).suffix:  # Not every system adds the filter's suffix.
            chosen = by_filter[picked]
        self.path.setText(chosen)
        self._typed(chosen)

    def _ask(self) -> tuple[str, str]:
        """Ask for a folder or a file; returns its path and the chosen filter."""
        if self._in_folder:
            return ask_folder(self, self._words("export.choose_folder"), self.path.text()), ""
        filters = ";;".join(map(filter_of, self._offered()))
        return ask_new_file(self, self._words("export.choose"), self.path.text(), filters, filter_of(self._format))

    def _show_folder(self) -> None:
        """Open the folder of the files that were written, in the system's file manager."""
        written = self._out()
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(written if written.is_dir() else written.parent)))

    def _typed(self, path: str) -> None:
        """Keep the typed file name, and choose the format that it ends in."""
        place = self.format.findText(named(path))
        if not self._in_folder:
            self._own_stem = own_stem(path, self._contents.stem(self._kind))
        if place >= 0 and not self._in_folder:
            with QSignalBlocker(self.format):
                self.format.setCurrentIndex(place)
            self._allow()

    def job(self, script: ScriptParts | None = None) -> Export:
        """The Export that the dialog describes; `script` is what the compute thread has told for one."""
        theme = THEMES[str(self.theme.currentData())]
        signed = LIGHT.signed_colours if theme is LIGHT else theme.signed_colours
        return Export(
            trace=self._trace,
            out=self._out(),
            format=self.format.currentText(),
            words=self._words,
            **self._contents.asked(self._kind, self._format),
            script=script,
            look=attrs.evolve(self._look, signed_colours=signed),
            theme=theme,
            dpi=self.dpi.value(),
            width_px=self.width_px.value() or None,
            printed=self.print_form.printed(),
            outlines=self.print_form.outlines.isChecked() and self._format.draw is not None,
        )

    def _out(self) -> Path:
        path = Path(self.path.text())
        try:
            return path.expanduser()
        except RuntimeError:  # There is no such user, so ~name is an ordinary file name.
            return path

    def start(self) -> None:
        """Begin to write, unless a file would be replaced unasked."""
        if self.running or self._would_replace():
            return
        self.progress.setRange(0, 0)
        self.progress.show()
        self.begin.setEnabled(False)
        self.leave.setText(self._words("export.cancel"))
        self.message.setText("")
        is_script = self._kind == SCRIPT
        errand = PrepareScript(wish=self._contents.wish, weights=weights_beside(self._out())) if is_script else None
        self._writing.begin(self.job, errand)

    def bring(self, brought: Brought) -> None:
        """Go on with a script for which the compute thread has written the weights."""
        self._writing.bring(brought)

    def _would_replace(self) -> bool:
        """Whether a file exists that the user has not been warned about. A second press then replaces it."""
        path = self.path.text()
        wish = self._contents.wish if self._kind == SCRIPT else None
        beside = () if wish is None or wish.foreign else (weights_beside(self._out()),)
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
        self.progress.hide()
        self.begin.setEnabled(True)
        self.leave.setText(self._words("export.close"))
        if isinstance(outcome, ExplorerError):
            self.message.setText(self._words.error(outcome))
            self._say_once()
        elif isinstance(outcome, BaseException):
            self.broke.emit(outcome)
        else:
            self.message.setText(str(outcome or self._words("status.exported", path=self.path.text())))
            self.show_folder.show()

    def _say_once(self) -> None:
        """Leave a refusal to the preview that tells it too, and takes it back as soon as other settings are chosen."""
        if self.message.text() == self.preview.about.text():
            self.message.clear()

    def _leave(self) -> None:
        if self.running:
            self._writing.stop()
        else:
            self.reject()

    def reject(self) -> None:
        """Cancel and close. The thread ends after its present file; waiting for it would block the window."""
        self._writing.stop()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.reject()
