"""What the model of a training was at its snapshots: each is opened as the preset that it is, and records one pass."""

import attrs

from explorer.engine.errand import ReadMoments
from explorer.engine.errands.saying import Saying
from explorer.engine.passes.lender import Lender
from explorer.engine.sources.source import silent
from explorer.engine.sources.sources import Sources
from explorer.errors import ExplorerError, bare
from explorer.runs.snapshots import moment_name
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.moments import ModelMoment

_WEIGHTS = ".weights"


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
        answer = Saying(self._sources).says(wish, stop).target if wish.writes else ""
        forced = attrs.evolve(wish, target=errand.target or answer) if wish.writes else wish
        taps = frozenset(tap for tap in self._sources.of(forced).taps(forced.config) if tap.endswith(_WEIGHTS))
        return ModelMoment(step, answer, Lender(self._sources).make_pass(forced, taps, stop, silent))
