"""What patching found: how far single numbers of another sentence's pass bring that sentence's answer back.

A is the sentence on screen, B the other one. At a step, A's pass writes the word w_A and B's pass the word w_B. With

    Δ = log p(w_B) − log p(w_A)        (nats)

a patch recovers (Δ_patched − Δ_A) / (Δ_B − Δ_A): 0 if the answer stays A's, 1 if it is B's.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Any

import attrs
import numpy as np

from explorer.errors import CannotAlign
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.choices import PATCHED
from explorer.trace.notebook_display import drawn_results
from explorer.trace.tabular import Columns, Tables, Tabular, cells, joined

LEAST = 0.05  # nats; where Δ_B and Δ_A are closer, no share of their difference means anything.
Pairs = tuple[tuple[int, int], ...]


@attrs.frozen
class PatchedStep:
    """One step at which both passes write a word: its position in A and in B, both words, and Δ of both passes (nats).

    A word is an id and its text.
    """

    position: int
    other_position: int
    word: tuple[int, str]
    other_word: tuple[int, str]
    gap: float
    other_gap: float

    @property
    def measurable(self) -> bool:
        """Whether the two answers differ, so that a share of the way from one to the other means something."""
        return abs(self.other_gap - self.gap) >= LEAST


@attrs.frozen(eq=False)
class PatchedMap:
    """What single patches in one side of the model recover, [tap, position, step], or [tap, head, position, step] of heads.

    Positions are A's. NaN where A's token has no partner in B, or where a step is not measurable.
    """

    side: str  # "encoder" or "decoder"
    kind: str  # one of `choices.PATCHED`
    taps: tuple[str, ...]
    recovered: Array


@attrs.frozen(eq=False)
class Patching(Tabular):
    """The maps of all sides and kinds, with the tokens of both texts and the pairs of positions (A, B) by side.

    `target` and `other_target` are the translations as texts.
    """

    maps: tuple[PatchedMap, ...]
    steps: tuple[PatchedStep, ...]
    tokens: dict[str, tuple[Token, ...]]
    other_tokens: dict[str, tuple[Token, ...]]
    pairs: dict[str, Pairs]
    other_text: str
    target: str = ""
    other_target: str = ""

    def tables(self) -> Tables:
        """`stream`, `head`, `feed_forward`: a row for each tap, (head,) position and step, with what the patch recovers."""
        return {kind: partial(self._rows, kind) for kind in PATCHED if any(each.kind == kind for each in self.maps)}

    def _rows(self, kind: str) -> Columns:
        steps = [step.position for step in self.steps]
        heads: dict[str, None] = {"head": None} if kind == "head" else {}
        return joined(
            [
                cells({"recovered": each.recovered}, tap=each.taps, **heads, position=None, step=steps)
                for each in self.maps
                if each.kind == kind
            ]
        )

    def _repr_html_(self) -> str | None:
        """The maps of the first step where both answers differ; None where they never do, so that the lines are shown."""
        return None if self.first_step() is None else drawn_results(self)

    def map(self, side: str, kind: str) -> PatchedMap | None:
        """The map of a side and kind; None where the model has no such side, or too many heads."""
        return next((each for each in self.maps if (each.side, each.kind) == (side, kind)), None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that have maps on every side; a large model's heads have none."""
        sides = {each.side for each in self.maps}
        return tuple(kind for kind in PATCHED if all(self.map(side, kind) is not None for side in sides))

    def first_step(self) -> int | None:
        """The index of the first step at which the two answers differ; None where they never do."""
        return next((n for n, step in enumerate(self.steps) if step.measurable), None)

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has; NaN becomes None."""
        sides = self.pairs
        return {
            "other": self.other_text,
            "target": self.target,
            "other_target": self.other_target,
            "tokens": {side: [token.text for token in self.tokens[side]] for side in sides},
            "other_tokens": {side: [token.text for token in self.other_tokens[side]] for side in sides},
            "pairs": {side: [list(pair) for pair in pairs] for side, pairs in sides.items()},
            "steps": [
                {
                    "position": step.position,
                    "other_position": step.other_position,
                    "word": step.word[1],
                    "other_word": step.other_word[1],
                    "gap": step.gap,
                    "other_gap": step.other_gap,
                }
                for step in self.steps
            ],
            "maps": [
                {"side": each.side, "kind": each.kind, "taps": list(each.taps), "recovered": _listed(each.recovered)}
                for each in self.maps
            ],
        }


def _listed(values: Array) -> list[Any]:
    """The numbers in nested lists, with None for NaN, which JSON does not have."""
    told = values.astype(object)
    told[np.isnan(values)] = None
    listed: list[Any] = told.tolist()
    return listed


def recovered(gaps: Array, steps: Sequence[PatchedStep]) -> Array:
    """[…, step] what patches with these Δ (nats) recover; NaN at steps that are not measurable."""
    first = np.array([step.gap for step in steps], np.float64)
    span = np.array([step.other_gap - step.gap if step.measurable else np.nan for step in steps], np.float64)
    # recovered = (Δ_patched − Δ_A) / (Δ_B − Δ_A)
    made: Array = ((gaps - first) / span).astype(np.float32)
    return made


def aligned(first: Sequence[str], second: Sequence[str]) -> Pairs:
    """Which position of the first text takes from which of the second.

    Texts of one length are aligned by place. Otherwise equal tokens are aligned, in their order, and between them stretches
    of one length by place. Raises CannotAlign where the texts have no token in common.
    """
    if len(first) == len(second):
        return tuple((place, place) for place in range(len(first)))
    matcher = SequenceMatcher(None, list(first), list(second), autojunk=False)
    pairs: list[tuple[int, int]] = []
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag == "equal" or (tag == "replace" and a_end - a == b_end - b):
            pairs += zip(range(a, a_end), range(b, b_end), strict=True)
    if not any(first[one] == second[two] for one, two in pairs):
        raise CannotAlign(first=len(first), second=len(second))
    return tuple(pairs)
