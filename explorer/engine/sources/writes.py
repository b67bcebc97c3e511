"""The further methods of a ModelSource whose model can go on with a text: steps with a KV cache, end symbols, and its words."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from torch import Tensor

from explorer.engine.decoding.incremental import Incremental
from explorer.engine.sources.source import Model, ModelSource, Row
from explorer.foreign.model import Foreign
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish


class WritingSteps(Protocol):
    """A decoder that is given further ids at each step and keeps the keys and values of all earlier ones."""

    def extend(self, ids: Tensor) -> Tensor:
        """The next ids [batch 1, position] to the logits of the id after each of them [batch 1, position, vocab]."""


@runtime_checkable
class Writes(ModelSource, Protocol):
    """A ModelSource whose model can go on with a text."""

    def to_go_on_with(self, wish: Wish, row: Row) -> Row:
        """The tokens of a text that the model shall go on with; () if it is no language model."""

    def steps(self, model: Model) -> WritingSteps:
        """The steps of a model that has read nothing yet. It is called inside a recording."""

    def ends(self, wish: Wish) -> frozenset[int]:
        """The ids that end a text."""

    def said(self, wish: Wish, ids: Sequence[int], after: Sequence[int]) -> str:
        """The text of the ids that stand `after` others."""


class ForeignSteps:
    """The steps of a foreign model, with its own cache. `memory` is the output of its encoder, if it has one."""

    def __init__(self, foreign: Foreign, memory: object = None) -> None:
        self._foreign, self._memory, self._cache = foreign, memory, None

    def extend(self, ids: Tensor) -> Tensor:
        """The logits after each of the further ids."""
        logits, self._cache = self._foreign.extend(ids, self._cache, self._memory)
        return logits


class OwnSteps:
    """The steps of a decoder-only model of our own."""

    def __init__(self, model: Transformer) -> None:
        self._generator, self._steps = model.generator, Incremental(model, None)

    def extend(self, ids: Tensor) -> Tensor:
        """The logits after each of the further ids, through the generator's taps."""
        logits: Tensor = self._generator.logits(self._steps.extend(ids))
        self._generator.probabilities(logits.softmax(dim=-1))
        return logits
