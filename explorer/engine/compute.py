"""The compute thread's work as a plain object: it takes a Request and returns a Frame. Only this thread uses torch and jieba.

Each request goes through four steps: cut → decode → pass → findings.
"""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import attrs
import torch

from explorer.engine.change_checks import check_changes
from explorer.engine.changing import Changing
from explorer.engine.devices import device_name, devices
from explorer.engine.errand import Brought, CompareTexts, Errand, HideEach, MeasureTaps, PrepareScript, WriteOn
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.findings import findings
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.kept import KeptFindings
from explorer.engine.experiments.teacher_forced import LogP, teacher_forced, teacher_forced_together
from explorer.engine.freed_memory import FreedMemory, keep_freed_memory
from explorer.engine.lender import Lender
from explorer.engine.ready_model import ready_model
from explorer.engine.recorded import RecordedFiles
from explorer.engine.recording.keep_plan import KeepPlan
from explorer.engine.recording.long_text import plan_for
from explorer.engine.recording.pass_recorder import PassRecorder, recorded_pass
from explorer.engine.rehearsal import Rehearsal
from explorer.engine.request import Frame, Request
from explorer.engine.script_parts import script_parts
from explorer.engine.second_model import SecondModel
from explorer.engine.sources.folders import OpenFolders
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.source import ModelSource, Sentence, never, silent
from explorer.engine.sources.sources import Sources
from explorer.engine.sources.translating import Translating
from explorer.engine.sources.translator import MOST_THREADS
from explorer.engine.writing import Writing
from explorer.errors import ExplorerError, LacksTap, NotKept, RecordedOnly, TooLongToTry, bare
from explorer.model.transformer import Transformer
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.changes import Change
from explorer.trace.measures.tap_figures import measured_taps
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import written
from explorer.trace.script_parts import ScriptParts
from explorer.trace.tap_names import ATTENTION_MAP
from explorer.trace.trace import Trace

KEPT_BYTES = 2**28  # A usual pass needs less memory. What a very long text or a large model took goes back to the system.


class Computer:
    """Answers requests: call it with a Request. Only one thread may use it at a time."""

    def __init__(
        self,
        tokenizers: Tokenizers | None = None,
        most_threads: int = MOST_THREADS,
        folders: OpenFolders | None = None,
        live: Transformer | ForeignModel | None = None,
    ) -> None:
        keep_freed_memory(KEPT_BYTES)
        self._freed = FreedMemory(KEPT_BYTES)
        self.sources = Sources(tokenizers or Tokenizers(), most_threads, folders, live)
        # Neither refers to this Computer: its models go as soon as nobody has it, and not when Python looks for circles.
        self._lend = partial(_lent, self.sources)
        self._lender = Lender(self._lend)
        self.writing = Writing(self.sources, ready_model, self._lender.changing)
        self._record = PassRecorder()
        self._kept = KeptFindings()
        self._recorded = RecordedFiles()
        self._other = SecondModel(partial(_second, self.sources))  # It computes the wish to compare with.
        self._unchanged = SecondModel(partial(_second, self.sources))  # It computes the pass without changes.
        self._rehearsal: Rehearsal | None = None

    def __call__(self, request: Request, stop: Stop = never, progress: Progress = silent) -> Frame:
        """Run one pass and record it. Raises ExplorerError for what the user can mend, Superseded when stopped."""
        wish, left_out = attrs.evolve(request.wish, changes=request.wish.active), dict[Change, ExplorerError]()
        while True:
            try:
                frame = self._made(request.wishing(changes=wish.changes), stop, progress)
            except ExplorerError as error:
                change = error.change
                if not request.detail.leaves_out or not isinstance(change, Change):
                    raise
                left_out[change] = bare(error)
                wish = attrs.evolve(wish, changes=tuple(each for each in wish.changes if each != change))
            else:
                trace = attrs.evolve(frame.trace, left_out=left_out) if left_out else frame.trace
                return attrs.evolve(frame, request=request, trace=trace)

    def _made(self, request: Request, stop: Stop, progress: Progress) -> Frame:
        """The answer to a Request whose changes are all made. Raises like `__call__`; an error about a change names it."""
        wish, clock = request.wish, _Clock()
        recorded = load_preset(wish.preset).recorded
        if recorded is not None:
            if wish.changes:
                raise RecordedOnly(path=str(recorded))
            other = self._answer(wish.compared_with, stop, progress)
            frame = self._recorded.frame(request, recorded)
            return attrs.evolve(frame, trace=attrs.evolve(frame.trace, compared_with=other))
        source = self.sources.of(wish, stop, progress)
        opening_ms = clock.lap_ms()
        row = source.cut(wish)
        tokens_ms = clock.lap_ms()
        changing = self._lender.changing(wish, source, len(row), stop, progress)
        sentence = source.decode(wish, row, request.beam, changing, stop)
        decoding_ms = clock.lap_ms()
        _check(wish, source, sentence, changing)
        model = ready_model(source, wish, sentence, stop, progress)
        build_ms = clock.lap_ms()
        trace = self._record(source, model, request, sentence, changing, stop, progress)
        pass_ms, n_threads = clock.lap_ms(), torch.get_num_threads()
        inquiry = Inquiry(
            model=model,
            tokens=trace.tokens,
            expected=trace.expected,
            stop=stop,
            symbols=trace.symbols,
            changing=changing,
            card=trace.card,
            trace=trace,
            request=request,
            origin=source,
            lend=self._lend,
            second=self._unchanged,
            progress=progress,
            kept=self._kept,
        )
        found, broken = findings(inquiry)
        other = self._answer(wish.compared_with, stop, progress)
        return Frame(
            request=request,
            trace=attrs.evolve(trace, experiments=found, compared_with=other),
            tokens_ms=tokens_ms,
            decoding_ms=decoding_ms,
            build_ms=opening_ms + build_ms,
            pass_ms=pass_ms,
            device=device_name(wish.config.device),
            n_threads=n_threads if wish.config.device == "cpu" else 0,
            devices=devices(),
            broken=broken,
        )

    def piece(self, errand: Errand, number: int, stop: Stop) -> Brought:
        """Do a piece of an errand, with a second Computer, so that this one's model stays as it is. Raises Superseded.

        It has one thread: an errand must not take the window's processor, and on a busy machine two wait for each other. A
        text is gone on with, and filled in, by the model on screen, because a second model of others may not fit into memory.
        Taps that were recorded are measured without any model.
        """
        if isinstance(errand, MeasureTaps):
            assert errand.trace is not None  # An errand with pieces has it.
            return Brought(errand, number, measured_taps(errand.trace, errand.groups[number], stop))
        if isinstance(errand, PrepareScript):
            return Brought(errand, number, self._script_parts(errand, stop))
        if isinstance(errand, WriteOn | HideEach | CompareTexts):
            return Brought(errand, number, self.writing.piece(errand, number, stop))
        self._rehearsal = self._rehearsal or Rehearsal(partial(_second, self.sources, most_threads=1))
        return Brought(errand, number, self._rehearsal.piece(errand, number, stop))

    def script_parts(self, wish: Wish, weights: Path | None = None, stop: Stop = never) -> ScriptParts:
        """What a script of the pass of a Wish needs beside its Trace; see `engine.script_parts`. Raises like it."""
        return script_parts(self.sources, ready_model, wish, weights, stop)

    def _script_parts(self, errand: PrepareScript, stop: Stop) -> ScriptParts | ExplorerError:
        assert errand.wish is not None  # An errand with pieces has it.
        try:
            return self.script_parts(errand.wish, errand.weights, stop)
        except ExplorerError as error:
            return error

    def n_tokens(self, wish: Wish) -> int:
        """How many tokens the text of a Wish has. Raises TooLongToTry where its maps are not kept whole, BadText, TooLong."""
        source = self.sources.of(wish)
        n = len(source.cut(wish))
        if not plan_for(source.card(wish.config), wish.config.memory_budget, n, n).everything:
            raise TooLongToTry(n_tokens=n)
        return n

    def says(self, wish: Wish, stop: Stop = never) -> Sentence:
        """Both sides in tokens; where the model writes the target itself, it does so with the Wish's changes.

        Raises ExplorerError, Superseded.
        """
        source = self.sources.of(wish, stop)
        row = source.cut(wish)
        changing = self._lender.changing(wish, source, len(row), stop, silent)
        sentence = source.decode(wish, row, wish.beam, changing, stop)
        _check(wish, source, sentence, changing)
        return attrs.evolve(sentence, begun=None)

    def card(self, wish: Wish) -> ModelCard:
        """The card of the model of a Wish. Raises UnknownPreset, BadFile."""
        return self.sources.of(wish).card(wish.config)

    def says_together(self, wishes: Sequence[Wish], stop: Stop = never) -> list[Sentence]:
        """As `says`, for Wishes of a trained translator that differ in their texts alone, of equally many tokens each.

        Raises ExplorerError where one of them cannot be answered, Superseded.
        """
        source = self.sources.of(wishes[0])
        assert isinstance(source, Translating)  # `can_be_together` says so.
        rows = [source.cut(wish) for wish in wishes]
        changing = self._lender.changing(wishes[0], source, len(rows[0]), stop, silent)
        sentences = source.translated_together(wishes[0], rows, changing, stop)
        for wish, sentence in zip(wishes, sentences, strict=True):
            _check(wish, source, sentence, changing)
        return sentences

    def log_p_together(self, wish: Wish, sentences: Sequence[Sentence], stop: Stop = never) -> list[LogP]:
        """As `log_p`, for sentences of equally many tokens on each side. Raises ExplorerError, Superseded."""
        source, first = self.sources.of(wish), sentences[0]
        changing = self._lender.changing(wish, source, len(first.tokens.source), stop, silent)
        _check(wish, source, first, changing)
        model = ready_model(source, wish, first, stop, silent)
        return teacher_forced_together(model, [each.tokens for each in sentences], changing, stop)

    def symbols(self, wish: Wish, sentence: Sentence) -> tuple[str, ...]:
        """The symbol of each id of the output."""
        return self.sources.of(wish).symbols(wish.config, sentence.tokens)

    def log_p(self, wish: Wish, sentence: Sentence, stop: Stop = never) -> LogP:
        """[word] log p (nats) of the words of a sentence, each after the words before it, by the model of a Wish.

        The words are those of `measured_words`. Raises ExplorerError, Superseded.
        """
        source = self.sources.of(wish)
        changing = self._lender.changing(wish, source, len(sentence.tokens.source or sentence.tokens.target), stop, silent)
        _check(wish, source, sentence, changing)
        card = source.card(wish.config)
        why = card.why_absent("generator.logits")
        if why:
            raise LacksTap(name="change", tap="generator.logits", why=why)
        model = ready_model(source, wish, sentence, stop, silent)
        expected = written(sentence.tokens, card.begin, card.end)
        return teacher_forced(Bench(model, sentence.tokens, expected, stop, card=card), changing)

    def rest(self, stop: Stop) -> None:
        """Prepare what the next pass may need, until `stop` says that a request has come. Give freed memory back."""
        self.sources.rest(stop)
        if not stop():
            self._freed.give_back()

    def _answer(self, wish: Wish | None, stop: Stop, progress: Progress) -> Trace | None:
        """The Trace to compare with."""
        if wish is None:
            self._other.forget()
            return None
        return self._other.trace(wish, stop, progress)


def _second(sources: Sources, most_threads: int = MOST_THREADS) -> Computer:
    """Another Computer, with models of its own but for those of others, which may be large."""
    return Computer(sources.tokenizers, most_threads, sources.folders)


def _lent(sources: Sources, wish: Wish, taps: frozenset[str], stop: Stop, progress: Progress) -> Trace:
    """A pass of which only these taps are kept, for a patch. Raises NotKept if the text is too long for whole maps."""
    source, unchanged = sources.of(wish, stop, progress), Changing()
    sentence = source.decode(wish, source.cut(wish), wish.beam, unchanged, stop)
    if not plan_for(source.card(wish.config), wish.config.memory_budget, *sentence.sizes).everything:
        for tap in filter(ATTENTION_MAP.search, taps):
            raise NotKept(tap=tap, n_tokens=max(sentence.sizes))
    model = ready_model(source, wish, sentence, stop, progress)
    return recorded_pass(source, model, wish, sentence, KeepPlan(parts=frozenset(), taps=taps), unchanged, stop)


def _check(wish: Wish, source: ModelSource, sentence: Sentence, changing: Changing) -> None:
    """Refuse changes that the model cannot make in this sentence. Raises like `check_changes`."""
    if wish.changes:
        known, card = source.taps(wish.config), source.card(wish.config)
        check_changes(wish.changes, known, card, sentence.lengths, changing.lent_shapes())


class _Clock:
    """A stopwatch for the parts of an answer."""

    def __init__(self) -> None:
        self._last_s = time.perf_counter()

    def lap_ms(self) -> float:
        """Milliseconds since the last lap."""
        before_s, self._last_s = self._last_s, time.perf_counter()
        return (self._last_s - before_s) * 1e3
