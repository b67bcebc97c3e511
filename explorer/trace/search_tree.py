"""The search tree: which next tokens decoding tried, with their log-probabilities."""

import attrs

from explorer.tokens.vocabulary import END


@attrs.frozen
class Node:
    """One token that was tried after the node `parent` (-1 is the beginning of the sentence).

    `log_p` is log P(token | all tokens before), `total` is the sum of log_p from the beginning, both in nats. `forced` says
    that the token was given and not chosen by the search; `closed` that it would have been kept, but would have repeated
    as many tokens as the knob `no_repeat_ngram` says.
    """

    parent: int
    id: int
    log_p: float
    total: float
    forced: bool = False
    closed: bool = False


@attrs.frozen
class Search:
    """All nodes of one sentence; `ends` are the last nodes of the finished translations, the best first.

    Translations that reached the greatest length without an end symbol come after those that ended.
    """

    nodes: tuple[Node, ...]
    ends: tuple[int, ...]
    beam: int
    length_penalty: float

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes on the way from the beginning to this node, this one included."""
        found: list[int] = []
        while node >= 0:
            found.append(node)
            node = self.nodes[node].parent
        return tuple(reversed(found))

    def ids(self, node: int) -> tuple[int, ...]:
        """The ids on the way to this node, without the end symbol."""
        return tuple(self.nodes[each].id for each in self.path(node) if self.nodes[each].id != END)

    def score(self, node: int) -> float:
        """log P of the sentence up to this node, in nats, divided by its length to the power of the length penalty."""
        return score(self.nodes[node].total, len(self.path(node)), self.length_penalty)

    def closed_at(self, step: int) -> frozenset[int]:
        """The ids that were closed at a step of the best sentence."""
        path = self.path(self.ends[0])
        before = self.nodes[path[step]].parent if step < len(path) else None
        return frozenset(node.id for node in self.nodes if node.closed and node.parent == before)

    @property
    def best(self) -> tuple[int, ...]:
        """The ids of the best sentence."""
        return self.ids(self.ends[0])


def score(total: float, length: int, length_penalty: float) -> float:
    """log P / length^α, because log P alone always prefers shorter sentences. Wu et al. 2016, section 7, simplified."""
    return total / float(max(1, length) ** length_penalty)
