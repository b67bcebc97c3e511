"""Beam search over a batch of sentences, each with its tree of what was tried. Sutskever et al. 2014, section 3.2.

At each step every kept sentence is continued by every symbol, and the `beam` best continuations are kept. A sentence that ends
leaves the beam. The search is over when `beam` sentences have ended and none that goes on has a better score than the best
of them: a model of few symbols that is sure of its words meets so many unlikely ends before the right one.

Under `no_repeat_ngram` a token that would repeat an n-gram of its sentence is closed: it stands in the tree with the
model's own probability, and the next best is kept in its place. The end symbol closes nothing and is never closed.

Decision: torch's `topk` finds the best words of a row in 18 µs. Rejected: NumPy, because five times the largest take 43.
"""

import math
from collections.abc import Callable, Sequence

import attrs
import torch
from torch import Tensor

from explorer.engine.decoding.incremental import Incremental
from explorer.errors import TooLong
from explorer.model import masks
from explorer.model.ids import padded
from explorer.model.transformer import Transformer
from explorer.tokens.vocabulary import BEGIN, END, PAD, UNKNOWN
from explorer.trace.search_tree import Node, Search

NEVER_SAID = (PAD, UNKNOWN, BEGIN)
"""The symbols that a translation never has."""
_MORE_TOKENS = 20

Ids = tuple[int, ...]


@attrs.frozen(kw_only=True)
class Decoding:
    """How to search. `prefix` has the ids with which the target shall begin; `length_penalty` favours longer sentences.

    A translation never has `no_repeat_ngram` ids in a row twice, if that is not 0. `whole` makes each step a pass over all
    tokens that are written so far, because hooks of the model need to see them all.
    """

    beam: int = 1
    length_penalty: float = 1.0
    prefix: Ids = ()
    no_repeat_ngram: int = 0
    whole: bool = False


def longest(n_source: int, config_limit: int) -> int:
    """How many tokens the translation of a source of `n_source` tokens may have."""
    return min(2 * n_source + _MORE_TOKENS, config_limit - 1)


def likeliest(logits: Tensor) -> list[int]:
    """The id with the largest of the logits [row, vocab] of each row, the first of several that are alike.

    On the processor NumPy finds it: torch takes 50 µs for four rows of ten thousand symbols, NumPy 3.
    """
    ids: list[int] = (logits.numpy() if logits.device.type == "cpu" else logits).argmax(-1).tolist()
    return ids


def closed_ids(ids: Sequence[int], n: int) -> frozenset[int]:
    """The ids after which the last `n` ids would be some that stand together in `ids` already; none where `n` is 0."""
    if not 0 < n <= len(ids):
        return frozenset()
    if n == 1:
        return frozenset(ids)
    last, begun = ids[-1], ids[len(ids) - n + 1 :]
    # Most ids are not the last one again, and a comparison of ids takes a fifth of one of slices.
    ends = (at for at in range(n - 2, len(ids) - 1) if ids[at] == last)
    return frozenset(ids[at + 1] for at in ends if ids[at - n + 2 : at + 1] == begun)


def check_prefix(limit: int, decoding: Decoding) -> None:
    """Check the prefix. Raises TooLong for one that leaves no room for another of the `limit` tokens that a model can read."""
    if len(decoding.prefix) + 1 > limit - 1:
        raise TooLong(limit=limit, got=len(decoding.prefix) + 2)  # The begin symbol and one more token are counted.


@torch.inference_mode()
def search(
    model: Transformer, sources: Sequence[Ids], decoding: Decoding, check: Callable[[], None] = lambda: None
) -> list[Search]:
    """The search trees of a batch of source ids, one for each sentence.

    `check` is called before each step and may raise an error to end the work. Raises TooLong for a prefix that leaves no room
    for another token.
    """
    limit = model.config.max_len
    check_prefix(limit, decoding)
    device = next(model.parameters()).device
    ids = padded(sources, PAD).to(device)
    lengths = torch.tensor([len(row) for row in sources], device=device)
    real = None if len(set(map(len, sources))) == 1 else masks.padding(lengths, ids.shape[1])
    steps = Incremental(model, model.encode(ids, real), real, whole=decoding.whole)
    beams = [Beam(longest(len(row), limit), decoding) for row in sources]
    given = torch.full((len(sources),), BEGIN, device=device)
    live = list(range(len(sources)))  # These sentences are not done yet.
    while live:
        check()
        log_p = steps.step(given).log_softmax(dim=-1)  # [row, vocab]
        rows: list[int] = []
        chosen: list[int] = []
        start = 0
        candidates = Candidates(log_p, decoding.beam)
        for sentence in live:
            beam = beams[sentence]
            count = beam.size
            before, following = beam.advance(candidates, start)
            rows += before
            chosen += following
            start += count
        live = [sentence for sentence in live if not beams[sentence].done]
        if live and rows != list(range(len(given))):
            steps.select(torch.tensor(rows, device=device))
        given = torch.tensor(chosen, device=device)
    return [beam.result() for beam in beams]


class Candidates:
    """The best continuations of each row, fetched from the device in one transfer."""

    def __init__(self, log_p: Tensor, beam: int) -> None:
        self._log_p, self._count = log_p, beam + 1
        # Symbols that are never said may be among the best, so as many more are fetched.
        top = log_p.topk(min(self._count + len(NEVER_SAID), log_p.shape[1]), dim=-1)
        self._values, self._ids = top.values.tolist(), top.indices.tolist()

    def of(self, row: int, closed: frozenset[int] = frozenset()) -> list[tuple[float, int]]:
        """log P and id of the best symbols after this row, the best first.

        Without those that are `closed` they are one more than the width of the beam.
        """
        values, ids = self._values[row], self._ids[row]
        if closed:
            top = self._log_p[row].topk(min(len(ids) + len(closed), self._log_p.shape[1]))
            values, ids = top.values.tolist(), top.indices.tolist()
        said = [(log_p, id_) for log_p, id_ in zip(values, ids, strict=True) if id_ not in NEVER_SAID]
        n_closed = sum(id_ in closed for _log_p, id_ in said)
        return said[: self._count + n_closed]

    def forced(self, row: int, id_: int) -> float:
        """log P of the symbol `id_` after this row."""
        return self._log_p[row, id_].item()


class Beam:
    """The search for the translation of one sentence: its tree, and the nodes from which it goes on."""

    def __init__(self, limit: int, decoding: Decoding) -> None:
        self.limit, self._decoding = max(limit, len(decoding.prefix) + 1), decoding
        self._nodes: list[Node] = []
        self._live = [-1]
        self._ended: list[int] = []
        self._length = 0
        self.done = False

    @property
    def size(self) -> int:
        """How many rows of the batch belong to this sentence."""
        return len(self._live)

    def advance(self, candidates: Candidates, start: int) -> tuple[list[int], list[int]]:
        """Take one step; `start` is the first of this sentence's rows. Returns the rows to go on from and the next ids."""
        prefix = self._decoding.prefix
        if self._length < len(prefix):
            return self._forced(prefix[self._length], candidates, start)
        closed = [self._closed_after(node) for node in self._live]
        found = [
            (self._total(node) + log_p, log_p, row, id_)
            for row, node in enumerate(self._live)
            for log_p, id_ in candidates.of(start + row, closed[row])
        ]
        found.sort(key=lambda each: -each[0])
        parents = self._live
        self._live, rows, ids = [], [], []
        self._length += 1
        rank = 0
        for total, log_p, row, id_ in found:
            if id_ in closed[row]:
                self._nodes.append(Node(parents[row], id_, log_p, total, closed=True))
                continue
            rank += 1
            if id_ == END and rank > self._decoding.beam:
                continue
            self._nodes.append(Node(parents[row], id_, log_p, total))
            if id_ == END:
                self._ended.append(len(self._nodes) - 1)
                continue
            self._live.append(len(self._nodes) - 1)
            rows.append(start + row)
            ids.append(id_)
            if len(self._live) == self._decoding.beam:
                break
        enough = len(self._ended) >= self._decoding.beam and not self._leads()
        self.done = self._length >= self.limit or enough or not self._live
        return ([], []) if self.done else (rows, ids)

    def _closed_after(self, node: int) -> frozenset[int]:
        if not self._decoding.no_repeat_ngram:
            return frozenset()
        ids: list[int] = []
        while node >= 0:
            ids.append(self._nodes[node].id)
            node = self._nodes[node].parent
        return closed_ids(ids[::-1], self._decoding.no_repeat_ngram)

    def _leads(self) -> bool:
        """Whether a sentence that goes on is better so far than all that have ended."""
        score = Search(tuple(self._nodes), (), self._decoding.beam, self._decoding.length_penalty).score
        return max(map(score, self._live), default=-math.inf) > max(map(score, self._ended))

    def _forced(self, id_: int, candidates: Candidates, start: int) -> tuple[list[int], list[int]]:
        log_p = candidates.forced(start, id_)
        self._nodes.append(Node(self._live[0], id_, log_p, self._total(self._live[0]) + log_p, forced=True))
        self._live = [len(self._nodes) - 1]
        self._length += 1
        if id_ == END:
            self._ended, self._live, self.done = self._live, [], True
            return [], []
        return [start], [id_]

    def _total(self, node: int) -> float:
        return 0.0 if node < 0 else self._nodes[node].total

    def result(self) -> Search:
        """The tree with the best translation first; those that reached the greatest length without an end come last."""
        made = Search(tuple(self._nodes), (), self._decoding.beam, self._decoding.length_penalty)
        by_score = sorted(self._ended, key=made.score, reverse=True)
        unfinished = sorted(self._live, key=made.score, reverse=True) if self._length >= self.limit else []
        return attrs.evolve(made, ends=(*by_score, *unfinished))
