"""What a change does to a translation before anybody switches it on, and to the translations of many sentences."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.tokens.vocabulary import END
from explorer.trace.arrays import Array
from explorer.trace.printed import printed
from explorer.trace.tabular import Tables, Tabular, listed

_BEGIN = "␣"  # a piece with this mark begins a word


@attrs.frozen(eq=False)
class Consequence:
    """What a change adds to a state of the model.

    `before` and `after` are the translations without and with it; both are "" where the model writes none. `words` are those
    of the unchanged translation, "" for its end, with their log-probabilities `log_p` and `log_p_after` [word] (nats) without
    and with the change. Every word is given the words before it from that one translation, so a word is the same everywhere.
    """

    words: tuple[str, ...]
    log_p: Array
    log_p_after: Array
    before: str
    after: str

    @property
    def differences(self) -> NDArray[np.float64]:
        """[word] Δ log p = log p with the change − log p without it (nats)."""
        with np.errstate(invalid="ignore"):  # The difference of two infinite values is NaN.
            made: NDArray[np.float64] = self.log_p_after.astype(np.float64) - self.log_p
        return made

    @property
    def largest(self) -> int:
        """The place of the word that is hit most; a NaN is hit more than any number."""
        return int(np.where(np.isnan(self.differences), np.inf, np.abs(self.differences)).argmax())


SURE = -0.35  # nats a word; both models must be at least as sure of their words, or a find means little
MOST_REPEATED = 0.1  # the largest share of words that a find may repeat


@attrs.frozen
class Break:
    """One sentence, its translation before and after a change, and how much the unchanged model objects to the new one.

    `score` is Σ_w log P_changed(w) − log P_unchanged(w) over the words w of `after` and its end (nats): large where the changed
    model is sure of what the unchanged one would not say. `sure_before` is the mean log p of the words of `before` by the
    unchanged model, `sure_after` that of the words of `after` by the changed one (nats a word piece). `repeated` is the share
    of the words of `after` that stand in it before.
    """

    source: str
    before: str
    after: str
    score: float
    sure_before: float
    sure_after: float
    repeated: float

    @property
    def changed(self) -> bool:
        """Whether the change gives another translation."""
        return self.before != self.after

    @property
    def kept(self) -> bool:
        """Whether this is worth showing: both models are sure, and the new translation is no loop."""
        sure = self.sure_before > SURE and self.sure_after > SURE
        return self.changed and sure and self.repeated <= MOST_REPEATED and math.isfinite(self.score)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, and whether it is kept."""
        return {**attrs.asdict(self), "changed": self.changed, "kept": self.kept}


@attrs.frozen
class Breaks(Tabular):
    """A search: all sentences that were tried, and how many could not be, since the change has no place in them."""

    tried: tuple[Break, ...] = ()
    left_out: int = 0

    def tables(self) -> Tables:
        """`sentences`: a row for each that was tried."""
        names = ("source", "before", "after", "changed", "kept", "score", "sure_before", "sure_after", "repeated")
        return {"sentences": partial(listed, self.tried, *names)}

    def __len__(self) -> int:
        return len(self.tried)

    @property
    def changed(self) -> int:
        """How many translations changed."""
        return sum(each.changed for each in self.tried)

    @property
    def share(self) -> float:
        """The share of translations that changed, the base rate that a find must be read with; NaN before the first one."""
        return self.changed / len(self.tried) if self.tried else math.nan

    @property
    def kept(self) -> tuple[Break, ...]:
        """The finds, the one first to which the unchanged model objects most."""
        return tuple(sorted((each for each in self.tried if each.kept), key=lambda each: -each.score))

    def with_one(self, one: Break | None) -> "Breaks":
        """The search after a further sentence; None could not be tried."""
        return Breaks((*self.tried, one), self.left_out) if one is not None else Breaks(self.tried, self.left_out + 1)

    def to_dict(self) -> dict[str, Any]:
        """The base rate, and the finds in their order."""
        rate = {"tried": len(self), "changed": self.changed, "share": self.share, "left_out": self.left_out}
        return {**rate, "kept": [each.to_dict() for each in self.kept]}

    def __repr__(self) -> str:
        """The base rate and at most eight finds."""
        head = f"{self.changed} of {len(self)} changed; {len(self.kept)} kept, picked by score:"
        finds = (f"{each.score:5.1f}  {each.source}  {each.before} → {each.after}" for each in self.kept[:8])
        return printed("\n".join((head, *finds)))


def repeated_share(text: str) -> float:
    """The share of words that stand before in the same text."""
    words = text.casefold().split()
    return 1 - len(set(words)) / len(words) if words else 0.0


def written_words(ids: Sequence[int], symbols: Sequence[str], log_p: Sequence[float]) -> list[tuple[str, float]]:
    """The words of these pieces, each with the sum of its pieces' log p (nats); the end symbol is the word "".

    A vocabulary without the mark has whole words, and nothing is joined.
    """
    pieces = ["" if each == END else symbols[each] if each < len(symbols) else f"#{each}" for each in ids]
    marked = any(piece.startswith(_BEGIN) for piece in pieces)
    made: list[tuple[str, float]] = []
    for piece, value in zip(pieces, log_p, strict=True):
        bare = piece.removeprefix(_BEGIN)
        goes_on = marked and bool(made) and bool(made[-1][0]) and piece == bare and any(map(str.isalnum, piece))
        if goes_on and made[-1][0][-1].isalnum():
            made[-1] = made[-1][0] + bare, made[-1][1] + value
        else:
            made.append((bare, value))
    return made
