"""What the model of a training was at its snapshots: each is opened as the preset that it is, and records one pass."""

import attrs

from explorer.engine.errand import ReadMoments
from explorer.engine.errands.saying import Saying
from explorer.engine.errands.writing import Writing
from explorer.engine.passes.lender import Lender
from explorer.engine.sources.source import silent
from explorer.engine.sources.sources import Sources
from explorer.errors import ExplorerError, bare
from explorer.runs.snapshots import moment_name
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.tokens.vocabulary import MASK
from explorer.trace.found.continuation import Sampling
from explorer.trace.moments import ModelMoment

_ENDS, _LOGITS = (".weights", ".masked"), "generator.logits"  # Masked scores say which cells are closed.
_MOST_TOKENS = 32  # of an answer that goes on with a text


class MomentReader:
    """Does the pieces of ReadMoments, with a model of its own, so that the model on screen stays as it is."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def piece(self, errand: ReadMoments, number: int, stop: Stop) -> ModelMoment | ExplorerError:
        """The model after one step; an ExplorerError as a value where it cannot be read. Raises Superseded."""
        try:
            return self._moment(errand, errand.steps[number], stop)
        except ExplorerError as error:
            return bare(error)

    def _moment(self, errand: ReadMoments, step: int, stop: Stop) -> ModelMoment:
        wish = Wish.from_preset(moment_name(errand.preset, step), errand.text)
        answer = self._answer(errand, wish, stop)
        forced = attrs.evolve(wish, target=errand.target or answer) if wish.writes else wish
        taps = frozenset(tap for tap in self._sources.of(forced).taps(forced.config) if tap.endswith(_ENDS))
        return ModelMoment(step, answer, Lender(self._sources).make_pass(forced, taps, stop, silent))

    def _answer(self, errand: ReadMoments, wish: Wish, stop: Stop) -> str:
        """What the model writes: the target, what comes after the text, or what it puts in the place of mask tokens."""
        asked = attrs.evolve(wish, text=errand.asked)
        if wish.writes:
            return Saying(self._sources).says(wish, stop).target
        if not errand.asked:
            return ""
        return self._filled_in(asked, stop) if wish.config.architecture == "encoder-only" else self._continued(asked, stop)

    def _continued(self, asked: Wish, stop: Stop) -> str:
        room = asked.config.max_len - Saying(self._sources).n_tokens(asked)
        if room < 1:
            return ""
        writing = Writing(self._sources, Lender(self._sources))
        return writing.continuation(asked, (), min(room, _MOST_TOKENS), Sampling(), stop, silent).text

    def _filled_in(self, asked: Wish, stop: Stop) -> str:
        trace = Lender(self._sources).make_pass(asked, frozenset({_LOGITS}), stop, silent)
        symbols = self._sources.of(asked).symbols(asked.config, trace.tokens)
        likeliest = trace[_LOGITS].argmax(axis=-1)  # [position]
        return "".join(
            symbols[found] for found, token in zip(likeliest, trace.tokens.source, strict=True) if token.text == MASK
        )
