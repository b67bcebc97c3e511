"""What a stop of the tour has besides its text: facts about the sentence on screen, an offer of another one, and links."""

from functools import partial
from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.app.lessons.reckoner import Reckoner
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.lessons.fact_makers import Fact
from explorer.lessons.facts import facts
from explorer.lessons.lesson import Step
from explorer.lessons.unread import unread
from explorer.picture.makers.lesson import facts_html
from explorer.presets import load_preset
from explorer.state.look import Look
from explorer.stops import Stop
from explorer.trace.trace import Trace
from explorer.views.controls.fitting_labels import TableLabel
from explorer.views.controls.layouts import filled
from explorer.views.controls.question import WrappedButton

_MOST_QUOTED = 24  # characters of what cannot be read


class StopParts(QWidget):
    """Hidden parts take no room. Signals: sentence(text) for another sentence; followed(kind, name) for a link."""

    sentence = Signal(str)
    followed = Signal(str, str)

    def __init__(self, reckoner: Reckoner) -> None:
        super().__init__()
        self._reckoner = reckoner
        self._step: Step | None = None
        self._own = ""  # the sentence that is offered
        self.facts, self.unread, self.offer = TableLabel(), QLabel(), QPushButton()
        self.facts.setObjectName("facts")
        self.unread.setObjectName("warning")
        self.unread.setWordWrap(True)
        self.offer.clicked.connect(self._offered)
        self.links: list[QPushButton] = []
        self._row = QVBoxLayout()
        self._row.setSpacing(4)
        column = filled(QVBoxLayout(self), self.unread, self.offer, self.facts, gap_px=6, margins_px=(0, 0, 0, 0))
        column.addLayout(self._row)
        self._hide_all()

    def _hide_all(self) -> None:
        for part in (self.facts, self.unread, self.offer):
            part.hide()

    def begin(self, step: Step | None, words: Words | None) -> None:
        """Show the links of another step, and of its facts that they are computed."""
        self._step = step
        self._reckoner.forget("facts")
        self._hide_all()
        self.speak(words)

    def speak(self, words: Words | None) -> None:
        """Name the links in a language."""
        for button in self.links:
            self._row.removeWidget(button)
            button.deleteLater()
        self.links = []
        language = "en" if words is None else words.language
        for text, _to in () if self._step is None else self._step.links:
            button = WrappedButton(f"{text.of(language)} →")
            button.setObjectName("choice")
            button.clicked.connect(self._follow)
            self.links.append(button)
            self._row.addWidget(button)
        self.setVisible(self._step is not None and bool(self._step.fact or self._step.links))
        if words is not None:
            self._wait(words)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Check the step's facts on a newer pass."""
        if self._step is None or not self._step.fact:
            return
        self._tell_unread(trace, words)
        self._reckoner.ask("facts", partial(_facts, self._step.fact, trace, look), partial(self._tell, words))

    def _tell_unread(self, trace: Trace, words: Words) -> None:
        """Say what the model cannot read, and offer its own sentence."""
        lacking, preset = unread(trace), load_preset(trace.preset)
        there = bool(lacking) and trace.trained and preset.text != trace.source
        self._own = preset.text
        self.unread.setVisible(there)
        self.offer.setVisible(there)
        if there:
            what = " ".join(lacking)
            what = what if len(what) <= _MOST_QUOTED else f"{what[: _MOST_QUOTED - 1]}…"
            self.unread.setText(words(f"tour.unread_{preset.reads or 'zh'}", what=what))
            self.offer.setText(words("tour.own", text=preset.text))

    def _wait(self, words: Words) -> None:
        if self._step is not None and self._step.fact:
            self.facts.setText(words("status.computing"))
            self.facts.show()

    def _tell(self, words: Words, told: tuple[Fact, ...] | ExplorerError | None) -> None:
        if isinstance(told, ExplorerError):
            self.facts.setText(escape(words.error(told)))
        elif told is None:
            self._wait(words)
        else:
            self.facts.setText(facts_html(told, words))
            self.facts.setVisible(bool(told))

    def _offered(self) -> None:
        self.sentence.emit(self._own)

    def _follow(self) -> None:
        assert self._step is not None  # Its links are shown.
        kind, _, name = self._step.links[self.links.index(self.sender())][1].partition(":")  # type: ignore[arg-type]  # Only they.
        self.followed.emit(kind, name)


def _facts(kind: str, trace: Trace, look: Look, stop: Stop) -> tuple[Fact, ...] | None:
    """The facts of a kind; runs on the lessons' thread."""
    return facts(kind, trace, look)
