"""The Focus: what experiments are about that look at one place of the pass, and how far a long sweep shall go.

Decision: pages name the place in a value of its own, which goes with the Request. Rejected: the Look in the Request, since
every turn of the Look would then ask for a new answer.
"""

from collections.abc import Hashable

import attrs

FOCUSED = frozenset({"edges", "effects_exact", "costs"})
"""The experiments that depend on the Focus."""


@attrs.frozen(kw_only=True)
class Focus:
    """The head whose cells are closed one by one; the step of the output and the rival of its word (-1: the likeliest).

    `head_rows` and `edge_rows` say how many rows of a long sweep shall be exact: of the heads' map the rows [attention and
    layer], of a head's cells the queries. 0 asks for all heads at once, and for the estimate of the cells.
    """

    attention: str = ""
    layer: int = 0
    head: int = 0
    position: int = -1
    rival: int = -1
    head_rows: int = 0
    edge_rows: int = 0

    def place(self, experiment: str) -> Hashable:
        """What of it an experiment depends on, without how far it shall go."""
        places: dict[str, Hashable] = {"edges": (self.attention, self.layer, self.head), "costs": (self.position, self.rival)}
        return places.get(experiment)


NOWHERE = Focus()
