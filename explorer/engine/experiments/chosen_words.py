"""The words of a pass that an experiment asks about: one place of the output, or all of them."""

from typing import Self

import attrs
from torch import Tensor

from explorer.engine.experiments.bench import fetched
from explorer.engine.experiments.inquiry import Inquiry


@attrs.frozen(eq=False)
class Chosen:
    """The words of a pass that are asked about: the one at the position in focus, or all of them for -1.

    `places` and `ids` are those of the words, and `log_p` is the sum of their log-probabilities (nats).
    """

    places: list[int]
    ids: list[int]
    words: tuple[str, ...]
    log_p: Tensor

    @property
    def position(self) -> int:
        """The place of the one word, -1 for all of them."""
        return self.places[0] if len(self.places) == 1 else -1

    @classmethod
    def of(cls, inquiry: Inquiry, logits: Tensor) -> Self:
        """The chosen words of a pass with these logits [position, vocab]; where no words are expected, the likeliest ones."""
        ids = list(inquiry.expected) or fetched(logits.argmax(dim=-1)).tolist()
        at, last = inquiry.focus.position, len(ids) - 1
        places = list(range(len(ids))) if at < 0 else [min(at, last)]
        chosen = [ids[place] for place in places]
        return cls(places, chosen, tuple(map(inquiry.symbol, chosen)), _sum(logits, places, chosen))

    def within(self, logits: Tensor) -> Tensor:
        """The sum of the log-probabilities of the same words in another pass."""
        return _sum(logits, self.places, self.ids)


def _sum(logits: Tensor, places: list[int], ids: list[int]) -> Tensor:
    # y = Σ log p(w)
    return logits.log_softmax(dim=-1)[places, ids].sum()
