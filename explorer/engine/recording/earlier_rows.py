"""The rows of the pass before: of a text with the same beginning, only the further rows are computed and recorded.

No row of a causal model depends on later tokens. Where a Change, a hook or a knob acts, or where the model cannot do so
(`GoesOn.parts_before`), the whole pass is made. The last pass is kept, which is the one on screen.
"""

from collections.abc import Hashable, Mapping

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.config import Config
from explorer.engine.model_version import model_version
from explorer.engine.recording.recorder import Recording
from explorer.engine.sources.source import GoesOn, Model, ModelSource, Sentence
from explorer.model.hooks import is_hooked
from explorer.trace.arrays import Arrays
from explorer.trace.trace import Trace

_ROWS = ("position", "query")


@attrs.frozen(eq=False)
class EarlierRows:
    """What a whole pass of a source recorded, by a `version` of its model.

    `config` has the knobs that acted on it, `ids` are the tokens that it read.
    """

    source: GoesOn
    version: Hashable
    config: Config
    ids: tuple[int, ...]
    arrays: Arrays

    def shared(self, source: object, model: Model, config: Config, sentence: Sentence) -> int:
        """How many tokens at the beginning have the same rows in a pass over this sentence. At least one row is left.

        The same text once more is a whole pass: to the last bit its numbers are those of the first one, whatever was looked
        at in between.
        """
        ids = _ids(sentence)
        if source is not self.source or config != self.config or ids == self.ids or model_version(model) != self.version:
            return 0
        most = max(0, min(len(self.ids), len(ids) - 1))
        return next((n for n in range(most) if self.ids[n] != ids[n]), most)

    def run(self, model: Model, sentence: Sentence, n: int) -> None:
        """Make a pass over the tokens behind the first `n`."""
        before: Mapping[str, Tensor] = {
            tap: torch.from_numpy(np.array(self.arrays[tap][None, :, :n])) for tap in self.source.parts_before(model)
        }  # [batch 1, head, position, feature]
        self.source.run_after(model, sentence, n, before)

    def followed_by(self, later: Recording, sentence: Sentence, n: int) -> Recording:
        """The recording of a whole pass, from the first `n` rows of this one and one of all rows behind them."""
        rows_at, n_new = {}, len(_ids(sentence)) - n
        for tap, axes in later.axes.items():
            at = next((place for place, axis in enumerate(axes) if axis in _ROWS), None)
            if at is not None and later.arrays.shape(tap)[at] == n_new:  # The taps of the attentions show all rows.
                rows_at[tap] = at
        return attrs.evolve(later, arrays=later.arrays.after(self.arrays, n, rows_at))


def can_go_on(source: ModelSource, model: Model) -> bool:
    """Whether further passes of this model may begin behind the rows of one that is made now, without Changes."""
    return isinstance(source, GoesOn) and bool(source.parts_before(model)) and not is_hooked(model)


def earlier_rows(source: ModelSource, model: Model, config: Config, sentence: Sentence, trace: Trace) -> EarlierRows:
    """What a pass without Changes has recorded, of a source that can go on."""
    assert isinstance(source, GoesOn) and isinstance(trace.arrays, Arrays)  # `can_go_on` has looked.
    return EarlierRows(source, model_version(model), config, _ids(sentence), trace.arrays)


def _ids(sentence: Sentence) -> tuple[int, ...]:
    """The ids of the one side of a causal model."""
    return tuple(token.id for token in sentence.tokens.target)
