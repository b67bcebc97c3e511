"""What a model says of a text, and how likely it finds words: the questions of errands, which no pass is recorded for."""

from collections.abc import Sequence

import attrs
import torch

from explorer.engine.experiments.bench import Bench, stopping
from explorer.engine.experiments.runs import runs_of
from explorer.engine.experiments.teacher_forced import LogP, teacher_forced, teacher_forced_together
from explorer.engine.passes.lender import Lender, check_in_sentence
from explorer.engine.passes.pass_recorder import ready_model
from explorer.engine.recording.long_text import plan_for
from explorer.engine.sources.source import Sentence, never, silent
from explorer.engine.sources.sources import Sources
from explorer.engine.sources.translating import Translating
from explorer.errors import LacksTap, TooLongToTry
from explorer.model.hooks import hooked
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.model_card import PROBABILITIES, ModelCard
from explorer.trace.recorded_pass import written


class Saying:
    """Answers these questions with models of its own sources."""

    def __init__(self, sources: Sources) -> None:
        self._sources, self._lender = sources, Lender(sources)

    def card(self, wish: Wish) -> ModelCard:
        """The card of the model of a Wish. Raises UnknownPreset, BadFile."""
        return self._sources.of(wish).card(wish.config)

    def symbols(self, wish: Wish, sentence: Sentence) -> tuple[str, ...]:
        """The symbol of each id of the output."""
        return self._sources.of(wish).symbols(wish.config, sentence.tokens)

    def n_tokens(self, wish: Wish) -> int:
        """How many tokens the text of a Wish has. Raises TooLongToTry where its maps are not kept whole, BadText, TooLong."""
        source = self._sources.of(wish)
        n = len(source.tokenize(wish))
        if not plan_for(source.card(wish.config), wish.config.memory_budget, n, n).everything:
            raise TooLongToTry(n_tokens=n)
        return n

    def says(self, wish: Wish, stop: Stop = never) -> Sentence:
        """Both sides in tokens; where the model writes the target itself, it does so with the Wish's changes.

        Raises ExplorerError, Superseded.
        """
        source = self._sources.of(wish, stop)
        row = source.tokenize(wish)
        changing = self._lender.changing(wish, source, len(row), stop, silent)
        sentence = source.decode(wish, row, wish.beam, changing, stop)
        check_in_sentence(wish, source, sentence, changing)
        return attrs.evolve(sentence, begun=None)

    def says_together(self, wishes: Sequence[Wish], stop: Stop = never) -> list[Sentence]:
        """As `says`, for Wishes of a trained translator that differ in their texts alone, of equally many tokens each.

        Raises ExplorerError where one of them cannot be answered, Superseded.
        """
        source = self._sources.of(wishes[0])
        assert isinstance(source, Translating)  # `can_be_together` says so.
        rows = [source.tokenize(wish) for wish in wishes]
        changing = self._lender.changing(wishes[0], source, len(rows[0]), stop, silent)
        sentences = source.translated_together(wishes[0], rows, changing, stop)
        for wish, sentence in zip(wishes, sentences, strict=True):
            check_in_sentence(wish, source, sentence, changing)
        return sentences

    def expected(self, wish: Wish, sentence: Sentence, stop: Stop = never) -> tuple[int, ...]:
        """The ids that are asked about: what was written; of a classifier the likeliest class of each row of its logits.

        Raises LacksTap where a class has no probability of its own, ExplorerError, Superseded.
        """
        source = self._sources.of(wish)
        card = source.card(wish.config)
        if card.classes is None:
            return written(sentence.tokens, card.begin, card.end)
        if card.classes.why_not_asked:
            raise LacksTap(name="change", tap=PROBABILITIES, why=card.classes.why_not_asked)
        changing = self._lender.changing(wish, source, len(sentence.tokens.source or sentence.tokens.target), stop, silent)
        model = ready_model(source, wish, sentence, stop, silent)
        with torch.inference_mode(), changing.inside(model), hooked(model, stopping(stop)):
            logits = runs_of(model, sentence.tokens).logits(1)[0]  # [text 1 or position, class]
        return tuple(logits.argmax(dim=-1).tolist())

    def log_p(self, wish: Wish, sentence: Sentence, stop: Stop = never, expected: tuple[int, ...] = ()) -> LogP:
        """[word] log p (nats) of the words of a sentence, each after the words before it, by the model of a Wish.

        The words are `expected`, or those of `measured_words`. Raises ExplorerError, Superseded.
        """
        source = self._sources.of(wish)
        changing = self._lender.changing(wish, source, len(sentence.tokens.source or sentence.tokens.target), stop, silent)
        check_in_sentence(wish, source, sentence, changing)
        card = source.card(wish.config)
        why = card.why_absent("generator.logits")
        if why and card.classes is None:
            raise LacksTap(name="change", tap="generator.logits", why=why)
        model = ready_model(source, wish, sentence, stop, silent)
        asked = expected or written(sentence.tokens, card.begin, card.end)
        return teacher_forced(Bench(model, sentence.tokens, asked, stop, card=card), changing)

    def log_p_together(self, wish: Wish, sentences: Sequence[Sentence], stop: Stop = never) -> list[LogP]:
        """As `log_p`, for sentences of equally many tokens on each side. Raises ExplorerError, Superseded."""
        source, first = self._sources.of(wish), sentences[0]
        changing = self._lender.changing(wish, source, len(first.tokens.source), stop, silent)
        check_in_sentence(wish, source, first, changing)
        model = ready_model(source, wish, first, stop, silent)
        return teacher_forced_together(model, [each.tokens for each in sentences], changing, stop)
