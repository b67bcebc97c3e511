"""How an exported figure is set: for the screen, or for one or two columns of a paper, with its letters and its caption."""

import json
from typing import Any

import attrs
from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLayout, QLineEdit, QWidget

from explorer.errors import ExplorerError
from explorer.json_text import read_json_text
from explorer.lang import Words
from explorer.picture.figure.print import COLUMNS_MM, FONT, ON_SCREEN, WIDTH, Print
from explorer.views.controls.check_box import CheckBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.number_box import NumberBox

_SCREEN, _OWN = "screen", "own"


class PrintForm(QObject):
    """Its boxes show what will be done, and those that have a choice can be set: a picture that is not set for print always has
    its title, and one alone never a letter. Signals: changed() when the user has changed any of it.
    """

    changed = Signal()

    def __init__(self, words: Words, parent: QObject) -> None:
        super().__init__(parent)
        self._words = words
        self._able, self._several = True, False
        self._form: QFormLayout | None = None
        self._captioned = self._lettered = True  # as somebody has chosen
        self.set_for = QComboBox()
        self.width_mm, self.font_pt = NumberBox(), NumberBox()
        self.has_caption, self.caption = CheckBox(), QLineEdit()
        self.letters, self.outlines = CheckBox(words("export.letters")), CheckBox(words("export.outlines"))
        self._fill()
        self._lay_out()
        self._connect()
        self._allow()

    def _fill(self) -> None:
        words = self._words
        self.set_for.addItem(words("export.on_screen"), _SCREEN)
        for key, width in COLUMNS_MM.items():
            self.set_for.addItem(words(f"export.{key}", width=f"{width:g}"), key)
        self.set_for.addItem(words("export.own_width"), _OWN)
        for box, knob in ((self.width_mm, WIDTH), (self.font_pt, FONT)):
            box.setRange(*knob.valid)
            box.setDecimals(1)
            box.setValue(float(knob.default))
            box.setSuffix(f" {knob.unit}")
            box.setButtonSymbols(NumberBox.ButtonSymbols.NoButtons)

    def _lay_out(self) -> None:
        words = self._words
        sizes = filled(QHBoxLayout(), (self.width_mm, 1), (self.font_pt, 1))
        caption = filled(QHBoxLayout(), self.has_caption, (self.caption, 1))
        checks = filled(QHBoxLayout(), self.letters, self.outlines, None)
        self.rows: tuple[tuple[str, QWidget | QLayout], ...] = (
            (words("export.set_for"), self.set_for),
            (words("export.paper_sizes"), sizes),
            (words("export.caption"), caption),
            ("", checks),
        )
        for widget, key in (
            (self.set_for, "set_for"),
            (self.width_mm, "paper_width"),
            (self.font_pt, "paper_font"),
            (self.has_caption, "caption"),
            (self.caption, "caption_text"),
        ):
            widget.setAccessibleName(words(f"export.{key}"))
        self.font_pt.setToolTip(words("export.paper_font_hint"))
        self.outlines.setToolTip(words("export.outlines_hint"))

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """What can be set, in the order in which Tab goes through it."""
        sizes = self.set_for, self.width_mm, self.font_pt
        return (*sizes, self.has_caption, self.caption, self.letters, self.outlines)

    def add_to(self, form: QFormLayout) -> None:
        """Put the rows into a form."""
        for name, row in self.rows:
            form.addRow(name, row)
        self._form = form
        self._allow()

    def _connect(self) -> None:
        self.set_for.currentIndexChanged.connect(self._chosen)
        for box in (self.width_mm, self.font_pt):
            box.valueChanged.connect(self.changed)
        self.caption.textChanged.connect(self.changed)
        self.has_caption.toggled.connect(self._choose_caption)
        self.letters.toggled.connect(self._choose_letters)
        self.outlines.toggled.connect(self._chosen)

    def _choose_caption(self, on: bool) -> None:
        self._captioned = on
        self._chosen()

    def _choose_letters(self, on: bool) -> None:
        self._lettered = on
        self._chosen()

    def _chosen(self) -> None:
        width = COLUMNS_MM.get(self.set_for.currentData())
        if width is not None:
            self.width_mm.setValue(width)
        self._allow()
        self.changed.emit()

    def allow(self, able: bool, *, several: bool) -> None:
        """Enable what has a meaning: all of it for a figure alone, letters where there are `several` pictures in it; a row
        without meaning is not shown.
        """
        self._able, self._several = able, several
        self._allow()

    def _allow(self) -> None:
        printed, is_set = self.is_printed, self._is_set
        self.set_for.setEnabled(self._able)
        self.outlines.setEnabled(self._able)
        self.width_mm.setEnabled(printed and self.set_for.currentData() == _OWN)
        self.font_pt.setEnabled(printed)
        self.has_caption.setEnabled(is_set)
        self.letters.setEnabled(is_set and self._several)
        for check, on in (
            (self.has_caption, self._captioned or (self._able and not is_set)),
            (self.letters, self._lettered and self._several),
        ):
            with QSignalBlocker(check):
                check.setChecked(on)
        self.caption.setEnabled(is_set and self._captioned)
        if self._form is not None:
            for (_name, row), has_meaning in zip(self.rows, (self._able, printed, is_set, self._able), strict=True):
                self._form.setRowVisible(row, has_meaning)
            self.letters.setVisible(is_set and self._several)

    @property
    def is_printed(self) -> bool:
        """Whether the figure is set for print."""
        return self._able and self.set_for.currentData() != _SCREEN

    @property
    def _is_set(self) -> bool:
        """Whether the figure is laid out with a caption of its own: for print, or since it is of several pictures."""
        return self.is_printed or (self._able and self._several)

    def suggest(self, caption: str) -> None:
        """Show the caption that the pictures have of themselves, where the user has written no other one."""
        self.caption.setPlaceholderText(caption)

    def printed(self) -> Print | None:
        """What is set, None for a picture that has its own size on the screen."""
        if not self._is_set:
            return None
        caption = (self.caption.text().strip() or None) if self._captioned else ""
        if not self.is_printed:
            return attrs.evolve(ON_SCREEN, caption=caption, letters=self._lettered)
        return Print(width_mm=self.width_mm.value(), font_pt=self.font_pt.value(), caption=caption, letters=self._lettered)

    @property
    def memory(self) -> str:
        """All of it but the caption's text, which belongs to one figure, to be kept between starts."""
        kept = {
            "set_for": self.set_for.currentData(),
            "width_mm": self.width_mm.value(),
            "font_pt": self.font_pt.value(),
            "caption": self._captioned,
            "letters": self._lettered,
            "outlines": self.outlines.isChecked(),
        }
        return json.dumps(kept)

    def recall(self, memory: str) -> None:
        """Take what was kept. What is not understood is left as it is."""
        try:
            kept: Any = read_json_text(memory or "{}")
        except ValueError:
            return
        if not isinstance(kept, dict):
            return
        for box, knob, name in ((self.width_mm, WIDTH, "width_mm"), (self.font_pt, FONT, "font_pt")):
            try:
                box.setValue(float(knob.check(kept.get(name, box.value()))))
            except ExplorerError:
                continue
        self._captioned, self._lettered = (kept.get(name, True) is True for name in ("caption", "letters"))
        self.outlines.setChecked(kept.get("outlines") is True)
        self.set_for.setCurrentIndex(max(0, self.set_for.findData(kept.get("set_for"))))
        self._allow()
