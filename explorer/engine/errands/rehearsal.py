"""The Rehearsal: what the model would say with other changes, found out beside the answers.

It works with models of its own, so that the model of the answers keeps its knobs and its last translation: two of them for
a small model, because giving other knobs to a model takes longer than a translation, and each row needs the unchanged model.

A search asks for one sentence after the other. Those to come that have as many tokens are found out together with it, in one
batch: 300 rows take 20 seconds of one core and not 48, and without padding every change means what it means alone. (With a
knob turned they took 160, most of it for giving a model its other knobs four times a row.)
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from explorer.engine.errand import Errand, FindBreaks, TryAll
from explorer.engine.errands.saying import Saying
from explorer.engine.experiments.teacher_forced import LogP
from explorer.engine.sources.source import Sentence
from explorer.engine.speed.threads import WORK_OF_A_SECOND, pass_work
from explorer.errors import ExplorerError, NothingChanged, SlowToTry, WritesNothing, bare
from explorer.presets import load_preset
from explorer.state.tries import is_altered, of_sentence, unchanged_wish
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.arrays import frozen_array
from explorer.trace.found.consequences import Break, Consequence, repeated_share, written_words
from explorer.trace.found.effects import measured_words
from explorer.trace.own_card import parameter_bytes

T = TypeVar("T")
_MOST_KEPT = 1024  # answers
_MOST_SAYINGS = 2
_SMALL_BYTES = 2**27  # bytes of a model's weights; of a larger one there is one copy for errands alone
_AHEAD = 96  # sentences to come, among which a search looks for some of one length
_TOGETHER = 12  # sentences at once: a batch of long ones takes half a second, and is begun again after a keystroke
_LONG_WORK = 5e10  # multiplications of one change's passes; about a second on two cores


class Rehearsal:
    """Does the pieces of errands. It keeps its last answers, so that undo and a switch that goes back find them at once."""

    def __init__(self, make_saying: Callable[[], Saying]) -> None:
        self._make_saying = make_saying
        self._sayings: OrderedDict[object, Saying] = OrderedDict()  # by the model that each has, the last used one last
        self._known: OrderedDict[object, object] = OrderedDict()

    def piece(self, errand: Errand, number: int, stop: Stop) -> Consequence | Break | ExplorerError:
        """A piece of an errand; an ExplorerError as a value where it cannot be found out. Raises Superseded."""
        try:
            if isinstance(errand, TryAll):
                return self.consequence(errand, number, stop)
            assert isinstance(errand, FindBreaks) and errand.wish is not None  # There is no other kind with pieces.
            self._look_ahead(errand.wish, errand.sentences[number : number + _AHEAD], stop)
            return self.sentence(errand.wish, errand.sentences[number], stop)
        except ExplorerError as error:
            return bare(error)

    def consequence(self, errand: TryAll, number: int, stop: Stop) -> Consequence:
        """What one change does to the words of the unchanged translation, and to what the model says.

        Raises SlowToTry, TooLongToTry, ExplorerError, Superseded.
        """
        assert errand.unchanged is not None  # An errand with pieces has it.
        tried = errand.tries[number]
        if not errand.anyway:
            self._check_work(errand.unchanged)
        said = self._said(errand.unchanged, stop)
        expected = self._saying(errand.unchanged).expected(errand.unchanged, said, stop)
        without, with_it = (self._log_p(each, said, stop, expected) for each in (tried.without, tried.wish))
        first, second = (self._named(errand.unchanged, said, expected, each) for each in (without, with_it))
        before, after = (self._said(each, stop) for each in (tried.without, tried.wish))
        says = before.search is not None or after.search is not None
        return Consequence(
            words=tuple(word for word, _log_p in first),
            log_p=frozen_array(np.array([value for _word, value in first])),
            log_p_after=frozen_array(np.array([value for _word, value in second])),
            before=before.target if says else "",
            after=after.target if says else "",
        )

    def sentence(self, wish: Wish, text: str, stop: Stop) -> Break:
        """What the changes of a Wish do to one sentence. Raises NothingChanged, WritesNothing, ExplorerError, Superseded."""
        check_can_break(wish)
        changed = of_sentence(wish, text)
        plain = unchanged_wish(changed)
        before, after = self._said(plain, stop), self._said(changed, stop)
        own = self._log_p(plain, before, stop)
        # score = Σ_w log P_changed(w) − log P_unchanged(w), over the words w of the changed translation
        by_changed, by_plain = self._log_p(changed, after, stop), self._log_p(plain, after, stop)
        return Break(
            source=text,
            before=before.target,
            after=after.target,
            score=float((by_changed - by_plain).sum()),
            sure_before=float(own.mean()),
            sure_after=float(by_changed.mean()),
            repeated=repeated_share(after.target),
        )

    def _said(self, wish: Wish, stop: Stop) -> Sentence:
        """What the model of a Wish says."""
        return self._kept(wish, lambda: self._saying(wish).says(wish, stop))

    def _named(self, wish: Wish, said: Sentence, expected: tuple[int, ...], log_p: LogP) -> list[tuple[str, float]]:
        """The words that are asked about, or the labels of a classifier's classes, each with its log p (nats)."""
        saying = self._saying(wish)
        classes = saying.card(wish).classes
        if classes is not None:
            return [(classes.labels[each], value) for each, value in zip(expected, log_p.tolist(), strict=True)]
        ids, _measured = measured_words(said.tokens.source, said.tokens.target, expected)
        return written_words(ids, saying.symbols(wish, said), log_p.tolist())

    def _log_p(self, wish: Wish, sentence: Sentence, stop: Stop, expected: tuple[int, ...] = ()) -> LogP:
        """[word] log p of the words of a sentence by the model of a Wish (nats)."""
        key = (*_measured(wish, sentence), expected) if expected else _measured(wish, sentence)
        return self._kept(key, lambda: self._saying(wish).log_p(wish, sentence, stop, expected))

    def _look_ahead(self, wish: Wish, texts: Sequence[str], stop: Stop) -> None:
        """Find out together what `sentence` will ask of the first text and of those to come that are as long.

        What cannot be found out together is left to be found out alone, with its error. Raises Superseded.
        """
        if not (is_altered(wish) and can_be_together(wish)):
            return
        changed = [of_sentence(wish, text) for text in texts]
        if changed[0] in self._known:
            return
        lengths = [self._n_tokens(each) for each in changed]
        alike = [each for each, n in zip(changed, lengths, strict=True) if n == lengths[0] and each not in self._known]
        try:
            self._find_together(alike[:_TOGETHER], stop)
        except ExplorerError:
            return

    def _find_together(self, changed: Sequence[Wish], stop: Stop) -> None:
        """Keep the translations of some Wishes, and log p of the words that `sentence` measures. Raises like `_said`."""
        plain = [unchanged_wish(each) for each in changed]
        before, after = self._said_together(plain, stop), self._said_together(changed, stop)
        for wishes, said in ((plain, before), (changed, after), (plain, after)):
            self._measure_together(list(zip(wishes, said, strict=True)), stop)

    def _said_together(self, wishes: Sequence[Wish], stop: Stop) -> list[Sentence]:
        """What the model of these Wishes, which differ in their texts alone, says of each; an earlier search may know some."""
        unknown = [wish for wish in wishes if wish not in self._known]
        if unknown:
            for wish, sentence in zip(unknown, self._saying(unknown[0]).says_together(unknown, stop), strict=True):
                self._keep(wish, sentence)
        return [self._said(wish, stop) for wish in wishes]

    def _measure_together(self, rows: Sequence[tuple[Wish, Sentence]], stop: Stop) -> None:
        """Keep log p of the words of these sentences by the models of these Wishes, which differ in their texts alone."""
        by_sizes: dict[tuple[int, int], list[tuple[Wish, Sentence]]] = {}
        for wish, sentence in rows:
            if _measured(wish, sentence) not in self._known:
                by_sizes.setdefault(sentence.sizes, []).append((wish, sentence))
        for alike in by_sizes.values():
            wish = alike[0][0]
            found = self._saying(wish).log_p_together(wish, [sentence for _wish, sentence in alike], stop)
            for (own, sentence), log_p in zip(alike, found, strict=True):
                self._keep(_measured(own, sentence), log_p)

    def _n_tokens(self, wish: Wish) -> int:
        """How many tokens the text of a Wish has; 0 where it is none that can be tried."""
        try:
            return self._kept(("length", wish.text, wish.config), lambda: self._saying(wish).n_tokens(wish))
        except ExplorerError:
            return 0

    def _saying(self, wish: Wish) -> Saying:
        """The Saying whose model has the knobs of a Wish; else a new one, or the one that was used longest ago."""
        key = (wish.preset, wish.trained, wish.config)
        if key not in self._sayings:
            small = load_preset(wish.preset).foreign is None and parameter_bytes(wish.config) <= _SMALL_BYTES
            most = _MOST_SAYINGS if small else 1
            free = [self._sayings.popitem(last=False)[1] for _one in range(len(self._sayings) + 1 - most)]
            self._sayings[key] = free[-1] if free else self._make_saying()
        self._sayings.move_to_end(key)
        return self._sayings[key]

    def _kept(self, key: object, make: Callable[[], T]) -> T:
        if key not in self._known:
            self._keep(key, make())
        self._known.move_to_end(key)
        return self._known[key]  # type: ignore[return-value]  # It is what `make` has made.

    def _keep(self, key: object, value: object) -> None:
        self._known[key] = value
        if len(self._known) > _MOST_KEPT:
            self._known.popitem(last=False)

    def _check_work(self, wish: Wish) -> None:
        """Raises SlowToTry where one change takes longer than a second, TooLongToTry for a long text."""
        n_tokens = self._saying(wish).n_tokens(wish)
        # Two passes over the unchanged words, and a decoding of about as many tokens in each sentence of the beam.
        work = (2 + wish.beam) * pass_work(self._saying(wish).card(wish), n_tokens)
        if work > _LONG_WORK:
            raise SlowToTry(seconds=work / WORK_OF_A_SECOND)


def check_can_break(wish: Wish) -> None:
    """Refuse a search that could only find nothing. Raises NothingChanged, WritesNothing."""
    if not is_altered(wish):
        raise NothingChanged
    if not wish.writes:
        raise WritesNothing


def can_be_together(wish: Wish) -> bool:
    """Whether translations of several sentences in one batch are what each of them is alone.

    Dropout draws other numbers in a batch, and only the trained translator writes its translations itself.
    """
    return wish.writes and not wish.config.dropout_active


def _measured(wish: Wish, sentence: Sentence) -> tuple[object, ...]:
    """The key of log p of the words of a sentence by the model of a Wish."""
    return wish, sentence.tokens
