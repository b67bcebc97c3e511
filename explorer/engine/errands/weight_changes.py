"""How far the weights of two models are apart, tensor by tensor; of LoRA adapters also what each adds, ΔW = s·B·A.

Rows are read where they lie, as those of a parameter are, and no second model is made for an adapter: its products are added to
the rows of the base in float64.
"""

import math
from collections.abc import Callable, Mapping

import attrs
import numpy as np

from explorer.engine.errand import CompareWeights, ListWeights
from explorer.engine.errands.parameter_pieces import ready_parameters
from explorer.engine.errands.parameters import AnyModel, parameters_of, rows_of
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.source import never
from explorer.engine.sources.sources import Sources
from explorer.errors import ExplorerError, bare
from explorer.foreign.adapter import Added
from explorer.state.wish import Wish
from explorer.stops import Stop, stop_at
from explorer.trace.found.difference import ParameterPair, ParameterPairs, Values, WeightDifference
from explorer.trace.found.parameters import slabs
from explorer.trace.measures.apart import TOLERANCE, ApartSums
from explorer.trace.model_card import ModelCard


@attrs.frozen(eq=False)
class Weighed:
    """A model whose weights are compared, its card, and by the name of a weight what an adapter adds to it."""

    model: AnyModel
    card: ModelCard
    added: Mapping[str, Added] = attrs.field(factory=dict)


def weighed(sources: Sources, wish: Wish, stop: Stop = never) -> Weighed:
    """The model of a Wish as it is compared: without its adapter, beside what this adds.

    Raises RecordedOnly, ExplorerError, Superseded.
    """
    source = sources.of(wish, stop)
    added = source.added_weights() if isinstance(source, ForeignModel) else {}
    model, card, _labels = ready_parameters(sources, attrs.evolve(wish, adapter=""), stop)
    return Weighed(model, card, added)


def paired(one: Weighed, other: Weighed) -> ParameterPairs:
    """The tensors of both models; of one model with adapters those that they change."""
    first, second = ({each.name: each for each in parameters_of(own.model, own.card).of("parameters")} for own in (one, other))
    names = dict.fromkeys((*first, *second))
    if one.model is other.model:
        names = {name: None for name in names if name in {**one.added, **other.added}}
    return ParameterPairs(tuple(ParameterPair(first.get(name), second.get(name)) for name in names))


def weight_difference(
    one: Weighed, other: Weighed, pair: ParameterPair, tolerance: float = TOLERANCE, stop: Stop = never
) -> WeightDifference:
    """How far a tensor of both models is apart. Raises BadWeights, Superseded."""
    first, second, name = pair.first, pair.second, pair.name
    shapes = (first.shape if first else (), second.shape if second else ())
    if first is None or second is None or first.shape != second.shape:
        return WeightDifference(name, shapes, None)
    sums, squares = ApartSums(tolerance), np.zeros(2)
    for number in range(first.n_matrices):
        rows = rows_of(one.model, one.card, first, number), rows_of(other.model, other.card, second, number)
        for start, end in slabs(first):
            stop_at(stop)
            base = [each.span(start, end).astype(np.float64) for each in rows]  # [row, column] of A and of B
            added = [_added(each.added.get(name), start, end) for each in (one, other)]
            # ‖ΔW‖² = Σ ΔW²
            squares += [float(np.vdot(each, each)) for each in added]
            sums.take(base[0] + added[0], base[1] + added[1])
    adapted = name in one.added or name in other.added
    norms = math.sqrt(squares[0]), math.sqrt(squares[1])
    return WeightDifference(name, shapes, sums.found, norms if adapted else None)


class WeightPieces:
    """Does the errands that compare the weights of two models. The other model is one of its own, but for those of others."""

    def __init__(self, sources: Sources, beside: Callable[[], Sources]) -> None:
        self._sources, self._beside = sources, beside
        self._others: Sources | None = None

    def piece(
        self, errand: ListWeights | CompareWeights, number: int, stop: Stop
    ) -> ParameterPairs | WeightDifference | ExplorerError:
        """What a piece finds out. The last one lets the other model go. Raises Superseded."""
        assert errand.wish is not None and errand.other is not None  # An errand with pieces has both.
        self._others = self._others or self._beside()
        try:
            # Between two pieces a pass may have put the adapter on: this takes it off again.
            one, other = weighed(self._others, errand.other, stop), weighed(self._sources, errand.wish, stop)
            if isinstance(errand, ListWeights):
                return paired(one, other)
            found = weight_difference(one, other, errand.pairs[number], stop=stop)
        except ExplorerError as error:
            self._others = None
            return bare(error)
        if number + 1 == errand.n_pieces:
            self._others = None
        return found


def _added(added: Added | None, first: int, end: int) -> Values:
    """[row, column] what an adapter adds to some rows; a single zero without one."""
    return np.zeros(1) if added is None else added.span(first, end).numpy()
