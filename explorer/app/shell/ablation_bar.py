"""The line above a result that grows: which metric is measured, how far the prompts of a file are, and a button to stop."""

import attrs
from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from explorer.engine.errand import AblateEach, Brought
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.state.wish import Wish
from explorer.trace.choices import PROMPT_METRICS
from explorer.trace.found.over_prompts import MetricEffects, joined_effects
from explorer.views.controls.layouts import filled

_TOGETHER_MS = 500  # What comes within this time is shown at once: a map of ten thousand prompts takes 20 ms.


class AblationBar(QWidget):
    """`begin` ablates over prompts. Signals: sent(Errand); found(MetricEffects, name) with all that was found so far."""

    sent = Signal(object)
    found = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self.errand, self._name = AblateEach(), ""
        self._prompts: tuple[str, ...] = ()
        self._words: Words | None = None
        self._effects: MetricEffects | None = None
        self._new: list[MetricEffects] = []
        self._n_done, self.left_out = 0, list[ExplorerError]()
        self.asked, self.progress, self.told, self.stop = QComboBox(), QProgressBar(), QLabel(), QPushButton()
        self.told.setObjectName("faint")
        self.progress.setTextVisible(False)
        self.stop.setAutoDefault(False)
        self._late = QTimer(self, interval=_TOGETHER_MS, singleShot=True)
        self._late.timeout.connect(self._show)
        self.asked.currentIndexChanged.connect(self._again)
        self.stop.clicked.connect(self._stop_or_again)
        filled(QHBoxLayout(self), self.asked, (self.progress, 1), self.told, self.stop, margins_px=(0, 0, 0, 0))
        self.hide()

    @property
    def works(self) -> bool:
        """Whether prompts are still to come."""
        return self._n_done < self.errand.n_pieces

    def begin(self, wish: Wish, prompts: tuple[str, ...], name: str) -> None:
        """Ablate over the prompts of the file `name`."""
        self._name, self._prompts = name, prompts
        self._ask(wish)
        self.show()

    def _ask(self, wish: Wish) -> None:
        metric = self.asked.currentData() or PROMPT_METRICS[0]
        self.errand = AblateEach(wish=wish, prompts=self._prompts, metric=metric)
        self._effects, self._new, self._n_done, self.left_out = None, [], 0, []
        self.sent.emit(self.errand)
        self._tell()

    def bring(self, brought: Brought) -> None:
        """Take the effects on a prompt, or why it cannot be used."""
        if brought.errand is not self.errand:
            return
        self._n_done += 1
        if isinstance(brought.found, MetricEffects):
            self._new.append(brought.found)
        elif isinstance(brought.found, ExplorerError):
            self.left_out.append(brought.found)
        if not self.works or self._effects is None:
            self._show()
        elif not self._late.isActive():
            self._late.start()
        self._tell()

    def _show(self) -> None:
        self._late.stop()
        if self._new:
            before = [] if self._effects is None else [self._effects]
            self._effects, self._new = joined_effects([*before, *self._new]), []
            self.found.emit(self._effects, self._name)

    def end(self) -> None:
        """Stop; what was found stays."""
        if self.works:
            self.errand = attrs.evolve(self.errand, prompts=self.errand.prompts[: self._n_done])
            self.sent.emit(AblateEach())
            self._show()
            self._tell()

    def _stop_or_again(self) -> None:
        if self.works:
            self.end()
        else:
            self._again()

    def _again(self) -> None:
        if self.errand.wish is not None:
            self._ask(self.errand.wish)

    def speak(self, words: Words) -> None:
        """Write all texts anew."""
        self._words = words
        before = self.asked.currentData()
        with QSignalBlocker(self.asked):
            self.asked.clear()
            for metric in PROMPT_METRICS:
                self.asked.addItem(words(f"many.metric.{metric}"), metric)
            self.asked.setCurrentIndex(max(0, self.asked.findData(before)))
        self.asked.setAccessibleName(words("many.metric_name"))
        self.progress.setAccessibleName(words("many.progress"))
        self._tell()

    def _tell(self) -> None:
        words = self._words
        if words is None:
            return
        self.progress.setRange(0, max(1, self.errand.n_pieces))
        self.progress.setValue(self._n_done)
        told = words("many.done", done=self._n_done, all=len(self._prompts))
        if self.left_out:
            told += f" · {words('many.left_out', count=len(self.left_out), reason=words.error(self.left_out[0]))}"
        self.told.setText(told)
        self.told.setToolTip(told)
        self.stop.setText(words("breaks.stop" if self.works else "breaks.again"))
