"""What decoding tried: a tree of next tokens with their log-probabilities. Frozen, without torch."""

import attrs

from explorer.tokens.vocabulary import END


@attrs.frozen
class Node:
    """One token that was tried after its `parent` (-1: the beginning).

    `log_p` is log P(token | all before), `total` its sum from the beginning, both in nats. `forced` says
    that it was not the search's choice.
    """

    parent: int
    id: int
    log_p: float
    total: float
    forced: bool = False


@attrs.frozen
class Search:
    """All nodes of one sentence; `ends` are the last nodes of the finished sentences, best first.

    A sentence that reached the greatest length without an end stands behind those that ended.
    """

    nodes: tuple[Node, ...]
    ends: tuple[int, ...]
    beam: int
    length_penalty: float

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes from the beginning to this one."""
        found: list[int] = []
        while node >= 0:
            found.append(node)
            node = self.nodes[node].parent
        return tuple(reversed(found))

    def ids(self, node: int) -> tuple[int, ...]:
        """The ids on the way to this node, without the end symbol."""
        return tuple(self.nodes[each].id for each in self.path(node) if self.nodes[each].id != END)

    def score(self, node: int) -> float:
        """log P of the sentence up to this node, divided by its length to the power of the length penalty."""
        return score(self.nodes[node].total, len(self.path(node)), self.length_penalty)

    @property
    def best(self) -> tuple[int, ...]:
        """The ids of the best sentence."""
        return self.ids(self.ends[0])


def score(total: float, length: int, length_penalty: float) -> float:
    """log P / length^α, since a longer sentence always has the smaller probability. Wu et al. 2016, section 7, simplified."""
    return total / float(max(1, length) ** length_penalty)
