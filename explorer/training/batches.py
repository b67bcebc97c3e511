"""Sentences of like length in one batch, in an order that follows from the seed and the epoch alone."""

import random
from collections.abc import Sequence

import attrs
import torch
from torch import Tensor

from explorer.model.ids import padded
from explorer.tokens.vocabulary import BEGIN, END, PAD

_SORTED_TOGETHER = 100  # batches: enough that lengths are alike, few enough that batches differ from epoch to epoch

Word = tuple[tuple[int, ...], ...]
"""The ways to write one source word in ids: whole, then, if it has more than one, in its characters."""


@attrs.frozen
class Example:
    """A sentence pair in ids; the target without begin and end. `has_stop`: the source ends with a full stop."""

    source: tuple[Word, ...]
    target: tuple[int, ...]
    has_stop: bool = False

    @property
    def longest(self) -> int:
        """How many places the longer side may take: all words in characters, the begin symbol before the target."""
        return max(sum(len(word[-1]) for word in self.source), len(self.target) + 1)

    def source_ids(self, split_words: float, drop_stop: float, chance: random.Random) -> tuple[int, ...]:
        """The source's ids, each word cut into its characters and a full stop left out with these probabilities."""
        words = self.source[:-1] if self.has_stop and chance.random() < drop_stop else self.source
        return tuple(
            each for word in words for each in (word[1] if len(word) > 1 and chance.random() < split_words else word[0])
        )


@attrs.frozen
class Batch:
    """[batch, position] ids, padded; `lengths` [batch] are the source's. What goes in begins, what is expected ends."""

    source: Tensor
    lengths: Tensor
    given: Tensor
    expected: Tensor

    def to(self, device: torch.device) -> "Batch":
        """The batch on another device."""
        return Batch(*(getattr(self, field.name).to(device) for field in attrs.fields(Batch)))


def make_batch(sources: Sequence[tuple[int, ...]], targets: Sequence[tuple[int, ...]]) -> Batch:
    """Pad rows of ids to a batch."""
    return Batch(
        source=padded(sources, PAD),
        lengths=torch.tensor([len(row) for row in sources]),
        given=padded([(BEGIN, *row) for row in targets], PAD),
        expected=padded([(*row, END) for row in targets], PAD),
    )


def batch_plan(lengths: Sequence[tuple[int, int]], batch_tokens: int, chance: random.Random) -> list[list[int]]:
    """Rows of each batch, by the (source, target) lengths of all rows, in random order.

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
    for row in rows:  # sorted: each row is the longest so far
        room = batch_tokens // (lengths[row][1] + 1)
        if batches and len(batches[-1]) < room:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches
