"""The compute thread's work as a plain object: it takes a Request and returns a Frame. Only this thread uses torch and jieba.

Each request goes through three steps: the pass (`passes/`), the findings about it (`experiments/`), and the pass to compare
with.
"""

from functools import partial

import attrs

from explorer.engine.errand import AblateEach, Brought, Errand
from explorer.engine.errands.pieces import Pieces
from explorer.engine.experiments.findings import findings
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.kept import KeptFindings
from explorer.engine.freed_memory import FreedMemory, keep_freed_memory
from explorer.engine.many.passes import ManyPasses
from explorer.engine.passes.lender import Lender
from explorer.engine.passes.passes import Passes
from explorer.engine.passes.recorded import RecordedFiles
from explorer.engine.passes.second_model import SecondModel
from explorer.engine.request import Frame, Request
from explorer.engine.sources.folders import OpenFolders
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.source import never, silent
from explorer.engine.sources.sources import Sources
from explorer.engine.sources.translator import MOST_THREADS
from explorer.errors import ExplorerError, bare
from explorer.model.transformer import Transformer
from explorer.presets import load_preset
from explorer.stops import Progress, Stop
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.changes import Change
from explorer.trace.found.effects import classes_of

KEPT_BYTES = 2**28  # A usual pass needs less memory. What a very long text or a large model took goes back to the system.


class Computer:
    """Answers requests: call it with a Request. Only one thread may use it at a time.

    `sources` has the models, `pieces` does errands, `writing` goes on with texts, and `many` passes many prompts.
    """

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
        # Nothing below refers to this Computer, so its models are freed with it and not when Python collects cycles.
        self._lender = Lender(self.sources)
        self._passes = Passes(self.sources, self._lender)
        self.pieces = Pieces(self.sources, self._lender)
        self.writing = self.pieces.writing
        self.many = ManyPasses(self.sources, self._lender)
        # The model on screen keeps its knobs while another one's prompts are passed behind it.
        beside = self.sources.beside(most_threads=1)
        self._behind = ManyPasses(beside, Lender(beside))
        self._kept = KeptFindings()
        self._recorded = RecordedFiles()
        self._other = SecondModel(partial(_second, self.sources))  # It computes the wish to compare with.
        self._unchanged = SecondModel(partial(_second, self.sources))  # It computes the pass without changes.

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
        path = load_preset(request.wish.preset).recorded
        frame = self._computed(request, stop, progress) if path is None else self._recorded.frame(request, path)
        wish = request.wish.compared_with
        if wish is None:
            self._other.forget()
            return frame
        return attrs.evolve(frame, trace=attrs.evolve(frame.trace, compared_with=self._other.trace(wish, stop, progress)))

    def _computed(self, request: Request, stop: Stop, progress: Progress) -> Frame:
        """The pass of a Request with the findings about it."""
        made = self._passes.make(request, stop, progress)
        trace = made.frame.trace
        inquiry = Inquiry(
            model=made.model,
            tokens=trace.tokens,
            expected=trace.expected or classes_of(trace),
            stop=stop,
            symbols=trace.symbols if trace.card.classes is None else trace.card.classes.labels,
            changing=made.changing,
            card=trace.card,
            trace=trace,
            request=request,
            origin=made.source,
            lender=self._lender,
            second=self._unchanged,
            progress=progress,
            kept=self._kept,
        )
        found, broken = findings(inquiry)
        return attrs.evolve(made.frame, trace=attrs.evolve(trace, experiments=found), broken=broken)

    def piece(self, errand: Errand, number: int, stop: Stop) -> Brought:
        """Do a piece of an errand. Raises Superseded."""
        if isinstance(errand, AblateEach):
            return Brought(errand, number, self._behind.piece(errand, number, stop))
        return self.pieces.do(errand, number, stop)

    def rest(self, stop: Stop) -> None:
        """Give freed memory back, unless `stop` says that a request has come."""
        if not stop():
            self._freed.give_back()


def _second(sources: Sources) -> Computer:
    """Another Computer, with models of its own but for those of others, which may be large."""
    return Computer(sources.tokenizers, folders=sources.folders)
