"""Does errands, piece by piece: which of them goes to whom, and what it is done with."""

from collections.abc import Sequence
from functools import partial

from explorer.engine.errand import (
    Brought,
    ComparePasses,
    CompareTexts,
    CompareVocabularies,
    CompareWeights,
    Errand,
    FindBreaks,
    HideEach,
    ListParameters,
    ListWeights,
    MeasureParameters,
    MeasureTaps,
    PrepareScript,
    ReadMoments,
    ReadParameter,
    WriteOn,
)
from explorer.engine.errands.moment_reader import MomentReader
from explorer.engine.errands.parameter_pieces import ParameterPieces
from explorer.engine.errands.rehearsal import Rehearsal, check_can_break
from explorer.engine.errands.saying import Saying
from explorer.engine.errands.script_parts import script_parts
from explorer.engine.errands.weight_changes import WeightPieces
from explorer.engine.errands.writing import Writing
from explorer.engine.passes.lender import Lender
from explorer.engine.sources.source import never, silent
from explorer.engine.sources.sources import Sources
from explorer.errors import ExplorerError
from explorer.presets import load_own_preset
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.found.consequences import Break, Breaks
from explorer.trace.found.difference import WordDifferences
from explorer.trace.found.differing import vocabulary_pair, word_differences
from explorer.trace.found.experiments import GRADIENTS
from explorer.trace.found.gradients import Gradients
from explorer.trace.measures.head_distance import HeadDistance, head_distance
from explorer.trace.measures.tap_figures import measured_taps
from explorer.trace.script_parts import ScriptParts


class Pieces:
    """Does the pieces of errands. Only one thread may use it at a time.

    A text is gone on with, and filled in, by the model on screen, because a second model of others may not fit into memory.
    Changes are tried by models of their own, so that the one on screen stays as it is. These have one thread: an errand must
    not take the window's processor, and on a busy machine two threads wait for each other. Taps that were recorded are
    measured without any model.
    """

    def __init__(self, sources: Sources, lender: Lender) -> None:
        self._sources = sources
        self.writing = Writing(sources, lender)
        self._parameters = ParameterPieces(sources)
        self._weights = WeightPieces(sources, partial(sources.beside, most_threads=1))
        # It refers to the sources alone and not to these Pieces, so that models are freed without Python's collector of cycles.
        self._rehearsal = Rehearsal(partial(_saying_beside, sources))
        self._moments = MomentReader(_sources_beside(sources))

    def do(self, errand: Errand, number: int, stop: Stop) -> Brought:
        """Do a piece of an errand. Raises Superseded."""
        if isinstance(errand, MeasureTaps):
            assert errand.trace is not None  # An errand with pieces has it.
            found = errand.trace.experiments.get(GRADIENTS.key)
            products = found.products if isinstance(found, Gradients) else {}
            return Brought(errand, number, measured_taps(errand.trace, errand.groups[number], stop, products))
        if isinstance(errand, ComparePasses):
            return Brought(errand, number, _compared(errand, number, stop))
        if isinstance(errand, CompareVocabularies):
            assert errand.trace is not None and errand.trace.compared_with is not None  # An errand with a piece has both.
            return Brought(errand, number, vocabulary_pair(errand.trace.compared_with, errand.trace))
        if isinstance(errand, ListWeights | CompareWeights):
            return Brought(errand, number, self._weights.piece(errand, number, stop))
        if isinstance(errand, PrepareScript):
            return Brought(errand, number, self._script_parts(errand, stop))
        if isinstance(errand, ListParameters | MeasureParameters | ReadParameter):
            return Brought(errand, number, self._parameters.piece(errand, number, stop))
        if isinstance(errand, ReadMoments):
            return Brought(errand, number, self._moments.piece(errand, number, stop))
        if isinstance(errand, WriteOn | HideEach | CompareTexts):
            return Brought(errand, number, self.writing.piece(errand, number, stop))
        return Brought(errand, number, self._rehearsal.piece(errand, number, stop))

    def breaks(self, wish: Wish, sentences: Sequence[str], stop: Stop = never, progress: Progress = silent) -> Breaks:
        """What the changes of a Wish do to many sentences, found out at once.

        Raises NothingChanged, WritesNothing, UnknownPreset, NotOwnModel, Superseded.
        """
        load_own_preset(wish.preset)
        check_can_break(wish)
        errand, found = FindBreaks(wish=wish, sentences=tuple(sentences)), Breaks()
        for number in range(errand.n_pieces):
            one = self._rehearsal.piece(errand, number, stop)
            found = found.with_one(one if isinstance(one, Break) else None)
            progress((number + 1) / errand.n_pieces)
        return found

    def _script_parts(self, errand: PrepareScript, stop: Stop) -> ScriptParts | ExplorerError:
        assert errand.wish is not None  # An errand with pieces has it.
        try:
            return script_parts(self._sources, errand.wish, errand.weights, stop)
        except ExplorerError as error:
            return error


def _sources_beside(sources: Sources) -> Sources:
    return sources.beside(most_threads=1)


def _saying_beside(sources: Sources) -> Saying:
    return Saying(_sources_beside(sources))


def _compared(errand: ComparePasses, number: int, stop: Stop) -> HeadDistance | WordDifferences | None:
    """How far the heads of a tap are apart, or at last the words; None where there are no words."""
    trace = errand.trace
    assert trace is not None and trace.compared_with is not None  # An errand with pieces has both.
    before = trace.compared_with
    if number == len(errand.taps):
        return word_differences(before, trace)
    tap = errand.taps[number]
    return head_distance(before[tap], trace[tap], stop)
