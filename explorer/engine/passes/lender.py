"""The Lender: passes of the same model over other texts, from which the patches of a Wish take their numbers."""

from explorer.engine.change_checks import Lengths, check_changes
from explorer.engine.changing import Changing
from explorer.engine.passes.pass_recorder import ready_model, recorded_pass
from explorer.engine.recording.keep_plan import KeepPlan
from explorer.engine.recording.long_text import plan_for
from explorer.engine.sources.source import ModelSource, Sentence
from explorer.engine.sources.sources import Sources
from explorer.errors import NotKept
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.model_card import ModelCard
from explorer.trace.tap_names import ATTENTION_MAP
from explorer.trace.trace import Trace


class Lender:
    """Prepares the changes of a Wish. It keeps the passes that the last Wish was patched from, and uses them again."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._passes: dict[Wish, Trace] = {}

    def changing(self, wish: Wish, source: ModelSource, n_source: int, stop: Stop, progress: Progress) -> Changing:
        """The changes of a Wish whose text has `n_source` tokens, ready for a model of the source.

        Raises Superseded, and the errors of `check_changes` as far as they can be found before the target is known.
        """
        if not wish.changes:
            self._passes = {}
            return Changing()
        known, card = source.taps(wish.config), source.card(wish.config)
        lengths = _lengths(card, n_source)
        check_changes(wish.changes, known, card, lengths, {})
        by_text = self._lent(wish, stop, progress)
        lent = {change: by_text[change.text].arrays[change.tap] for change in wish.changes if change.text is not None}
        changing = Changing(wish.changes, lent, key=(wish.changes, *self._passes))
        check_changes(wish.changes, known, card, lengths, changing.lent_shapes())
        return changing

    def make_pass(self, wish: Wish, taps: frozenset[str], stop: Stop, progress: Progress) -> Trace:
        """The pass of a Wish without its changes, of which only these taps are kept.

        Raises NotKept if the text is too long for whole maps, ExplorerError, Superseded.
        """
        source, unchanged = self._sources.of(wish, stop, progress), Changing()
        sentence = source.decode(wish, source.tokenize(wish), wish.beam, unchanged, stop)
        if not plan_for(source.card(wish.config), wish.config.memory_budget, *sentence.sizes).everything:
            for tap in filter(ATTENTION_MAP.search, taps):
                raise NotKept(tap=tap, n_tokens=max(sentence.sizes))
        model = ready_model(source, wish, sentence, stop, progress)
        return recorded_pass(source, model, wish, sentence, KeepPlan(parts=frozenset(), taps=taps), unchanged, stop)

    def _lent(self, wish: Wish, stop: Stop, progress: Progress) -> dict[str, Trace]:
        """The passes over the texts that are patched in, by text."""
        taps: dict[str, set[str]] = {}
        for change in wish.changes:
            if change.text is not None:
                taps.setdefault(change.text, set()).add(change.tap)
        kept, self._passes = self._passes, {}
        for text, wanted in taps.items():
            other = wish.of_text(text)
            trace = kept.get(other)
            if trace is None or not wanted <= set(trace.arrays):
                trace = self.make_pass(other, frozenset(wanted), stop, progress)
            self._passes[other] = trace
        return {other.text: trace for other, trace in self._passes.items()}


def check_in_sentence(wish: Wish, source: ModelSource, sentence: Sentence, changing: Changing) -> None:
    """Refuse changes that the model cannot make in this sentence. Raises like `check_changes`."""
    if wish.changes:
        known, card = source.taps(wish.config), source.card(wish.config)
        check_changes(wish.changes, known, card, sentence.lengths, changing.lent_shapes())


def _lengths(card: ModelCard, n_source: int) -> Lengths:
    architecture = card.architecture
    if architecture == "decoder-only":
        return Lengths(0, n_source)
    return Lengths(n_source, 0 if architecture == "encoder-only" else None)
