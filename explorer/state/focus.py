"""The Focus: the place of the pass that an experiment examines, and how far a long sweep goes.

Decision: pages name the place in a value of its own, which goes with the Request. Rejected: the Look in the Request, since
every turn of the Look would then ask for a new answer.
"""

import re
from typing import Self

import attrs

from explorer.errors import NoSuchPart

_HEAD = re.compile(r"((?:encoder|decoder)\.(?:self|cross)_attn)\.(\d{1,9})\.(\d{1,9})")


@attrs.frozen(kw_only=True)
class Focus:
    """The head whose cells are masked one by one; the step of the output and the rival of its word (-1: the likeliest);
    `tap`, the
    tensor that is set to zero; `without`, the part of the model that the sentence is translated without, one of
    `trace.found.without.PARTS`.

    `head_rows` and `edge_rows` say how many rows of a long sweep are computed exactly: of the heads' map the rows [attention
    and layer], of a head's cells the queries. 0 asks for all heads at once, and for the estimate of the cells.
    """

    attention: str = ""
    layer: int = 0
    head: int = 0
    position: int = -1
    rival: int = -1
    head_rows: int = 0
    edge_rows: int = 0
    without: str = ""
    tap: str = ""

    @classmethod
    def on_head(cls, head: str) -> Self:
        """The focus on a head such as "decoder.cross_attn.1.4": layer 1, head 4. Raises NoSuchPart."""
        found = _HEAD.fullmatch(head)
        if found is None:
            raise NoSuchPart(got=head[:80], part="decoder.cross_attn.1.4")
        return cls(attention=found[1], layer=int(found[2]), head=int(found[3]))

    @property
    def named(self) -> str:
        """The head as `on_head` reads it."""
        return f"{self.attention}.{self.layer}.{self.head}"


NOWHERE = Focus()
