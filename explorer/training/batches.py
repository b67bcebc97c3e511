"""Batches of sentences of similar length. The seed and the epoch alone decide their order."""

import random
from collections.abc import Sequence
from typing import Protocol

import attrs
import torch
from torch import Tensor

from explorer.model.ids import padded
from explorer.tokens.vocabulary import BEGIN, END, PAD

# Sort this many batches by length together: enough for similar lengths, few enough for new batches in each epoch.
_SORTED_TOGETHER = 100

Ids = tuple[int, ...]
Word = tuple[Ids, ...]
"""The ways to encode one source word in ids: first as a whole, then in its characters if it has more than one."""


@attrs.frozen
class BatchRow:
    """One row of a batch in ids: the source, the decoder's input, and the next token at each of its positions."""

    source: Ids
    given: Ids
    expected: Ids


class Example(Protocol):
    """What a model learns from: it gives rows of batches, with whatever is drawn anew each time."""

    @property
    def longest(self) -> int:
        """The greatest number of ids that a side may have."""

    @property
    def lengths(self) -> tuple[int, int]:
        """The room in a batch: of the source, and of the target."""

    def row(self, split_words: float, drop_stop: float, rng: random.Random, /) -> BatchRow:
        """A row of a batch."""

    def again(self, row: BatchRow, split_words: float, drop_stop: float, rng: random.Random, /) -> BatchRow:
        """The second row for R-Drop, beside `row`."""


@attrs.frozen
class PairExample:
    """A sentence pair in ids; the target has no begin and end tokens. `has_stop`: the source ends with a full stop."""

    source: tuple[Word, ...]
    target: Ids
    has_stop: bool = False

    @property
    def longest(self) -> int:
        """The greatest length of the longer side: with all words in characters, and the begin symbol before the target."""
        return max(sum(len(word[-1]) for word in self.source), len(self.target) + 1)

    @property
    def lengths(self) -> tuple[int, int]:
        """The room that the pair takes in a batch: the numbers of source words and of target ids."""
        return len(self.source), len(self.target)

    def source_ids(self, split_words: float, drop_stop: float, rng: random.Random) -> Ids:
        """The ids of the source. Each word is split into characters, and a full stop is dropped, with these probabilities."""
        words = self.source[:-1] if self.has_stop and rng.random() < drop_stop else self.source
        return tuple(each for word in words for each in (word[1] if len(word) > 1 and rng.random() < split_words else word[0]))

    def row(self, split_words: float, drop_stop: float, rng: random.Random) -> BatchRow:
        """The pair as a row of a batch, with a source drawn by `source_ids`."""
        return paired(self.source_ids(split_words, drop_stop, rng), self.target)

    def again(self, _row: BatchRow, split_words: float, drop_stop: float, rng: random.Random) -> BatchRow:
        """The second row of this pair for R-Drop: its source is drawn anew."""
        return self.row(split_words, drop_stop, rng)


@attrs.frozen
class TextExample:
    """A sentence of one language in ids, for a decoder-only model.

    Decision: no begin token precedes the sentence, because the program feeds a model the typed text and nothing else. So the
    first token is given and never predicted.
    """

    words: tuple[Word, ...]
    has_stop: bool = False

    @property
    def longest(self) -> int:
        """The greatest length: with all words in characters."""
        return sum(len(word[-1]) for word in self.words)

    @property
    def lengths(self) -> tuple[int, int]:
        """The room that the sentence takes in a batch: no source, and the ids after the first one."""
        return 0, sum(len(word[0]) for word in self.words) - 1

    def row(self, split_words: float, drop_stop: float, rng: random.Random) -> BatchRow:
        """The sentence as a row of a batch; its words are split as those of a source are."""
        ids = PairExample(self.words, (), self.has_stop).source_ids(split_words, drop_stop, rng)
        return BatchRow((), ids, (*ids[1:], END))

    def whole(self) -> BatchRow:
        """The sentence as a row in which all known words are whole."""
        return self.row(0.0, 0.0, random.Random(0))

    def again(self, row: BatchRow, _split_words: float, _drop_stop: float, _rng: random.Random) -> BatchRow:
        """The second row for R-Drop: the same one, because both must expect the same tokens."""
        return row


@attrs.frozen
class Batch:
    """Padded ids [batch, position]; `lengths` [batch] are those of the sources. Without sources, both are None.

    `given` is the decoder's input, `expected` the next token at each of its positions. For a masked language model,
    `expected` holds the original token at each masked position, and PAD elsewhere.
    """

    source: Tensor | None
    lengths: Tensor | None
    given: Tensor
    expected: Tensor

    def to(self, device: torch.device) -> "Batch":
        """The batch on another device."""
        source, lengths = (None if part is None else part.to(device) for part in (self.source, self.lengths))
        return Batch(source, lengths, self.given.to(device), self.expected.to(device))


def paired(source: Ids, target: Ids) -> BatchRow:
    """The row of a pair: the decoder reads the begin token and the target, and expects the target and the end token."""
    return BatchRow(source, (BEGIN, *target), (*target, END))


def make_batch(sources: Sequence[Ids], targets: Sequence[Ids]) -> Batch:
    """A batch of padded pairs of ids."""
    return batch_of([paired(source, target) for source, target in zip(sources, targets, strict=True)])


def batch_of(rows: Sequence[BatchRow]) -> Batch:
    """A batch of padded rows, of which all or none have a source."""
    sources = [row.source for row in rows]
    return Batch(
        source=padded(sources, PAD) if any(sources) else None,
        lengths=torch.tensor([len(source) for source in sources]) if any(sources) else None,
        given=padded([row.given for row in rows], PAD),
        expected=padded([row.expected for row in rows], PAD),
    )


def batch_plan(lengths: Sequence[tuple[int, int]], batch_tokens: int, rng: random.Random) -> list[list[int]]:
    """The rows of each batch, chosen by the (source, target) lengths of all rows. The order of batches is random.

    A batch has as many rows as fit into `batch_tokens` when padded to its longest target, and at least one.
    """
    order = list(range(len(lengths)))
    rng.shuffle(order)
    mean = sum(target for _source, target in lengths) / max(1, len(lengths))
    window = max(1, round(_SORTED_TOGETHER * batch_tokens / mean))
    plan: list[list[int]] = []
    for start in range(0, len(order), window):
        near = sorted(order[start : start + window], key=lambda row: lengths[row][::-1])
        plan += _filled(near, lengths, batch_tokens)
    rng.shuffle(plan)
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
