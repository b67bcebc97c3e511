"""What a tap means to a reader: a Stage. Titles and short names stand in the language files under `stage.<key>`."""

import re
from functools import lru_cache
from typing import Literal

import attrs

from explorer.trace.tap_names import without_place

Range = Literal["signed", "unit"]
"""signed: drawn on a zero-centred scale. unit: 0 to 1, drawn on one fixed scale."""


@attrs.frozen
class Stage:
    """`key` names it in the texts, `order` is its place in the flow, `formula` is rich text in the field's letters.

    A `plain` one has no texts: its key is the name of a tap that nothing is known of.
    """

    key: str
    order: int
    range: Range
    formula: str
    plain: bool = False


_STAGES = (
    ("embedding.tokens", "signed", "E[id]"),
    ("embedding.scaled", "signed", "E[id] · √d<sub>model</sub>"),
    ("embedding.positions", "signed", "PE(pos, 2i) = sin(pos / base<sup>2i/d</sup>)"),
    ("embedding.output", "signed", "x = E[id] · √d<sub>model</sub> + PE"),
    ("attention.query", "signed", "Q = x W<sub>Q</sub>"),
    ("attention.key", "signed", "K = x W<sub>K</sub>"),
    ("attention.value", "signed", "V = x W<sub>V</sub>"),
    ("attention.scores", "signed", "S = Q K<sup>T</sup>"),
    ("attention.scaled", "signed", "S / √d<sub>head</sub>"),
    ("attention.masked", "signed", "S / √d<sub>head</sub> + M"),
    ("attention.weights", "unit", "A = softmax(Q K<sup>T</sup> / √d<sub>head</sub> + M)"),
    ("attention.dropped", "unit", "dropout(A)"),
    ("attention.mixed", "signed", "A V"),
    ("attention.output", "signed", "concat(A V) W<sub>O</sub>"),
    ("feed_forward.hidden", "signed", "x W<sub>1</sub> + b<sub>1</sub>"),
    ("feed_forward.activated", "signed", "f(x W<sub>1</sub> + b<sub>1</sub>)"),
    ("feed_forward.output", "signed", "f(x W<sub>1</sub> + b<sub>1</sub>) W<sub>2</sub> + b<sub>2</sub>"),
    ("norm", "signed", "(x − μ) / σ · γ + β"),
    ("residual", "signed", "x + f(x)"),
    ("generator.logits", "signed", "x W + b"),
    ("generator.probabilities", "unit", "softmax(x W + b)"),
)
STAGES: tuple[Stage, ...] = tuple(
    Stage(key, order, range_, formula)  # type: ignore[arg-type]  # the table's words are those of Range
    for order, (key, range_, formula) in enumerate(_STAGES)
)
_BY_KEY = {stage.key: stage for stage in STAGES}

SINUSOIDS = {
    "sinusoidal": "PE(pos, 2i) = sin(pos / base<sup>2i/d</sup>)",
    "sinusoidal-doubled": "PE(pos, j) = sin, cos(pos / base<sup>2j/d</sup>)",
    "sinusoidal-halved": "PE(pos, 2i) = sin(pos / base<sup>i/d</sup>)",
    "sinusoidal-per-feature": "PE(pos, j) = sin, cos(pos / base<sup>j/d</sup>)",
    "sine-only": "PE(pos, j) = sin(pos / base<sup>j/d</sup>)",
}
"""The formula of each kind of positions that adds waves."""


@lru_cache(maxsize=4096)  # asked for some thirty names at each keystroke
def stage_of(tap: str) -> Stage:
    """The Stage of a tap: "decoder.layers.3.cross_attn.weights" is "attention.weights", "…norm2" is "norm".

    A tap of a name that is not known here gets a plain Stage: it comes last, is signed, has no formula, and its title is the
    tap's own name.
    """
    rest = without_place(tap)
    key = re.sub(r"^(?:self|cross)_attn\.", "attention.", rest)
    known = _BY_KEY.get(re.sub(r"^(norm|residual)\d$", r"\1", key))
    return known or Stage(rest, len(STAGES), "signed", "", plain=True)
