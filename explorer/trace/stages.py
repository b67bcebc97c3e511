"""Stages: what a tap means to a reader. Titles and short names stand in the language files under `stage.<key>`."""

import re
from typing import Literal

import attrs

from explorer.trace.tap_names import without_place

Range = Literal["signed", "unit"]
"""How the values of a Stage are drawn. signed: on a scale centred on zero. unit: on a fixed scale from 0 to 1."""

Width = Literal["d_model", "d_head", "d_ff", "keys", "vocab", "experts", "classes"]
"""How wide a row of the tensor is. Maps of all heads, "keys" wide, have a column for each token that can be looked at."""


@attrs.frozen
class Stage:
    """The meaning of a tap: its `key` in the language files, its place `order` in the flow, its `formula` as rich text.

    A `plain` Stage has no texts. It stands for an unknown tap, and its key is the tap's name.
    """

    key: str
    order: int
    range: Range
    formula: str
    width: Width = "d_model"
    plain: bool = False


_STAGES = (
    ("embedding.tokens", "signed", "d_model", "E[id]"),
    ("embedding.scaled", "signed", "d_model", "E[id] · √d<sub>model</sub>"),
    ("embedding.positions", "signed", "d_model", "PE(pos, 2i) = sin(pos / base<sup>2i/d</sup>)"),
    ("embedding.segments", "signed", "d_model", "S[segment]"),
    ("embedding.output", "signed", "d_model", "x = E[id] · √d<sub>model</sub> + PE"),
    ("attention.query", "signed", "d_head", "Q = x W<sub>Q</sub>"),
    ("attention.key", "signed", "d_head", "K = x W<sub>K</sub>"),
    ("attention.value", "signed", "d_head", "V = x W<sub>V</sub>"),
    ("attention.scores", "signed", "keys", "S = Q K<sup>T</sup>"),
    ("attention.scaled", "signed", "keys", "S / √d<sub>head</sub>"),
    ("attention.masked", "signed", "keys", "S / √d<sub>head</sub> + M"),
    ("attention.weights", "unit", "keys", "A = softmax(Q K<sup>T</sup> / √d<sub>head</sub> + M)"),
    ("attention.dropped", "unit", "keys", "dropout(A)"),
    ("attention.mixed", "signed", "d_head", "A V"),
    ("attention.output", "signed", "d_model", "concat(A V) W<sub>O</sub>"),
    ("attention.normed", "signed", "d_model", "norm(concat(A V) W<sub>O</sub>)"),
    ("other.output", "signed", "d_model", "f(x)"),
    ("feed_forward.routing", "unit", "experts", "r = softmax(x W<sub>R</sub>)"),
    ("feed_forward.chosen", "unit", "experts", "top<sub>k</sub>(r)"),
    ("feed_forward.gate", "signed", "d_ff", "x W<sub>G</sub>"),
    ("feed_forward.hidden", "signed", "d_ff", "x W<sub>1</sub> + b<sub>1</sub>"),
    ("feed_forward.activated", "signed", "d_ff", "f(x W<sub>1</sub> + b<sub>1</sub>)"),
    ("feed_forward.output", "signed", "d_model", "f(x W<sub>1</sub> + b<sub>1</sub>) W<sub>2</sub> + b<sub>2</sub>"),
    ("feed_forward.normed", "signed", "d_model", "norm(f(x W<sub>1</sub>) W<sub>2</sub>)"),
    ("norm", "signed", "d_model", "(x − μ) / σ · γ + β"),
    ("residual", "signed", "d_model", "x + f(x)"),
    ("generator.logits", "signed", "vocab", "x W + b"),
    ("generator.probabilities", "unit", "vocab", "softmax(x W + b)"),
    ("classifier.logits", "signed", "classes", "h W + b"),
    ("classifier.probabilities", "unit", "classes", "softmax(h W + b)"),
)
STAGES: tuple[Stage, ...] = tuple(
    Stage(key, order, range_, formula, width)  # type: ignore[arg-type]  # the table's words are those of Range and Width
    for order, (key, range_, width, formula) in enumerate(_STAGES)
)
_BY_KEY = {stage.key: stage for stage in STAGES}
_HEADS = ("head", "position", "feature")
_AXES = {
    **dict.fromkeys(("attention.query", "attention.key", "attention.value"), _HEADS),
    "attention.mixed": ("head", "query", "feature"),
    "attention.output": ("query", "feature"),
    "attention.normed": ("query", "feature"),
}
_AXES_OF_WIDTH = {
    "keys": ("head", "query", "key"),
    "vocab": ("position", "vocab"),
    "experts": ("position", "expert"),
    "classes": ("position", "class"),
}

SINUSOIDS = {
    "sinusoidal": "PE(pos, 2i) = sin(pos / base<sup>2i/d</sup>)",
    "sinusoidal-doubled": "PE(pos, j) = sin, cos(pos / base<sup>2j/d</sup>)",
    "sinusoidal-halved": "PE(pos, 2i) = sin(pos / base<sup>i/d</sup>)",
    "sinusoidal-per-feature": "PE(pos, j) = sin, cos(pos / base<sup>j/d</sup>)",
    "sine-only": "PE(pos, j) = sin(pos / base<sup>j/d</sup>)",
}
"""The formula of each kind of positions that adds waves."""


def stage_of(tap: str) -> Stage:
    """The Stage of a tap: "decoder.layers.3.cross_attn.weights" has "attention.weights", "…norm2" has "norm".

    An unknown tap gets a plain Stage: it comes last, is signed, has no formula, and its title is the tap's own name.
    """
    rest = without_place(tap)
    key = re.sub(r"^(?:self|cross)_attn\.", "attention.", rest)
    known = _BY_KEY.get(re.sub(r"^(norm|residual)\d$", r"\1", key))
    return known or Stage(rest, len(STAGES), "signed", "", plain=True)


def axes_of(tap: str) -> tuple[str, ...]:
    """The axes of a tap without the batch, as the table of taps has them; () for an unknown tap."""
    stage = stage_of(tap)
    if stage.plain:
        return ()
    return _AXES.get(stage.key) or _AXES_OF_WIDTH.get(stage.width, ("position", "feature"))
