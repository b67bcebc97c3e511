"""The kinds of Picture that show how a sentence was decoded: the steps, and what beam search tried."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.picture import Caption, Picture
from explorer.picture.scales import Scale
from explorer.trace.arrays import Array
from explorer.trace.word_groups import Groups


@attrs.frozen(kw_only=True)
class Branch:
    """One token that beam search tried.

    `node` is its number in the Search, `parent` the index of its parent among the branches (-1: the beginning). `log_p` is
    the token's own log-probability, `total` the sentence's so far, both in nats.

    `state` is "best" on the path of the best sentence, "kept" on that of another finished one, "dropped" where the beam
    gave up, "forced" where the user chose the token, "closed" where it would repeat an n-gram. `rank` counts finished
    sentences from 1; it is 0 inside a sentence.
    """

    node: int
    parent: int
    label: str
    log_p: float
    total: float
    state: str
    rank: int = 0


@attrs.frozen(kw_only=True)
class Tree(Picture):
    """All tokens that were tried; parents come before children. A score is log P / length^length_penalty.

    `told_as` is the section of the texts that speak of it: "tree" for beam search, "tree_written" for continuations.
    """

    branches: tuple[Branch, ...]
    caption: Caption
    length_penalty: float = 1.0
    told_as: str = "tree"


@attrs.frozen(kw_only=True, eq=False)
class Timeline(Picture):
    """The steps of decoding [step]: the symbol written at each and its probability. `chosen` is the step looked at.

    `log_p` is in nats; `ranks` count from 1 among all `n_symbols` symbols. Where nothing was expected of the model, both
    are missing and the probabilities are NaN. Step i is token i + `shift` of the `side`.

    Where words are shown, `groups` has the steps of each, and `pieces` their texts and probabilities; the word's own is their
    product, and its rank is 0, which means that it has none.
    """

    labels: tuple[str, ...]
    probabilities: Array
    chosen: int
    caption: Caption
    log_p: NDArray[np.float64] | None = None
    ranks: tuple[int, ...] = ()
    n_symbols: int = 0
    side: str = ""
    shift: int = 0
    scale: Scale = attrs.field(default=Scale(0.0, 1.0, "cividis"))
    alike: bool = False  # whether the steps after the chosen one look like those before it
    told: tuple[str, ...] = ()  # what is said of each step; () for the usual sentence
    groups: Groups = ()
    pieces: tuple[tuple[tuple[str, float], ...], ...] = ()

    def steps(self, index: int) -> tuple[int, ...]:
        """The steps of a chip: itself, or those of a word."""
        return self.groups[index] if self.groups else (index,)

    def tokens(self, index: int) -> frozenset[tuple[str, int]]:
        """Side and position of the tokens of a chip."""
        return frozenset((self.side, step + self.shift) for step in self.steps(index))
