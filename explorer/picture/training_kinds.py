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
    """One curve: `values` [place] at the rising `at` [place], which are steps. A value that is not finite has no place.

    `told` are words about single places of it: one of its steps with what is said there.
    """

    name: str
    at: Numbers
    values: Numbers
    kind: CurveKind = "training"
    told: tuple[tuple[int, str], ...] = ()

    @property
    def lost(self) -> int | None:
        """The first step whose value is not finite; None where all are."""
        bad = np.flatnonzero(~np.isfinite(self.values))
        return int(self.at[bad[0]]) if len(bad) else None

    def value(self, step: float) -> tuple[int, float] | None:
        """The step of the curve that is nearest to a step, and the value there; None for a curve without values."""
        if not len(self.at):
            return None
        place = int(np.abs(self.at - step).argmin())
        return int(self.at[place]), float(self.values[place])


@attrs.frozen(kw_only=True, eq=False)
class StepCurves(Picture):
    """Curves of a training over its steps. `shown` is the step whose weights are looked at, None where there is none.

    Of a curve of kind "training" each step is a hairline, and the mean over the steps nearby a line. `logarithmic` values are
    drawn on a scale of powers. `unit` stands above the values, which reach up to `most` where that is not 0. `threshold` is a
    value with a line across, `marks` name what happened at a step.
    """

    curves: tuple[StepCurve, ...]
    steps: tuple[int, ...]
    shown: int | None
    unit: str
    caption: Caption
    logarithmic: bool = False
    most: float = 0.0
    threshold: float | None = None
    marks: tuple[tuple[int, str], ...] = ()


@attrs.frozen(eq=False)
class Strip:
    """One head of an attention at each snapshot that was read: `maps` [snapshot, query, key], masked cells NaN.

    `rows` are the queries and `columns` the keys of its maps. `labels` name the patterns that appeared, each with its step.
    """

    attention: str
    layer: int
    head: int
    maps: Array
    rows: Axis
    columns: Axis
    labels: tuple[tuple[int, str], ...] = ()

    @property
    def name(self) -> str:
        """The head as everywhere in the program."""
        return f"L{self.layer} H{self.head}"

    @property
    def tap(self) -> str:
        """The tap of its weights."""
        side, _, kind = self.attention.partition(".")
        return f"{side}.layers.{self.layer}.{kind}.weights"


@attrs.frozen(kw_only=True, eq=False)
class HeadDiary(Picture):
    """A strip of small maps for each head, a map for each snapshot. `chosen` is the strip that the reader has chosen.

    `read` are those of the `steps` whose snapshots have been read; the others have empty frames. Strips of one attention stand
    together; `headings` name the attentions in their order.
    """

    strips: tuple[Strip, ...]
    scale: Scale
    steps: tuple[int, ...]
    read: tuple[int, ...]
    shown: int | None
    chosen: int
    headings: tuple[str, ...]
    caption: Caption

    def name(self, strip: int) -> str:
        """A strip's name by itself, with its attention where there are several."""
        made = self.strips[strip]
        if len(self.headings) < 2:
            return made.name
        order = list(dict.fromkeys(each.attention for each in self.strips))
        return f"{self.headings[order.index(made.attention)]} · {made.name}"


@attrs.frozen(kw_only=True, eq=False)
class Answers(Picture):
    """What the model answered at each snapshot; `right` [snapshot] is None where nobody knows the right answer."""

    answers: tuple[str, ...]
    right: tuple[bool | None, ...]
    steps: tuple[int, ...]
    shown: int | None
    caption: Caption

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The first and the last snapshot of each row of equal answers in succession."""
        starts = [i for i in range(len(self.answers)) if i == 0 or self.answers[i] != self.answers[i - 1]]
        return tuple(zip(starts, [*(start - 1 for start in starts[1:]), len(self.answers) - 1], strict=True))
