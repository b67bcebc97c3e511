"""Results over many prompts in a window of their own: the mean of each part as a map, the 95 % interval below it, and beside
them the prompts, each with its own map.

Decision: it is a window beside the main one, as the table of a scan is, and no page: a page shows the pass on screen, and here
one prompt after the other is put there while all of them stay in sight.
"""

import attrs
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.app.shell.ablation_bar import AblationBar
from explorer.app.shell.prompt_list import MOST_ROWS, VALUE_PX, PromptList
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.over_prompts import (
    PromptMaps,
    interval_of_prompts,
    mean_of_prompts,
    prompt_maps,
    told_kind,
    values_of_prompt,
)
from explorer.picture.theme import LIGHT, Theme
from explorer.presets import title_in
from explorer.state.state_link import OpenPrompt
from explorer.state.wish import Wish
from explorer.trace.choices import PROMPT_METRICS
from explorer.trace.found.over_prompts import HeadsOverPrompts, MetricPatching, OverPrompts
from explorer.views.controls.layouts import filled
from explorer.views.pictures.heatmap import HeatmapView

_SIZE = (1080, 700)  # px
_FRAME_PX = 40  # of the window, and of what shall be seen behind it
_ROW_LABEL_PX = 130  # "encoder self L11"
_NOWHERE = (-1, -1)


class PromptsWindow(QDialog):
    """`put(found, name)` shows a result. Signals: wished(Intent) when a prompt is opened; saves(OverPrompts, name)."""

    wished = Signal(object)
    saves = Signal(object, str)

    def __init__(self, parent: QWidget, words: Words) -> None:
        super().__init__(parent)
        self.words, self._theme, self._name = words, LIGHT, ""
        self.found: OverPrompts | None = None
        self._laid: PromptMaps | None = None
        self.place = _NOWHERE  # the chosen row and column
        self._picked = False  # whether the user has chosen a cell or a sentence, which then stays while more are found
        self.title, self.about, self.meaning, self.note = (QLabel() for _ in range(4))
        self.value_name, self.prompts_name, self.plain_name = (QLabel() for _ in range(3))
        self.mean_name, self.interval_name, self.own_name = (QLabel() for _ in range(3))
        self.title.setObjectName("title")
        faint = (self.about, self.meaning, self.note, self.value_name, self.prompts_name, self.plain_name)
        for label in (*faint, self.mean_name, self.interval_name, self.own_name):
            label.setObjectName("faint")
        for label in (self.meaning, self.note):
            label.setWordWrap(True)
        self.kind, self.prompts, self.bar = QComboBox(), PromptList(), AblationBar()
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._maps = tuple(HeatmapView(row_label_px=_ROW_LABEL_PX) for _ in range(3))
        self.mean, self.interval, self.own = self._maps
        self.open_button, self.save_button, self.leave = (QPushButton() for _ in range(3))
        self._connect()
        self._lay_out()
        room = self.screen().availableGeometry()
        self.resize(min(_SIZE[0], room.width() - _FRAME_PX), min(_SIZE[1], room.height() - _FRAME_PX))

    def _connect(self) -> None:
        for view in self._maps:
            view.follows = False
            view.chose.connect(self._choose)
        for button in (self.open_button, self.save_button, self.leave):
            button.setAutoDefault(False)
        self.kind.currentIndexChanged.connect(self._of_kind)
        self.prompts.currentItemChanged.connect(self._pick_prompt)
        self.prompts.opened.connect(self._open)
        self.open_button.clicked.connect(self._open_chosen)
        self.leave.clicked.connect(self.close)
        self.bar.found.connect(self._put)
        self.save_button.clicked.connect(self._save)

    def _lay_out(self) -> None:
        self.value_name.setFixedWidth(VALUE_PX)
        names = filled(
            QHBoxLayout(), self.value_name, (self.prompts_name, 1), self.plain_name, gap_px=0, margins_px=(11, 0, 20, 0)
        )
        left = filled(QVBoxLayout(), self.mean_name, (self.mean, 1), self.interval_name, (self.interval, 1), gap_px=4)
        right = filled(QVBoxLayout(), names, (self.prompts, 1), self.own_name, (self.own, 1), gap_px=4)
        top = filled(QHBoxLayout(), self.title, (self.about, 1), self.kind)
        middle = filled(QHBoxLayout(), (left, 1), (right, 1), gap_px=12)
        foot = filled(QHBoxLayout(), (self.note, 1), self.save_button, self.open_button, self.leave)
        filled(QVBoxLayout(self), top, self.meaning, self.bar, (middle, 1), foot, gap_px=8)

    def put(self, found: OverPrompts, name: str) -> None:
        """Show a result, which was in the file `name`."""
        self.bar.end()
        self.bar.hide()
        self._picked = False
        self._put(found, name)

    def ablate(self, wish: Wish, prompts: tuple[str, ...], name: str) -> None:
        """Ablate over the prompts of the file `name`, and show what is found while it grows."""
        self.found, self._name, self._picked = None, name, False
        self.prompts.forget()
        self.bar.begin(wish, prompts, name)
        self.speak(self.words)

    def _put(self, found: OverPrompts, name: str) -> None:
        """Show a result, at its largest mean where the user has chosen nothing."""
        self.found, self._name = found, name
        if not self._picked:
            self.place = _NOWHERE
            self.prompts.forget()
        self.speak(self.words)

    def speak(self, words: Words) -> None:
        """Write all texts anew."""
        self.words = words
        self.bar.speak(words)
        self.setWindowTitle(words("many.title", name=self._name))
        self.title.setText(self._name)
        self.note.setText(words("many.note"))
        self.open_button.setText(words("many.open"))
        self.save_button.setText(words("many.save"))
        self.leave.setText(words("export.close"))
        self.kind.setAccessibleName(words("many.kind"))
        self.prompts.setAccessibleName(words("many.prompts"))
        self.prompts_name.setText(words("many.prompts"))
        kinds = [] if self.found is None else [kind for kind, own in self.found.maps.items() if own.values.size]
        for view in self._maps:
            view.setVisible(bool(kinds))
        for part in (self.kind, self.save_button, self.open_button):
            part.setEnabled(bool(kinds))
        self.about.setText("" if self.found is None else _told_about(self.found, words))
        # No head comes before the receiver of some paths.
        self.meaning.setText("" if self.found is None else words("many.nothing"))
        before = self.kind.currentData()
        with QSignalBlocker(self.kind):
            self.kind.clear()
            for kind in kinds:
                self.kind.addItem(told_kind(kind, words), kind)
            self.kind.setCurrentIndex(max(0, self.kind.findData(before)))
        self._of_kind()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.prompts.set_theme(theme)
        for view in self._maps:
            view.set_theme(theme)
        if self.found is not None:
            self._of_kind()

    def _of_kind(self) -> None:
        """Show the chosen kind."""
        found, kind, words = self.found, self.kind.currentData(), self.words
        if found is None or kind not in found.maps:
            return
        of_heads = isinstance(found, HeadsOverPrompts)
        key = f"heads.about.{kind}" if of_heads else f"many.about.{found.form}"
        self.meaning.setText(words(key) if of_heads else words(key, metric=_told_metric(found, words)))
        self.plain_name.setText("" if of_heads else words("many.plain"))
        self._laid = laid = prompt_maps(found, kind, words, self._theme)
        mean = mean_of_prompts(laid, words)
        (row, column), (n_rows, n_columns) = self.place, mean.values.shape
        if not (0 <= row < n_rows and 0 <= column < n_columns):
            self.place = _strongest(mean)
        self._draw(self.mean, self.mean_name, mean)
        self._draw(self.interval, self.interval_name, interval_of_prompts(laid, words))
        self._list()

    def _draw(self, view: HeatmapView, name: QLabel, picture: Heatmap) -> None:
        row, column = self.place
        name.setText(picture.caption.title)
        view.draw(attrs.evolve(picture, chosen_row=row, chosen_column=column), self.words)
        view.update()

    def _list(self) -> None:
        """List the prompts by their values at the chosen place."""
        found, laid, words = self.found, self._laid, self.words
        if found is None or laid is None:
            return
        row, column = self.place
        self.value_name.setText(words("many.value"))
        shown = words("many.most", count=MOST_ROWS) if len(found.prompts) > MOST_ROWS else ""
        at = f"{laid.rows[row]} {laid.columns[column]}".strip()
        self.prompts_name.setText(" · ".join(part for part in (words("many.at", place=at), shown) if part))
        self.prompts.put(laid.values[:, row, column], found.plain, _told_prompts(found, words), words)
        self._show_own()

    def _pick_prompt(self) -> None:
        if self.prompts.chosen() >= 0:
            self._picked = True
            self._show_own()

    def _show_own(self) -> None:
        """Show the map of the chosen prompt."""
        number = self.prompts.chosen()
        self.open_button.setEnabled(number >= 0 and self.found is not None and bool(self.found.made_with))
        if self._laid is not None and number >= 0:
            self._draw(self.own, self.own_name, values_of_prompt(self._laid, number, self.words))

    def _choose(self, row: int, column: int) -> None:
        """Choose a cell in all three maps."""
        self.place, self._picked = (row, column), True
        for view, name in ((self.mean, self.mean_name), (self.interval, self.interval_name)):
            if view.picture is not None:
                self._draw(view, name, view.picture)
        self._list()

    def _save(self) -> None:
        if self.found is not None:
            self.saves.emit(self.found, self._name)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.bar.end()
        super().closeEvent(event)

    def _open_chosen(self) -> None:
        if self.prompts.chosen() >= 0:
            self._open(self.prompts.chosen())

    def _open(self, number: int) -> None:
        """Open a prompt in the main window, with the model that the result was computed with."""
        found = self.found
        if found is not None and found.made_with:
            other = found.others[number] if isinstance(found, MetricPatching) else ""
            self.wished.emit(OpenPrompt(found.made_with, found.prompts[number], other))


def _strongest(mean: Heatmap) -> tuple[int, int]:
    """Row and column of the mean with the largest magnitude."""
    size = abs(mean.values)
    size[size != size] = -1.0  # NaN is no magnitude.
    row, column = divmod(int(size.argmax()), size.shape[1])
    return row, column


def _told_prompts(found: OverPrompts, words: Words) -> tuple[str, ...]:
    """The prompts; of patching each with the text whose activations were patched in."""
    if not isinstance(found, MetricPatching):
        return found.prompts
    return tuple(words("many.pair", text=one, other=two) for one, two in zip(found.prompts, found.others, strict=True))


def _told_metric(found: OverPrompts, words: Words) -> str:
    return words(f"many.metric.{found.metric}") if found.metric in PROMPT_METRICS else found.metric


def _told_about(found: OverPrompts, words: Words) -> str:
    """The model, the metric, and how many prompts."""
    parts = (title_in(words, found.preset), _told_metric(found, words), words("many.count", count=len(found.prompts)))
    return " · ".join(part for part in parts if part)
