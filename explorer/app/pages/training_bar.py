"""The bar above a training: begin, pause, go on; how far it is; which trainings are shown; and a slider through its life."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.wheel import FocusedSlider

_SHARES = 1000


class TrainingBar(QWidget):
    """Signals: acted(what) for the main button, "pause" or "continue"; scrubbed(place) for a snapshot by its place; follows()
    for the newest one; keeps() for a preset of its own; chose_run(place) and chose_beside(place) for a training.
    """

    acted = Signal(str)
    scrubbed = Signal(int)
    follows, keeps = Signal(), Signal()
    chose_run, chose_beside = Signal(int), Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.main, self.live, self.keep = QPushButton(), QToolButton(), QPushButton()
        self.live.setObjectName("segment")
        self.live.setCheckable(True)
        self.keep.setObjectName("slim")
        self.runs, self.beside = ChoiceBox(), ChoiceBox()
        self.state, self.moment = QLabel(), QLabel()
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.moment.setObjectName("faint")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setObjectName("thin")
        self.progress.setFixedHeight(4)
        self.progress.setMaximum(_SHARES)
        kept = self.progress.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # The bar keeps its height.
        self.progress.setSizePolicy(kept)
        self.slider = FocusedSlider()
        self._what = ""
        self.main.clicked.connect(self._act)
        self.live.clicked.connect(self.follows)
        self.keep.clicked.connect(self.keeps)
        self.runs.activated.connect(self.chose_run)
        self.beside.activated.connect(self.chose_beside)
        self.slider.valueChanged.connect(self.scrubbed)
        above = filled(QHBoxLayout(), self.main, (self.state, 1), self.runs, self.beside, gap_px=8)
        below = filled(QHBoxLayout(), self.moment, (self.slider, 1), self.live, self.keep, gap_px=8)
        filled(QVBoxLayout(self), above, self.progress, below, gap_px=4, margins_px=(10, 6, 10, 6))

    def offer(self, what: str, words: Words) -> None:
        """Offer to "pause" or to "continue"; "" offers nothing."""
        self._what = what
        self.main.setVisible(bool(what))
        if what:
            self.main.setText(words(f"training.page.{what}"))
            self.main.setToolTip(words(f"training.page.{what}_hint"))

    def tell(self, state: str, share: float | None) -> None:
        """Say how far the training is; `share` is None where it does not run."""
        self.state.setText(state)
        self.state.setToolTip(state)
        self.progress.setVisible(share is not None)
        self.progress.setValue(round(_SHARES * (share or 0.0)))

    def put_runs(self, names: Sequence[str], chosen: int, beside: int, words: Words) -> None:
        """Show the trainings to choose from; those of `beside` have none first."""
        self.runs.put(list(names), chosen)
        self.beside.put([words("training.page.alone"), *(words("training.page.beside", name=name) for name in names)], beside)
        self.beside.setVisible(len(names) > 1)

    def put_moment(self, n_snapshots: int, place: int, told: str, *, live: bool | None) -> None:
        """Show which of so many snapshots is looked at, −1 for none; `live` is None where there is nothing to follow."""
        with QSignalBlocker(self.slider), QSignalBlocker(self.live):
            self.slider.setRange(0, max(0, n_snapshots - 1))
            if place >= 0:
                self.slider.setValue(place)
            self.live.setChecked(bool(live))
        self.slider.setEnabled(n_snapshots > 1)
        self.live.setVisible(live is not None)
        self.keep.setEnabled(place >= 0)
        self.moment.setText(told)

    def speak(self, words: Words) -> None:
        self.live.setText(words("training.page.live"))
        self.live.setToolTip(words("training.page.live_hint"))
        self.keep.setText(words("training.page.keep"))
        self.keep.setToolTip(words("training.page.keep_hint"))
        self.runs.setAccessibleName(words("training.page.runs"))
        self.runs.setToolTip(words("training.page.runs"))
        self.beside.setAccessibleName(words("training.page.beside_hint"))
        self.beside.setToolTip(words("training.page.beside_hint"))
        self.slider.setAccessibleName(words("training.page.slider"))
        self.slider.setToolTip(words("training.page.slider"))
        self.progress.setAccessibleName(words("training.page.progress"))

    def _act(self) -> None:
        self.acted.emit(self._what)
