"""What of a river somebody points at."""

import attrs

from explorer.state.look import Look


@attrs.frozen
class Place:
    """A place of the river.

    `kind` says which fields count: "token" (`side`, `index`: a token and its lane), "pair" (`attention`, `layer`, `query`,
    `key`), "head" (`attention`, `layer`, `head`), "block" (`attention` or "encoder.feed_forward", `layer`), "candidate"
    (`index`: its rank), "vector" (`side`, `index`, and as `head` which of its three columns: the vector, the position, or
    their sum), "waves", "scroll" (`side`: the bar that stands for a whole sentence), "excerpt" (`side`, `index`, `end`: the
    tokens that shall have lanes; an end of 0 is the end of the sentence), "bands" (`side`: what bands shall show),
    "pool" (`side`: what shall stand for the heads, one of state.look.ALIGNED), "words" (lanes shall be words, or tokens again).
    """

    kind: str
    side: str = ""
    index: int = 0
    attention: str = ""
    layer: int = 0
    head: int = 0
    query: int = 0
    key: int = 0
    end: int = 0

    def is_focus(self, look: Look) -> bool:
        """Whether it is, or lies in, the block that is looked at."""
        return self.attention == look.attention and self.layer == look.layer
