"""The axis of steps that curves and maps of a training share: snapshots evenly spaced, every other step between them.

Pictures of one width have one axis, so that a bend of the loss stands above the frame where a head forms.
"""

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect

_LEFT_PX, _LEAST_RIGHT_PX, _MOST_RIGHT_PX, _RIGHT_SHARE = 60.0, 108.0, 172.0, 0.18  # what stands beside the plot
_LEAST_PX, _MOST_PX, _GAP_PX = 40.0, 104.0, 5.0  # px: from one frame to the next, a frame at most, between two frames
_MOST_FRAMES = 14  # A wider picture has larger ones, which fill its height too.
_LETTERS, _BETWEEN_PX = 11.0, 6.0  # of the steps, and between two of them


@attrs.frozen(eq=False)
class StepAxis:
    """Where steps stand between `left` and `right` (px). `drawn` are the snapshots that have a frame, among all `steps`.

    `last` is the last step that anything is known of, which may come after the last snapshot.
    """

    steps: tuple[int, ...]
    drawn: tuple[int, ...]
    left: float
    right: float
    last: int = 0

    @property
    def pitch(self) -> float:
        """The way from one frame to the next (px)."""
        return (self.right - self.left) / max(1, len(self.drawn))

    @property
    def frame_px(self) -> float:
        """The width of a frame (px)."""
        return max(1.0, min(self.pitch - _GAP_PX, _MOST_PX))

    def middle(self, place: int) -> float:
        """The middle of a frame (px)."""
        return self.left + (place + 0.5) * self.pitch

    def _anchors(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Steps, as logarithms, with their places (px)."""
        steps: list[int] = list(self.drawn)
        places = [self.middle(place) for place in range(len(steps))]
        if not steps:
            steps, places = [0], [self.left]
        if self.last > steps[-1]:
            steps, places = [*steps, self.last], [*places, self.right]
        return np.log1p(np.array(steps, np.float64)), np.array(places)

    def x(self, steps: Any) -> Any:
        """The place (px) of a step, or of each of an array of steps."""
        # log(1 + step) is the place between two frames: step 0 has one, too.
        return np.interp(np.log1p(steps), *self._anchors())

    def step(self, x: float) -> float:
        """The step at a place (px), which need not be whole."""
        logs, places = self._anchors()
        return float(np.expm1(np.interp(x, places, logs)))

    def step_at(self, x: float) -> int | None:
        """The snapshot that is nearest to a place (px); None where there is none."""
        return min(self.steps, key=lambda step: abs(float(self.x(step)) - x), default=None)

    def frame(self, step: int | None) -> int | None:
        """Which frame shows a snapshot; None where none does."""
        return self.drawn.index(step) if step in self.drawn else None


def step_axis(steps: tuple[int, ...], shown: int | None, area: Rect, last: int = 0) -> StepAxis:
    """The axis of a picture in an area, between its names at the left and its labels at the right."""
    left = area.x + _LEFT_PX
    right = max(left + _LEAST_PX, area.right - right_px(area.wide))
    n_frames = max(1, min(_MOST_FRAMES, int((right - left) / _LEAST_PX)))
    return StepAxis(steps, thinned(steps, shown, n_frames), left, right, last)


def right_px(wide: float) -> float:
    """The room (px) for labels at the right of a picture."""
    return min(_MOST_RIGHT_PX, max(_LEAST_RIGHT_PX, _RIGHT_SHARE * wide))


def thinned(steps: tuple[int, ...], shown: int | None, most: int) -> tuple[int, ...]:
    """At most so many of the steps, evenly among them, always with the first, the last and the shown one if there is room."""
    if len(steps) <= most:
        return steps
    places = np.unique(np.linspace(0, len(steps) - 1, most).round().astype(int)).tolist() if most > 1 else [len(steps) - 1]
    if shown in steps and most > 2:
        own = steps.index(shown)
        inner = min(range(1, len(places) - 1), key=lambda place: abs(places[place] - own))
        if own not in places:
            places[inner] = own
    return tuple(steps[place] for place in places)


def step_text(step: int) -> str:
    """A step as a reader writes it."""
    return f"{step:,}"


def write_steps(sketch: Sketch, axis: StepAxis, shown: int | None, y: float, word: str) -> None:
    """Write the steps of the frames, as many as have room; the middle of the line is `y`."""
    theme = sketch.theme
    sketch.write(axis.left - 8, y + 4, word, _LETTERS, theme.faint, "end", room=axis.left - 8)
    taken: list[tuple[float, float]] = []
    for step in dict.fromkeys(_first_of_all(axis, shown)):
        text, x = step_text(step), float(axis.x(step))
        half = (sketch.measure(text, _LETTERS, step == shown) + _BETWEEN_PX) / 2
        if all(x + half <= start or x - half >= end for start, end in taken):
            taken.append((x - half, x + half))
            colour = theme.accent if step == shown else theme.faint
            sketch.write(x, y + 4, text, _LETTERS, colour, "middle", bold=step == shown)


def _first_of_all(axis: StepAxis, shown: int | None) -> Iterable[int]:
    """The steps in the order in which they get room."""
    yield from (step for step in (shown,) if step is not None and step in axis.drawn)
    yield from (axis.drawn[0], axis.drawn[-1]) if axis.drawn else ((0, axis.last) if axis.last else (0,))
    yield from axis.drawn
