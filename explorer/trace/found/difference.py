"""Where two models, or two recorded passes, differ: at which tap, in which heads, at which tokens and in which weights.

A is the first of the two and B the second; every difference is B − A. The values here are made in `trace.found.differing` and,
of weights, by the engine.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.found.parameters import Parameter
from explorer.trace.measures.apart import TOLERANCE, Apart
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import Tokens
from explorer.trace.tabular import Columns, Tables, Tabular

Values = NDArray[np.float64]
_LAYER = re.compile(r"(?<=\.)\d+(?=\.)")
_OF_WEIGHTS = {name: name for name in ("layer", "matrix", "added_a", "added_b")}
_SHOWN = 3  # rows of each kind in a `repr`


@attrs.frozen
class TapDifference:
    """A tap of both passes. `shapes` are those of A and B; a tap that one pass lacks has the shape () there.

    `apart` is how far B is from A, None where the shapes differ or where one array was not kept.
    """

    tap: str
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    apart: Apart | None

    @property
    def differs(self) -> bool:
        """Whether the passes differ here: in the shape, or beyond the tolerance at some place."""
        return self.shapes[0] != self.shapes[1] if self.apart is None else self.apart.beyond > 0


@attrs.frozen(eq=False)
class HeadDifferences:
    """How far the attention maps of all heads of an attention are from those of the other pass, [layer, head].

    `distance` is the mean over the queries of the total variation distance of two rows, ½ Σ_k |B[q,k] − A[q,k]|: 0 where the
    maps are equal, 1 where no query looks at any token at which it looked before. `entropy` is what B adds to the mean entropy
    of a row, in bits. Both are NaN where one of the passes has no such map, or one of another shape.
    """

    attention: str
    distance: Values
    entropy: Values


@attrs.frozen(eq=False)
class WordDifferences:
    """log p [word] (nats) of the words that both models predict at the same places, after the same tokens.

    `first` and `second` are those of A and B; NaN behind the first token in which the texts differ.
    """

    words: tuple[str, ...]
    first: Values
    second: Values

    @property
    def differences(self) -> Values:
        """[word] Δ log p = log p_B − log p_A (nats)."""
        with np.errstate(invalid="ignore"):  # The difference of two infinite values is NaN.
            made: Values = self.second - self.first
        return made

    @property
    def by_difference(self) -> tuple[int, ...]:
        """The places of the words that both predict, the one that changed most first."""
        away = np.abs(self.differences)
        order = np.argsort(-away, kind="stable").tolist()  # NaN comes last.
        return tuple(n for n in order if np.isfinite(away[n]))


@attrs.frozen
class VocabularyPair:
    """Two vocabularies beside each other: how many tokens each has, how many both have, and which tokens of the text only one
    has.
    """

    sizes: tuple[int, int]
    shared: int
    only: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def same(self) -> bool:
        """Whether both have the same tokens."""
        return self.sizes[0] == self.sizes[1] == self.shared


@attrs.frozen
class ParameterPair:
    """A tensor of weights as both models have it; None where one of them has none of this name."""

    first: Parameter | None
    second: Parameter | None

    @property
    def name(self) -> str:
        """Its name in the model that has it."""
        return "".join(each.name for each in (self.first or self.second,) if each is not None)


@attrs.frozen
class ParameterPairs:
    """The tensors of weights that can differ between two models, those of the second one alone last."""

    pairs: tuple[ParameterPair, ...]


@attrs.frozen
class WeightDifference:
    """A tensor of weights of both models. `shapes` are those of A and B; () where one of them has no such tensor.

    `apart` is how far B is from A, with ‖ΔW‖ as its `norm` and ‖W_A‖ as its `of`; None where the shapes differ. `added` are the
    norms of what the adapters of A and of B add, ‖ΔW_A‖ and ‖ΔW_B‖ (Frobenius), 0 of a side without one; None where neither has
    any here. Of two adapters of one base, the `norm` is ‖ΔW_B − ΔW_A‖.
    """

    name: str
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    apart: Apart | None
    added: tuple[float, float] | None = None

    @property
    def differs(self) -> bool:
        """Whether the weights differ: in the shape, or beyond the tolerance at some place."""
        return self.apart is None or self.apart.beyond > 0

    @property
    def added_a(self) -> float:
        """‖ΔW_A‖ of A's adapter; NaN where no adapter adds anything."""
        return math.nan if self.added is None else self.added[0]

    @property
    def added_b(self) -> float:
        """‖ΔW_B‖ of B's adapter; NaN where no adapter adds anything."""
        return math.nan if self.added is None else self.added[1]

    @property
    def layer(self) -> int | None:
        """The layer of the tensor, the first number in its name; None for one outside the layers."""
        found = _LAYER.search(self.name)
        return None if found is None else int(found[0])

    @property
    def matrix(self) -> str:
        """The name with a star in place of the layer: one matrix of every layer."""
        return _LAYER.sub("*", self.name, count=1)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Difference(Tabular):
    """What differs between A and B, which are called by `names`.

    `taps` stand in the order of computation. `tokens` are those of both passes, `heads` by attention how far the maps are
    apart, and `words` what both predict; None where there is no such output. `weights` are the tensors of both models in the
    order of A, None where one side is a recording. `vocabularies` is None where one of them is not known. `base` is the model
    that adapters were put on, "" where it is A or B.

    The two differ where tokens differ, a tap, or a weight, by more than the tolerance: |B − A| > tolerance · max(1, |A|). A tap
    that only one of them has counts where all were recorded.
    """

    names: tuple[str, str]
    tolerance: float = TOLERANCE
    tokens: tuple[Tokens, Tokens] | None = None
    taps: tuple[TapDifference, ...] = ()
    recorded_whole: bool = True
    heads: Mapping[str, HeadDifferences] = attrs.field(factory=dict)
    words: WordDifferences | None = None
    weights: tuple[WeightDifference, ...] | None = None
    vocabularies: VocabularyPair | None = None
    base: str = ""

    @property
    def agree(self) -> bool:
        """Whether A and B differ nowhere."""
        nothing = self.tokens is not None and not any(all(tap.shapes) for tap in self.taps)
        weights = any(each.differs for each in self.weights or ())
        return not (nothing or self.first or weights or self.other_tokens)

    @property
    def other_tokens(self) -> bool:
        """Whether the two passes read other tokens."""
        return self.tokens is not None and any(one != two for one, two in zip(*map(_texts, self.tokens), strict=True))

    @property
    def first(self) -> TapDifference | None:
        """The first tap in the order of computation at which the passes differ; None where they agree."""
        return next((tap for tap in self.taps if self._counts(tap) and tap.differs), None)

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The taps of both passes that a long text left no room for in one of them."""
        return tuple(tap.tap for tap in self.taps if tap.apart is None and tap.shapes[0] == tap.shapes[1])

    def _counts(self, tap: TapDifference) -> bool:
        return all(tap.shapes) or self.recorded_whole

    @property
    def heads_by_distance(self) -> tuple[tuple[str, int, int], ...]:
        """Attention, layer and head of every head that both passes have, the one that changed most first."""
        found = [
            (-float(each.distance[layer, head]), place, layer, head)
            for place, each in enumerate(self.heads.values())
            for layer, head in np.argwhere(np.isfinite(each.distance)).tolist()
        ]
        names = tuple(self.heads)
        return tuple((names[place], layer, head) for _distance, place, layer, head in sorted(found))

    def tables(self) -> Tables:
        """`taps`, `heads` (the one that changed most first), `words`, `tokens`, `weights`: a row for each."""
        return {
            "taps": self._tap_rows,
            "heads": self._head_rows,
            "words": self._word_rows,
            "tokens": self._token_rows,
            "weights": partial(_rows, "name", self.weights or (), **_OF_WEIGHTS),
        }

    def _tap_rows(self) -> Columns:
        return _rows("tap", self.taps)

    def _head_rows(self) -> Columns:
        rows = self.heads_by_distance
        return {
            "attention": [attention for attention, _layer, _head in rows],
            "layer": [layer for _attention, layer, _head in rows],
            "head": [head for _attention, _layer, head in rows],
            "distance": [float(self.heads[name].distance[layer, head]) for name, layer, head in rows],
            "entropy": [float(self.heads[name].entropy[layer, head]) for name, layer, head in rows],
        }

    def _word_rows(self) -> Columns:
        found = self.words or WordDifferences((), np.zeros(0), np.zeros(0))
        return {
            "word": list(found.words),
            "log_p_a": found.first.tolist(),
            "log_p_b": found.second.tolist(),
            "difference": found.differences.tolist(),
        }

    def _token_rows(self) -> Columns:
        sides = ("a", "b") if self.tokens is not None else ()
        rows = [
            (which, side, place, token)
            for which, tokens in zip(sides, self.tokens or (), strict=True)
            for side in ("source", "target")
            for place, token in enumerate(getattr(tokens, side))
        ]
        return {
            "of": [row[0] for row in rows],
            "side": [row[1] for row in rows],
            "position": [row[2] for row in rows],
            "text": [row[3].text for row in rows],
            "id": [row[3].id for row in rows],
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has; None stands for what is no number, "inf" for infinity."""
        first, pair = self.first, self.vocabularies
        return {
            "a": self.names[0],
            "b": self.names[1],
            "base": self.base,
            "tolerance": self.tolerance,
            "agree": self.agree,
            "first": None if first is None else first.tap,
            "other_tokens": self.other_tokens,
            "vocabularies": None if pair is None else attrs.asdict(pair) | {"same": pair.same},
            **{name: _records(self.columns(name)) for name in self.tables() if name != "weights"},
            "weights": None if self.weights is None else _records(self.columns("weights")),
        }

    def __repr__(self) -> str:
        """At most ten lines: whether and where they differ, the heads and words that changed most, the largest ‖ΔW‖ / ‖W‖."""
        a, b = self.names
        lines = [f"<Difference of {a} (A) and {b} (B): {'they agree' if self.agree else 'they differ'}"]
        if self.first is not None:
            lines.append(f"  first at {self.first.tap}: {_apart_text(self.first)}")
        if self.heads_by_distance:
            told = (
                f"{name} L{layer} H{head} {self.heads[name].distance[layer, head]:.3g}"
                for name, layer, head in self.heads_by_distance[:_SHOWN]
            )
            lines.append(f"  heads: {', '.join(told)}")
        if self.words is not None and self.words.by_difference:
            told = (f"{self.words.words[n]} {self.words.differences[n]:+.3g}" for n in self.words.by_difference[:_SHOWN])
            lines.append(f"  Δ log p: {', '.join(told)}")
        most = sorted((each for each in self.weights or () if each.apart), key=_relative, reverse=True)[:_SHOWN]
        if most:
            lines.append(f"  ‖ΔW‖ / ‖W‖: {', '.join(f'{each.name} {_relative(each):.3g}' for each in most)}")
        return printed("\n".join(lines)) + ">"


def _relative(weight: WeightDifference) -> float:
    return weight.apart.relative if weight.apart else 0.0


def _apart_text(tap: TapDifference) -> str:
    if tap.apart is None:
        return " ≠ ".join(str(list(shape)) for shape in tap.shapes)
    return f"max |Δ| {tap.apart.largest:.3g}, relative error {tap.apart.relative:.3g}"


def _texts(tokens: Tokens) -> tuple[str, ...]:
    """All that was read, with a mark between the sides."""
    return (*(token.text for token in tokens.source), "", *(token.text for token in tokens.target))


def _rows(kind: str, found: Sequence[TapDifference] | Sequence[WeightDifference], **more: str) -> Columns:
    """A row for each tap or tensor; `more` are further columns and the attributes that they are made of."""
    none = Apart(math.nan, math.nan, math.nan, 0, 0)
    aparts = [each.apart or none for each in found]
    columns: dict[str, list[Any]] = {kind: [getattr(each, kind) for each in found]}
    columns |= {column: [getattr(each, name) for each in found] for column, name in more.items()}
    return columns | {
        "differs": [each.differs for each in found],
        "largest": [each.largest for each in aparts],
        "relative": [each.relative for each in aparts],
        "norm": [each.norm for each in aparts],
        "norm_a": [each.of for each in aparts],
        "beyond": [each.beyond for each in aparts],
        "shape_a": [list(each.shapes[0]) for each in found],
        "shape_b": [list(each.shapes[1]) for each in found],
    }


def _records(columns: Columns) -> list[dict[str, Any]]:
    """The rows of a table, each by the names of its columns."""
    return [dict(zip(columns, map(_json, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def _json(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
