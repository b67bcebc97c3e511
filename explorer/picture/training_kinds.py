"""The kinds of Picture that show a training: curves over its steps, and what heads and answers were at its snapshots.

All lie on one axis of steps, on which the snapshots are evenly spaced; `steps` are those of the snapshots, rising.
"""

from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.axis import Axis
from explorer.picture.picture import Caption, Picture
from explorer.picture.scales import Scale
from explorer.trace.arrays import Array

Numbers = NDArray[np.float64]
CurveKind = Literal["training", "validation", "other", "measure"]
"""What a curve is of: steps of the training, the validation examples, another training, or a measure of a head."""


@attrs.frozen(eq=False)
class StepCurve:
    """One curve: `values` [place] at the rising `at` [place], which are steps. A value that is not finite has no place."""

    name: str
    at: Numbers
    values: Numbers
    kind: CurveKind = "training"


@attrs.frozen(kw_only=True, eq=False)
class StepCurves(Picture):
    """Curves of a training over its steps. `shown` is the step whose weights are looked at, None where there is none.

    Of a curve of kind "training" each step is a hairline, and the mean over the steps nearby a line. `logarithmic` values are
    drawn on a scale of powers. `unit` stands beside the highest value. `marks` name what happened at a step.
    """

    curves: tuple[StepCurve, ...]
    steps: tuple[int, ...]
    shown: int | None
    unit: str
    caption: Caption
    logarithmic: bool = False
    marks: tuple[tuple[int, str], ...] = ()


@attrs.frozen(eq=False)
class Strip:
    """One head of an attention at each snapshot: `maps` [snapshot, query, key]. `labels` say which pattern appeared when."""

    attention: str
    layer: int
    head: int
    maps: Array
    labels: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The head as everywhere in the program."""
        return f"L{self.layer} H{self.head}"


@attrs.frozen(kw_only=True, eq=False)
class HeadDiary(Picture):
    """A strip of small maps for each head, a map for each snapshot. `chosen` is the strip that the reader has chosen.

    `rows` are the queries and `columns` the keys of every map.
    """

    strips: tuple[Strip, ...]
    rows: Axis
    columns: Axis
    scale: Scale
    steps: tuple[int, ...]
    shown: int | None
    chosen: int
    caption: Caption


@attrs.frozen(kw_only=True, eq=False)
class Answers(Picture):
    """What the model answered at each snapshot; `right` [snapshot] is None where nobody knows the right answer."""

    answers: tuple[str, ...]
    right: tuple[bool | None, ...]
    steps: tuple[int, ...]
    shown: int | None
    caption: Caption
