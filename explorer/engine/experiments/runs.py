"""Runs: passes of one model over one sentence, with as many rows as a batch has, or over several of the same lengths.

The model is one of ours or of others.

Of a model with both sides, the encoder's output can be made once and shared by the rows of all later batches.
"""

from typing import Any, Protocol

import attrs
import torch
from torch import Tensor
from torch.nn.functional import linear

from explorer.fast_ways import OF_WHOLE_PASSES, understands
from explorer.foreign.model import Foreign
from explorer.model.hooks import is_hooked
from explorer.model.transformer import Transformer
from explorer.trace.recorded_pass import Tokens

AnyModel = Transformer | Foreign
Places = slice | list[int]
EVERYWHERE = slice(None)


class Runs(Protocol):
    """Makes passes, which call the hooks of the model's taps."""

    def memory(self) -> Any:
        """What the encoder makes of the source, for `logits`; None for a model with one side."""

    def logits(self, n: int, memory: Any = None, places: Places = EVERYWHERE, symbols: list[int] | None = None) -> Tensor:
        """[batch n, place, vocab] the logits at these places of the output; of these symbols alone [batch n, place, symbol].

        Without `memory`, the source is encoded n times.
        """

    def whole(self) -> Tensor:
        """What the model itself gives out for the rows as they are, so that all its taps are reached."""


@attrs.frozen(eq=False)
class _OwnRuns:
    """Passes of our own model, whose parts are called one by one. They leave out the softmax over the vocabulary."""

    model: Transformer
    source: Tensor | None  # [batch 1, position]
    target: Tensor | None

    def memory(self) -> Tensor | None:
        both = self.source is not None and self.target is not None
        return self.model.encode(self.source) if both and self.source is not None else None

    def logits(
        self, n: int, memory: Tensor | None = None, places: Places = EVERYWHERE, symbols: list[int] | None = None
    ) -> Tensor:
        generator, output = self.model.generator, self._output(n, memory)[:, places]  # [batch, place, feature]
        project, is_known = generator.project, understands(self.model.config, OF_WHOLE_PASSES)
        if symbols is None or is_hooked(generator) or not is_known:
            made: Tensor = generator.logits_of(output) if is_known else generator(output)
            return made if symbols is None else made[..., symbols]
        # logits[v] = W[v]·x + b[v] for some thirty symbols; the product with all 6,000 took half of a batch's time.
        return linear(output, project.weight[symbols], None if project.bias is None else project.bias[symbols])

    def whole(self) -> Tensor:
        made: Tensor = self.model(self.source, self.target)
        return made

    def _output(self, n: int, memory: Tensor | None) -> Tensor:
        """[batch, position, feature] what the last stack gives out."""
        shared = None if memory is None else memory.expand(n, -1, -1)
        if shared is None and self.source is not None:
            shared = self.model.encode(self.source.expand(n, -1))
        if self.target is not None:
            return self.model.decode(self.target.expand(n, -1), shared)
        assert shared is not None  # A sentence has a source, a target or both.
        return shared


@attrs.frozen(eq=False)
class _ForeignRuns:
    """Passes of a model of others, which runs as a whole."""

    model: Foreign
    source: Tensor | None
    target: Tensor | None

    def memory(self) -> Any:
        both = self.source is not None and self.target is not None
        return self.model.encode(self.source) if both and self.source is not None else None

    def logits(self, n: int, memory: Any = None, places: Places = EVERYWHERE, symbols: list[int] | None = None) -> Tensor:
        source, target = (None if row is None else row.expand(n, -1) for row in (self.source, self.target))
        shared = None if memory is None else self.model.expanded(memory, n)
        made: Tensor = self.model.logits(source, target, shared)[:, places]
        return made if symbols is None else made[..., symbols]

    def whole(self) -> Tensor:
        made: Tensor = self.model(self.source, self.target)
        return made


def runs_of(model: AnyModel, *texts: Tokens) -> Runs:
    """The Runs of a model over these tokens; of several texts, all of the same lengths, each row of a batch has its own."""
    device = device_of(model)
    sides = [each.source for each in texts], [each.target for each in texts]
    source, target = (
        torch.tensor([[token.id for token in row] for row in rows], device=device) if rows[0] else None for rows in sides
    )
    return _ForeignRuns(model, source, target) if isinstance(model, Foreign) else _OwnRuns(model, source, target)


def device_of(model: AnyModel) -> torch.device:
    """Where a model's weights are."""
    return model.device if isinstance(model, Foreign) else next(model.parameters()).device
