"""Batches of sentences of similar length, in an order that follows from the seed and the epoch alone."""

import random
from collections.abc import Sequence

import attrs
import torch
from torch import Tensor

from explorer.model.ids import padded
from explorer.tokens.vocabulary import BEGIN, END, PAD

# So many batches are sorted by length together: enough for similar lengths, few enough for new batches in each epoch.
_SORTED_TOGETHER = 100

Word = tuple[tuple[int, ...], ...]
"""The ways to write one source word in ids: first as a whole, then in its characters if it has more than one."""


@attrs.frozen
class Example:
    """A sentence pair in ids; the target has no begin and end symbols. `has_stop`: the source ends with a full stop."""

    source: tuple[Word, ...]
    target: tuple[int, ...]
    has_stop: bool = False

    @property
    def longest(self) -> int:
        """The greatest length of the longer side: with all words in characters, and the begin symbol before the target."""
        return max(sum(len(word[-1]) for word in self.source), len(self.target) + 1)

    def source_ids(self, split_words: float, drop_stop: float, chance: random.Random) -> tuple[int, ...]:
        """The ids of the source. Each word is cut into characters, and a full stop is left out, with these probabilities."""
        words = self.source[:-1] if self.has_stop and chance.random() < drop_stop else self.source
        return tuple(
            each for word in words for each in (word[1] if len(word) > 1 and chance.random() < split_words else word[0])
        )


@attrs.frozen
class Batch:
    """Padded ids [batch, position]; `lengths` [batch] are those of the sources.

    `given` is the target with the begin symbol, which the decoder reads; `expected` is the target with the end symbol.
    """

    source: Tensor
    lengths: Tensor
    given: Tensor
    expected: Tensor

    def to(self, device: torch.device) -> "Batch":
        """The batch on another device."""
        return Batch(*(getattr(self, field.name).to(device) for field in attrs.fields(Batch)))


def make_batch(sources: Sequence[tuple[int, ...]], targets: Sequence[tuple[int, ...]]) -> Batch:
    """A batch of padded rows of ids."""
    return Batch(
        source=padded(sources, PAD),
        lengths=torch.tensor([len(row) for row in sources]),
        given=padded([(BEGIN, *row) for row in targets], PAD),
        expected=padded([(*row, END) for row in targets], PAD),
    )


def batch_plan(lengths: Sequence[tuple[int, int]], batch_tokens: int, chance: random.Random) -> list[list[int]]:
    """The rows of each batch, chosen by the (source, target) lengths of all rows. The order of batches is random.

    A batch has as many rows as fit into `batch_tokens` when padded to its longest target, and at least one.
    """
    order = list(range(len(lengths)))
    chance.shuffle(order)
    mean = sum(target for _source, target in lengths) / max(1, len(lengths))
    window = max(1, round(_SORTED_TOGETHER * batch_tokens / mean))
    plan: list[list[int]] = []
    for start in range(0, len(order), window):
        near = sorted(order[start : start + window], key=lambda row: lengths[row][::-1])
        plan += _filled(near, lengths, batch_tokens)
    chance.shuffle(plan)
    return plan


def _filled(rows: list[int], lengths: Sequence[tuple[int, int]], batch_tokens: int) -> list[list[int]]:
    batches: list[list[int]] = []
    for row in rows:  # The rows are sorted, so each row is the longest so far.
        room = batch_tokens // (lengths[row][1] + 1)
        if batches and len(batches[-1]) < room:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches
