"""The state behind the window: the current Request and Look, the newest Frame, and the thread that makes Frames.

Widgets say what the user wants, the session makes a new Request of it; nothing here draws.
"""

from collections.abc import Callable
from typing import Any

import attrs
from PySide6.QtCore import QObject, QTimer, Signal

from explorer.app.session.bridge import Bridge
from explorer.app.session.history import History
from explorer.config import as_paper
from explorer.engine.request import Frame, Request
from explorer.engine.worker import Compute, Worker, load_compute
from explorer.errors import BadKnob, ExplorerError
from explorer.lessons.lesson import Step
from explorer.picture.look import Look
from explorer.presets import load_preset
from explorer.tokens.check import check_text
from explorer.tokens.cuts import Spans, merged, split
from explorer.trace.own_card import parameter_bytes

_LARGE_BYTES = 500_000_000
_MOST_WANTED = 16


class Session(QObject):
    """Signals: requested(Request) the wish changed; framed(Frame) a newer answer; looked(Look);
    refused(ExplorerError); settled(Config) heads were adapted; large(bytes) a model that takes long is about to be
    built; broke(error) a bug; busy(bool); progressed(float); stopped(); remembered(can_undo, can_redo).
    """

    requested = Signal(object)
    framed = Signal(object)
    looked = Signal(object)
    refused = Signal(object)
    settled = Signal(object)
    large = Signal(object)
    broke = Signal(object)
    loaded = Signal()
    busy = Signal(bool)
    progressed = Signal(float)
    stopped = Signal()
    remembered = Signal(bool, bool)

    def __init__(self, request: Request, load: Callable[[], Compute] = load_compute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.frame: Frame | None = None
        self.look = Look(**dict(load_preset(request.preset).look))  # type: ignore[arg-type]  # fields of Look
        self._history = History(request)
        self._experiments: frozenset[str] = frozenset()
        self._wanted: tuple[tuple[str, int], ...] = ()
        self._asked: set[tuple[str, int]] = set()  # since the user last did something
        self._serial = 0
        self.wished = 0  # the first serial number of the newest wish: an answer to it has this one or a later one
        self._submitted = 0  # the newest wish that the thread was asked; a text refused at once never gets there
        self._bridge = Bridge(self)
        self._bridge.sig_started.connect(self.loaded)
        self._bridge.sig_done.connect(self._done)
        self._bridge.sig_failed.connect(self._failed)
        self._bridge.sig_stopped.connect(self._stopped)
        self._bridge.sig_progressed.connect(self._progressed)
        self._worker = Worker(self._bridge, load)

    @property
    def request(self) -> Request:
        return self._history.now

    @property
    def serial(self) -> int:
        """The number of the newest wish."""
        return self._serial

    @property
    def waiting(self) -> bool:
        """Whether an answer to the newest wish is still to come."""
        return self._worker.busy

    def start(self) -> None:
        self._worker.start()
        self._submit()

    def close(self) -> None:
        self._worker.close()

    def stop(self) -> None:
        self._worker.stop()

    # Wishes

    def set_text(self, text: str) -> None:
        self._wish("text", text=text, source_cuts=None, prefix=())

    def set_target(self, text: str) -> None:
        """An empty target is none: the model says its own, or is given the source."""
        self._wish("target", target=text if text.strip() else None, target_cuts=None, prefix=())

    def set_prefix(self, ids: tuple[int, ...]) -> None:
        """Let the translation begin with these ids, and go on by itself."""
        self._wish("", prefix=ids, target=None, target_cuts=None)

    def set_beam(self, beam: int) -> None:
        """How many sentences the search for a translation follows."""
        self._wish("beam", beam=beam)

    def set_trained(self, trained: bool) -> None:
        """The trained weights, with the shape that they have, or fresh ones of the same shape."""
        config = self.request.config
        if trained:
            config = config.with_shape_of(load_preset(self.request.preset).config)
        self._wish("", trained=trained, config=config)

    def set_knob(self, name: str, value: object) -> None:
        before = self.request.config
        try:
            config = before.nearest_valid(**{name: value})
        except BadKnob as error:
            self.refused.emit(error)
            return
        self._wish(f"knob {name}", config=config)
        wanted = value if name == "n_heads" else before.n_heads
        if config.n_heads != wanted:
            self.settled.emit(config)

    def set_preset(self, name: str) -> None:
        """Another preset; the sentence stays unless it was the old preset's own."""
        try:
            preset, old = load_preset(name), load_preset(self.request.preset)
        except ExplorerError as error:
            self.refused.emit(error)
            return
        self.look = attrs.evolve(self.look, **dict(preset.look))  # type: ignore[arg-type]  # fields of Look
        text = preset.text if self.request.text == old.text else self.request.text
        same = text == self.request.text
        self._wish(
            "",
            preset=name,
            config=preset.config,
            text=text,
            trained=True,
            prefix=(),
            source_cuts=self.request.source_cuts if same else None,
        )

    def reset(self) -> None:
        """The preset's knobs again."""
        self._wish("", config=load_preset(self.request.preset).config, trained=True, prefix=())

    def cut(self, side: str, action: str, index: int, at: int) -> None:
        """Cut the tokens of a side anew: "merge", "split" or "reset"."""
        request, frame = self.request, self.frame
        translated = side == "target" and frame is not None and bool(frame.trace.expected)
        field = "target_cuts" if side == "target" and (translated or request.target is not None) else "source_cuts"
        if action == "reset":
            self._wish("", **{field: None, "words": ()})
            return
        if frame is None or self._shown_is_old(frame, side):
            return
        tokens = frame.trace.tokens.source if side == "source" else frame.trace.tokens.target
        if translated:  # a translation that is cut by hand becomes a target of one's own; its begin symbol is no text
            tokens, index = tokens[1:], index - 1
        spans: Spans = tuple((token.start, token.end) for token in tokens)
        if not 0 <= index < len(spans):
            return
        try:
            spans = merged(spans, index) if action == "merge" else split(spans, index, at)
        except ExplorerError as error:
            self.refused.emit(error)
            return
        self._wish("", **{field: spans}, **({"target": frame.trace.target} if translated else {}))

    def add_word(self, word: str) -> None:
        """Put a word into jieba's dictionary for this text."""
        if word and word not in self.request.words:
            self._wish("", words=(*self.request.words, word), source_cuts=None, target_cuts=None, prefix=())

    def look_into(self, experiments: frozenset[str]) -> None:
        """What shall be found out beside the pass, because a page shows it."""
        self._asked.clear()
        if experiments != self._experiments:
            self._experiments = experiments
            there = frozenset() if self.frame is None else self.frame.request.experiments
            if self.frame is not None and not experiments <= there and not self._worker.busy:
                self._refine(attrs.evolve(self.frame.request, serial=self._serial))

    def want(self, places: tuple[tuple[str, int], ...]) -> None:
        """Taps and heads of a long text that are looked at; what was asked for in vain is not asked for again."""
        frame = self.frame
        if frame is None or set(places) <= self._asked:
            return
        self._asked |= set(places)
        self._wanted = tuple(dict.fromkeys((*(each for each in self._wanted if each not in places), *places)))[-_MOST_WANTED:]
        if not self._worker.busy:
            self._refine(frame.request)

    def set_batch(self, texts: tuple[str, ...]) -> None:
        """Further sentences to go through the model together with the typed one."""
        self._wish("batch", batch=texts)

    def keep(self, what: str) -> None:
        """Put a state aside to compare with: "now" this one, "paper" this one as the paper has it, "swap" exchanges the two,
        "" lets the other one go."""
        here = attrs.evolve(self.request, compared_with=None)
        if what == "swap" and self.request.compared_with is not None:
            self._history.add(attrs.evolve(self.request.compared_with, compared_with=here), "")
            self._again()
        elif what == "paper":
            self._wish("", compared_with=attrs.evolve(here, config=as_paper(here.config)))
        else:
            self._wish("", compared_with=here if what == "now" else None)

    def take(self, step: Step) -> None:
        """Open a step of a lesson: its preset, knobs and texts, and what it looks at."""
        try:
            request = self.request.at_step(step)
            preset = load_preset(request.preset)
        except ExplorerError as error:
            self.refused.emit(error)
            return
        known = {field.name for field in attrs.fields(Look)}
        look = dict(preset.look) if step.preset else {}
        look = {name: value for name, value in (look | dict(step.look)).items() if name in known}
        if request == self.request:
            self.set_look(**look)
        else:  # fitted when the answer comes: the model on screen may lack what the step looks at
            self.look = attrs.evolve(self.look, **look)  # type: ignore[arg-type]  # fields of Look
            self._history.add(request, "")
            self._again()

    def undo(self) -> None:
        self._history.undo()
        self._again()

    def redo(self) -> None:
        self._history.redo()
        self._again()

    def set_look(self, **changes: Any) -> None:
        """Look at something else; nothing is computed."""
        self.look = attrs.evolve(self.look, **changes)
        self._asked.clear()
        if self.frame is not None:
            self.look = self.look.fitted(self.frame.trace)
        self.looked.emit(self.look)

    # Answers

    def _done(self, frame: Frame) -> None:
        if self.frame is not None and frame.serial <= self.frame.serial:
            return
        self.frame = frame
        self._worker.hold()
        self.look = self.look.fitted(frame.trace)
        self.framed.emit(frame)
        self._refine(frame.request)
        self.busy.emit(frame.serial < self._submitted)
        QTimer.singleShot(0, self._worker.release)  # after the paint events that the frame has asked for

    def _failed(self, serial: int, error: BaseException) -> None:
        self.busy.emit(serial < self._submitted)
        if not isinstance(error, ExplorerError):
            self.broke.emit(error)
        elif serial == self._serial:
            self.refused.emit(error)

    def _stopped(self, serial: int) -> None:
        self.busy.emit(serial < self._submitted)
        if serial == self._serial:
            self.stopped.emit()

    def _progressed(self, serial: int, share: float) -> None:
        if serial == self._serial:
            self.progressed.emit(share)

    # Inside

    def _wish(self, kind: str, **changes: object) -> None:
        request = attrs.evolve(self.request, **changes)  # type: ignore[arg-type]  # fields of Request
        if request == self.request:
            return
        self._history.add(request, kind)
        self._again()

    def _again(self) -> None:
        self._asked.clear()
        need = parameter_bytes(self.request.config)
        if need > _LARGE_BYTES and (self.frame is None or self.frame.request.config.shape != self.request.config.shape):
            self.large.emit(need)
        self.requested.emit(self.request)
        self.remembered.emit(self._history.can_undo, self._history.can_redo)
        self._submit()

    def _submit(self) -> None:
        self._serial += 1
        self.wished = self._serial
        try:
            check_text(self.request.text)
        except ExplorerError as error:
            # Known to fail before any thread is asked: the picture on screen stays, and whatever runs is out of date.
            self._submitted = 0
            self._worker.stop()
            self.busy.emit(False)
            self.refused.emit(error)
            return
        self._submitted = self._serial
        self._worker.hold()
        QTimer.singleShot(0, self._worker.release)  # after the box and the knobs are painted
        self._worker.submit(attrs.evolve(self._first_answer(), serial=self._serial))
        self.busy.emit(True)

    @property
    def _whole(self) -> Request:
        """The wish with all that the page in front shows beside the pass."""
        return attrs.evolve(self.request, experiments=self._experiments, wanted=self._wanted)

    def _first_answer(self) -> Request:
        """The quick request, but not where the same sentence is shown already and only its search shall be wider."""
        if self.frame is not None and self._is_the_same(self.frame.request):
            return self._whole
        return quick(self._whole)

    def _is_the_same(self, shown: Request) -> bool:
        """True: nothing but the beam and the experiments differs from what is wished."""
        whole = self._whole
        return whole == attrs.evolve(
            shown, serial=whole.serial, refines=False, beam=whole.beam, experiments=whole.experiments, wanted=whole.wanted
        )

    def _refine(self, shown: Request) -> None:
        """Ask again for the whole of what was asked, if the answer on screen was the quick one."""
        if shown.serial == self._serial and attrs.evolve(shown, refines=False) != attrs.evolve(
            self._whole, serial=self._serial
        ):
            self._serial += 1
            self._submitted = self._serial
            self._worker.submit(attrs.evolve(self._whole, serial=self._serial, refines=True))

    def _shown_is_old(self, frame: Frame, side: str) -> bool:
        shown, wanted = frame.request, self.request
        return shown.text != wanted.text if side == "source" else (shown.text, shown.target) != (wanted.text, wanted.target)


def quick(request: Request) -> Request:
    """A greedy translation in place of a wide search, and no experiments: these follow when nothing else waits."""
    searches = request.has_trained and request.target is None and request.beam > 1
    return attrs.evolve(request, beam=1 if searches else request.beam, experiments=frozenset())
