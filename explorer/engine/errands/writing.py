"""What a model says by its kind: a language model goes on with a text, a masked one fills in hidden words, and a sentence model
makes vectors. A text is gone on with at once for the library and token by token for the window; its last cache is kept.
"""

from collections.abc import Sequence

from explorer.engine.changing import Changing
from explorer.engine.errand import CompareTexts, HideEach, WriteOn
from explorer.engine.errands.hiding import check_quick, cloze, to_fill_in
from explorer.engine.errands.sentence_vectors import similarity, to_compare
from explorer.engine.errands.writer import Writer, to_go_on_with
from explorer.engine.passes.lender import Lender
from explorer.engine.passes.pass_recorder import ready_model
from explorer.engine.recording.long_text import plan_for
from explorer.engine.sources.source import Model, ModelSource, Row, Sentence, silent
from explorer.engine.sources.sources import Sources
from explorer.engine.sources.writes import Writes
from explorer.errors import ExplorerError, NoSuchSymbol, bare
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.found.cloze import Cloze
from explorer.trace.found.continuation import Continuation, NextToken, Sampling
from explorer.trace.found.similarity import Similarity
from explorer.trace.recorded_pass import Tokens


class Writing:
    """Goes on with texts. The `lender` is that of the answers."""

    def __init__(self, sources: Sources, lender: Lender) -> None:
        self._sources, self._lender = sources, lender
        self._writer: Writer | None = None
        self._errand: WriteOn | None = None

    def piece(
        self, errand: WriteOn | HideEach | CompareTexts, number: int, stop: Stop
    ) -> NextToken | Cloze | Similarity | ExplorerError:
        """The token `number` of an errand, or all that it asks for; an ExplorerError where there is none. Raises Superseded."""
        assert errand.wish is not None  # An errand with pieces has it.
        try:
            if isinstance(errand, HideEach):
                return self.cloze(errand.wish, stop, beside_typing=True)
            if isinstance(errand, CompareTexts):
                return self.similarity(errand.wish, errand.texts, stop)
            source, row = to_go_on_with(self._sources.of(errand.wish), errand.wish)
            writer = self._kept(errand, number, source, row, stop)
            return self._next(writer, source, stop, errand.forced_at(number))
        except ExplorerError as error:
            return bare(error)

    def continuation(
        self, wish: Wish, begin: Sequence[int | str], most: int, sampling: Sampling, stop: Stop, progress: Progress
    ) -> Continuation:
        """What a model generates after the text of a Wish, at most `most` tokens, the first of them those of `begin`.

        Raises NotALanguageModel, NoSuchSymbol, TooLong, ExplorerError, Superseded.
        """
        source, row = to_go_on_with(self._sources.of(wish), wish)
        plan = plan_for(source.card(wish.config), wish.config.memory_budget, 0, len(row) + most)
        writer = Writer(source, wish, row, (), sampling, everything=plan.everything)
        given = _ids(begin, source.symbols(wish.config, Tokens((), row)))
        tokens: list[NextToken] = []
        while len(tokens) < most and not (tokens and tokens[-1].ends):
            forced = given[len(tokens)] if len(tokens) < len(given) else None
            tokens.append(self._next(writer, source, stop, forced))
            progress(len(tokens) / most)
        if not tokens[-1].ends:  # Nothing comes after the end, and what stands before it is read.
            writer.read(*self._both(source, wish, len(writer.ids), stop), stop)
        trace = writer.trace() if plan.everything else None
        return Continuation(wish.text, tuple(tokens), writer.text(), sampling, trace)

    def cloze(self, wish: Wish, stop: Stop, progress: Progress = silent, *, beside_typing: bool = False) -> Cloze:
        """What a masked model says where each token of the text is hidden; `beside_typing` refuses what takes minutes.

        Raises NoMaskToken, SlowToHide, ExplorerError, Superseded.
        """
        source = self._sources.of(wish)
        row, mask = to_fill_in(source, wish)
        if beside_typing:
            check_quick(source, wish, row)
        model, changing = self._both(source, wish, len(row), stop)
        return cloze(source, model, wish, row, mask, changing, stop, progress)

    def similarity(self, wish: Wish, texts: Sequence[str], stop: Stop, progress: Progress = silent) -> Similarity:
        """How alike these texts are to the model of a Wish. Raises NoSentenceVectors, ExplorerError, Superseded."""
        source = to_compare(self._sources.of(wish), wish)
        model, changing = self._both(source, wish, 0, stop)
        return similarity(source, model, wish, texts, changing, stop, progress)

    def _next(self, writer: Writer, source: Writes, stop: Stop, forced: int | None) -> NextToken:
        model, changing = self._both(source, writer.wish, len(writer.ids), stop)
        return writer.next(model, changing, stop, forced)

    def _both(self, source: ModelSource, wish: Wish, n: int, stop: Stop) -> tuple[Model, Changing]:
        changing = self._lender.changing(wish, source, n, stop, silent)
        return ready_model(source, wish, Sentence(Tokens(), wish.text), stop, silent), changing

    def _kept(self, errand: WriteOn, number: int, source: Writes, row: Row, stop: Stop) -> Writer:
        """The Writer that stands before token `number` of an errand: the last one, or a new one."""
        assert errand.wish is not None
        last, begun = self._writer, [*(token.id for token in row), *errand.begun]
        at_place = self._errand is errand and last is not None and len(last.ids) == len(begun) + number
        as_before = number == 0 and last is not None and last.wish == errand.wish and last.ids == begun
        self._errand = errand
        if last is not None and (at_place or as_before):
            last.go_on(source, errand.sampling)
            return last
        self._writer = None
        writer = Writer(source, errand.wish, row, errand.begun, errand.sampling)
        for before in range(number):
            self._next(writer, source, stop, errand.forced_at(before))
        self._writer = writer
        return writer


def _ids(begin: Sequence[int | str], symbols: Sequence[str]) -> tuple[int, ...]:
    """The ids of words that are given by their ids or texts. Raises NoSuchSymbol."""
    found = []
    for each in begin:
        if isinstance(each, str) and each not in symbols:
            raise NoSuchSymbol(got=each, last=len(symbols) - 1)
        found.append(symbols.index(each) if isinstance(each, str) else each)
    return tuple(found)
