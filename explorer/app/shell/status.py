"""The status line: facts and times of the frame, errors, and progress with Cancel while a pass takes long."""

from html import escape

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QSizePolicy, QStatusBar, QToolButton

from explorer.engine.request import Frame
from explorer.lang import Words
from explorer.views.controls.fitting_labels import PartsLabel

_NOTICE_MS = 6000
_PATIENCE_MS = 500  # ms before progress and Cancel appear


class Status(QStatusBar):
    """Signals: stop() when the user cancels; progressed(share) while long work runs, with None at its end.

    A refused edit stands here until the next good answer, or until another one is refused; a notice covers it for some
    seconds. `noticed` runs while a notice stays whatever arrives.
    """

    stop = Signal()
    progressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setContentsMargins(10, 0, 6, 0)
        self.facts, self.message, self.readout = PartsLabel(), QLabel(), PartsLabel()
        self.message.setObjectName("warning")
        self.message.setTextFormat(Qt.TextFormat.PlainText)  # Messages may quote files from strangers.
        self.readout.setObjectName("faint")
        self.message.setSizePolicy(QSizePolicy.Policy.MinimumExpanding, QSizePolicy.Policy.Preferred)
        self.progress = QProgressBar()
        self.progress.setFixedWidth(140)
        self.progress.setTextVisible(False)
        self.cancel = QToolButton()
        self.cancel.clicked.connect(self.stop)
        self.addWidget(self.message)
        self.addWidget(self.facts, 1)
        self.addWidget(self.readout)
        self.addPermanentWidget(self.progress)
        self.addPermanentWidget(self.cancel)
        self._words: Words | None = None
        self._computing, self._opening, self._standing = "", "", ""
        self._late = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        self._late.timeout.connect(self._show_progress)
        self.noticed = QTimer(self, interval=_NOTICE_MS, singleShot=True)
        self.noticed.timeout.connect(self.uncover)
        self.message.hide()
        self.set_busy(False)

    def speak(self, words: Words) -> None:
        self._words = words
        self._name_work()
        self.cancel.setText(words("action.stop"))
        self.progress.setAccessibleName(words("status.computing"))

    def tell_work(self, opening: str) -> None:
        """Say what is waited for: a model that is `opening`, by its title, or else an answer of the one that is there."""
        if opening != self._opening:
            self._opening = opening
            self._name_work()
            if opening:
                self.inform(self._computing)

    def _name_work(self) -> None:
        if self._words is not None:
            opening = self._opening
            self._computing = self._words("status.opening", name=opening) if opening else self._words("status.computing")

    def tell(self, frame: Frame, picture_ms: float, words: Words) -> None:
        """Show the facts of a frame and the time its pictures took."""
        tokens, card = frame.trace.tokens, frame.trace.card
        if tokens.source and tokens.target:
            count = words("status.tokens_both", source=len(tokens.source), target=len(tokens.target))
        else:
            count = words("status.tokens", count=len(tokens.source or tokens.target))
        drawn = words("status.drawn", picture_ms=picture_ms)
        if frame.trace.recorded_by:  # Nothing was computed for it here.
            self.facts.set_parts((count, words("recorded.by", name=frame.trace.recorded_by), drawn))
            return
        if not frame.serial:  # It was computed by an earlier run of the program.
            self.facts.set_parts((count, drawn))
            return
        facts = (
            count,
            words("status.parameters", count=f"{frame.trace.parameters:,}"),
            words("status.trained") if frame.trace.trained else words("status.untrained", seed=frame.trace.knob("seed")),
            *([words(f"held_short.{card.held}")] if card.held != "float32" else ()),
            *([words("made_from.short", kinds=" · ".join(card.made_from))] if card.made_from else ()),
            *([words("status.decoding", decoding_ms=frame.decoding_ms)] if frame.trace.search is not None else ()),
            words("status.times", forward_ms=frame.pass_ms, picture_ms=picture_ms, device=frame.device),
        )
        self.facts.set_parts(facts)
        rounding = f"\n{words('status.rounding', threads=frame.n_threads)}" if frame.n_threads else ""
        self.facts.setToolTip(self.facts.text() + rounding)

    def inform(self, text: str) -> None:
        """Show a message that is no warning."""
        self._say(text, "faint")

    def notice(self, text: str) -> None:
        """Show what was done, or changed by the program itself, for some seconds, whatever arrives meanwhile."""
        self.inform(text)
        self.noticed.start()

    def warn(self, text: str) -> None:
        """Show why there is no answer, until there is one."""
        self.noticed.stop()
        self._standing = text
        self.uncover()

    def clear(self) -> None:
        """Remove the message and what it covered. A notice stays until its time is over."""
        self._standing = ""
        self.uncover()

    def uncover(self) -> None:
        """Show what stands, or nothing, unless a notice has still some of its time."""
        if self.noticed.isActive():
            return
        self._say(self._standing, "warning" if self._standing else "faint")

    def _say(self, text: str, colour: str) -> None:
        if self.message.objectName() != colour:
            self.message.setObjectName(colour)
            self.message.style().polish(self.message)
        self.message.setText(text)
        self.message.setToolTip(f"<p>{escape(text)}</p>" if "<" in text else text)
        self.message.setVisible(bool(text))

    def point(self, text: str) -> None:
        self.readout.set_parts(text.split("\n") if text else ())

    def set_busy(self, busy: bool) -> None:
        if busy and not self._late.isActive() and not self.progress.isVisible():
            self._late.start()
        elif not busy:
            self._late.stop()
            self.progress.hide()
            self.cancel.hide()
            self.progressed.emit(None)

    def set_progress(self, share: float) -> None:
        self.progress.setRange(0, 100)
        if self.progress.isVisible():
            self.inform(f"{self._computing} {share:.0%}")
            self.progressed.emit(share)
        self.progress.setValue(round(100 * share))

    def _show_progress(self) -> None:
        self.progress.setRange(0, 0)  # The share is unknown until the pass reports it.
        self.progress.show()
        self.cancel.show()
