"""Follows a training by its folder: what its log says, which snapshots there are, and what the model was at each of them."""

import math
import time
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.engine.errand import Brought, Errand, ReadMoments
from explorer.errors import ExplorerError
from explorer.presets import FILE
from explorer.runs.log import LogReader, RunLog
from explorer.runs.snapshots import WEIGHTS, steps_kept
from explorer.trace.moments import ModelMoment

_LOOK_MS = 200
_SILENT_S = 5.0  # after which a training is taken for one that has stopped
_MOST_S = 0.006  # of the window's time for reading the log at once
_DRAW_MS = 120  # so often at most something new is shown


class Follower(QObject):
    """Signals: changed() when there is something new to show; sent(Errand) for what the models of snapshots do.

    Every snapshot reads one text, and as target the right answer to it; where nobody knows that, what the last snapshot
    answers.
    """

    changed = Signal()
    sent = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.folder = Path()
        self.steps: tuple[int, ...] = ()
        self.refused: ExplorerError | None = None
        self._reader: LogReader | None = None
        self._asked: tuple[str, str, str | None, str] = ("", "", None, "")
        self._target: str | None = None
        self._moments: dict[int, ModelMoment] = {}
        self._errand = ReadMoments()
        self._log = RunLog.empty()
        self._grew_s = -math.inf  # when the log was seen to grow
        self._looking, self._telling = QTimer(self), QTimer(self)
        self._looking.setInterval(_LOOK_MS)
        self._looking.timeout.connect(self.look)
        self._telling.setSingleShot(True)
        self._telling.setInterval(_DRAW_MS)
        self._telling.timeout.connect(self.changed)

    @property
    def log(self) -> RunLog:
        """What the log says."""
        return self._log

    @property
    def text(self) -> str:
        """The text that the snapshots read."""
        return self._asked[1]

    @property
    def moments(self) -> tuple[ModelMoment, ...]:
        """What was read so far, in the order of steps."""
        return tuple(self._moments[step] for step in sorted(self._moments))

    @property
    def reads(self) -> bool:
        """Whether snapshots are still read, or what was read last is not told yet."""
        asks = bool(self._asked[0]) and self.refused is None
        return self._telling.isActive() or (asks and len(self._moments) < len(self.steps))

    @property
    def is_finished(self) -> bool:
        """Whether the training has come to its end."""
        return (self.folder / WEIGHTS).exists()

    @property
    def grows(self) -> bool:
        """Whether the training has written something in the last seconds, whoever runs it."""
        return time.monotonic() - self._grew_s < _SILENT_S

    def follow(self, folder: Path) -> None:
        """Follow the training in this folder from now on."""
        self._grew_s = -math.inf
        self.folder, self._reader, self.steps = folder, LogReader(folder), ()
        self._log = RunLog.empty()
        self.ask("", "", None, "")
        self.look()

    def rest(self) -> None:
        """The training has stopped: look once more."""
        self.look()
        self._grew_s = -math.inf

    def watch(self) -> None:
        """Look again and again, until the training is finished."""
        self.look()
        if not self.is_finished:
            self._looking.start()

    def look(self) -> None:
        """See what is new in the folder."""
        if self._reader is None:
            return
        if self.is_finished:
            self._looking.stop()
        until, new = time.perf_counter() + _MOST_S, False
        while time.perf_counter() < until and self._reader.read():
            new = True
        if new:
            if len(self._log.valid):  # What was there at first may be old.
                self._grew_s = time.monotonic()
            self._log = self._reader.log
        steps = steps_kept(self.folder) if (self.folder / FILE).exists() else ()
        if steps != self.steps:
            self.steps, new = steps, True
            self._ask_missing()
        if new:
            self._tell()

    def ask(self, preset: str, text: str, right: str | None, question: str) -> None:
        """Have every snapshot of this preset read this text with its right answer; nothing where the preset is "".

        A model that reads one row is asked the `question`.
        """
        if (preset, text, right, question) == self._asked:
            return
        self._asked, self._target, self.refused = (preset, text, right, question), right, None
        self._moments.clear()
        self._ask_missing()

    def bring(self, brought: Brought) -> None:
        """Take what the model of a snapshot does."""
        if brought.errand is not self._errand:
            return
        if isinstance(brought.found, ExplorerError):
            self.refused = brought.found
        elif isinstance(brought.found, ModelMoment) and self._target is None:
            self._target = brought.found.answer
            self._ask_missing()
        elif isinstance(brought.found, ModelMoment):
            self._moments[brought.found.step] = brought.found
        self._tell()

    def _ask_missing(self) -> None:
        """Ask for the snapshots that are not read: the last one, then some that lie far apart, then those between them."""
        preset, text, _right, question = self._asked
        missing = tuple(step for step in _coarse_first(self.steps) if step not in self._moments)
        if self._target is None:
            missing = missing[:1]
        if preset and missing and self.refused is None:
            target = self._target or ""
            self._send(ReadMoments(preset=preset, text=text, target=target, asked=question, steps=missing))
        elif self._errand.n_pieces:
            self._send(ReadMoments())

    def _send(self, errand: ReadMoments) -> None:
        self._errand = errand
        told: Errand = errand
        self.sent.emit(told)

    def _tell(self) -> None:
        if not self._telling.isActive():
            self._telling.start()


def _coarse_first(steps: tuple[int, ...]) -> tuple[int, ...]:
    """The steps with the last one first, then every 16th, 8th, 4th, 2nd, and all: a page is soon full, and then complete."""
    back = steps[::-1]
    return tuple(dict.fromkeys(step for apart in (16, 8, 4, 2, 1) for step in back[::apart]))
