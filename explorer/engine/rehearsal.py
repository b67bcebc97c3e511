"""The Rehearsal: what the model would say with other changes, found out beside the answers.

It works with a Computer of its own, so that the model of the answers keeps its knobs and its last translation.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from explorer.engine.errand import Errand, FindBreaks, TryAll
from explorer.engine.sources.source import Sentence
from explorer.engine.threads import pass_work
from explorer.errors import ExplorerError, NothingChanged, SlowToTry
from explorer.state.tries import is_altered, of_sentence, unchanged_wish
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.arrays import frozen_array
from explorer.trace.consequences import Consequence
from explorer.trace.effects import measured_words
from explorer.trace.sentence_breaks import Break, repeated_share
from explorer.trace.trace import written
from explorer.trace.written_words import written_words

if TYPE_CHECKING:
    from explorer.engine.compute import Computer

T = TypeVar("T")
LogP = NDArray[np.float64]
_MOST_KEPT = 512  # answers
_LONG_WORK = 5e10  # multiplications of one change's passes; about a second on two cores
_WORK_OF_A_SECOND = 5e10


class Rehearsal:
    """Does the pieces of errands. It keeps its last answers, so that undo and a switch that goes back find them at once."""

    def __init__(self, computer: "Computer") -> None:
        self._computer = computer
        self._known: OrderedDict[object, object] = OrderedDict()

    def piece(self, errand: Errand, number: int, stop: Stop) -> Consequence | Break | ExplorerError:
        """A piece of an errand; an ExplorerError as a value where it cannot be found out. Raises Superseded."""
        try:
            if isinstance(errand, TryAll):
                return self.consequence(errand, number, stop)
            assert isinstance(errand, FindBreaks) and errand.wish is not None  # There is no other kind with pieces.
            return self.sentence(errand.wish, errand.sentences[number], stop)
        except ExplorerError as error:
            return error

    def consequence(self, errand: TryAll, number: int, stop: Stop) -> Consequence:
        """What one change does to the words of the unchanged translation, and to what the model says.

        Raises SlowToTry, TooLongToTry, ExplorerError, Superseded.
        """
        assert errand.unchanged is not None  # An errand with pieces has it.
        tried = errand.tries[number]
        if not errand.anyway:
            self._check_work(errand.unchanged)
        said = self._said(errand.unchanged, stop)
        without, with_it = self._log_p(tried.without, said, stop), self._log_p(tried.wish, said, stop)
        card = self._computer.card(errand.unchanged)
        expected = written(said.tokens, card.begin, card.end)
        ids, _measured = measured_words(said.tokens.source, said.tokens.target, expected)
        symbols = self._computer.symbols(errand.unchanged, said)
        first, second = (written_words(ids, symbols, each.tolist()) for each in (without, with_it))
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
        """What the changes of a Wish do to one sentence. Raises NothingChanged, ExplorerError, Superseded."""
        if not is_altered(wish):
            raise NothingChanged
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
        return self._kept(wish, lambda: self._computer.says(wish, stop))

    def _log_p(self, wish: Wish, sentence: Sentence, stop: Stop) -> LogP:
        """[word] log p of the words of a sentence by the model of a Wish (nats)."""
        return self._kept((wish, sentence.tokens), lambda: self._computer.log_p(wish, sentence, stop))

    def _kept(self, key: object, make: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = make()
            if len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]  # type: ignore[return-value]  # It is what `make` has made.

    def _check_work(self, wish: Wish) -> None:
        """Raises SlowToTry where one change takes longer than a second, TooLongToTry for a long text."""
        n_tokens = self._computer.n_tokens(wish)
        # Two passes over the unchanged words, and a decoding of about as many tokens in each sentence of the beam.
        work = (2 + wish.beam) * pass_work(self._computer.card(wish), n_tokens)
        if work > _LONG_WORK:
            raise SlowToTry(seconds=work / _WORK_OF_A_SECOND)
