"""What is inside a block of the river that was opened: every step of one head, or of the feed-forward network."""

import attrs

from explorer.picture.kinds import Closed
from explorer.trace.arrays import Array


@attrs.frozen(eq=False)
class OpenedHead:
    """One head of an attention, step by step. Vaswani et al. 2017, figure 2.

    `read` [query, feature] is what the attention reads, None where it was not recorded; `read_from` says what gave it out: a
    "layer" norm, an "rms" norm, or the "stream" with no norm in front of the block. `query` [query, feature], `key` and
    `value` [key, feature], `mixed` [query, feature] and `output` [query, feature] are vectors; `scores`, `masked` and `weights`
    are [query, key], closed cells NaN. Scores were divided by `divisor`; `biased` says that a distance was added to them too.
    """

    read: Array | None
    query: Array
    key: Array
    value: Array
    scores: Array
    masked: Array
    weights: Array
    mixed: Array
    output: Array
    divisor: float
    biased: bool
    closed: Closed | None
    read_from: str = "layer"


@attrs.frozen(eq=False)
class OpenedNetwork:
    """The feed-forward network: what it reads, the hidden units before and after the activation, and what it adds.

    All are [position, feature]; `read` is None where it was not recorded, and `read_from` as in OpenedHead.
    """

    read: Array | None
    hidden: Array
    activated: Array
    output: Array
    activation: str
    read_from: str = "layer"


Opened = OpenedHead | OpenedNetwork
