"""Where the curves of a training stand: values up, steps to the right, names at their right ends."""

import math
from typing import Any

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.layout.curve_names import name_places
from explorer.picture.layout.follow_scene import tick_label, ticks
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.step_axis import StepAxis, right_px, step_axis, step_text, write_steps
from explorer.picture.marks import DASHED, Box, Path, Rect
from explorer.picture.theme import Theme
from explorer.picture.training_kinds import Numbers, StepCurve, StepCurves

NEARBY = 0.12
"""The mean of a training's curve is over the steps that are at most this share away."""
_LETTERS, _LINE_PX = 11.0, 15.0
_HEAD_PX, _FOOT_PX = 18.0, 20.0  # above and below the plot
_TICK_PX = 34.0  # from one tick to the next, at least
_ROOM_ABOVE = 1.04  # the share of the largest value that the plot reaches to
_SMALL = 0.01  # Smaller values have two figures beside their curves.
_DOT_PX, _DOTS_PX = 2.6, 7.0  # the size of a dot, and how far apart two have to stand
_NAMES_PX = 8.0  # px from the plot to the names
_MOST_COLUMNS = 4096
_GROUND_OPACITY = 0.7  # of what lies between a note and the curves


@attrs.frozen(eq=False)
class CurvePlane:
    """Where values and steps stand: `low` at the bottom of the `plot` and `high` at its top, powers evenly if `logarithmic`.

    `lines` has the steps and values of each curve's thick line.
    """

    axis: StepAxis
    plot: Rect
    low: float
    high: float
    logarithmic: bool
    lines: tuple[tuple[Numbers, Numbers], ...]

    def y(self, values: Any) -> Any:
        """The height (px) of a value, or of each of an array of values; beyond the plot at its edge."""
        low, high, at = self.low, self.high, np.clip(values, self.low, self.high)
        if self.logarithmic:
            low, high, at = math.log10(low), math.log10(high), np.log10(at)
        return self.plot.bottom - (at - low) / (high - low) * self.plot.high

    def ticks(self) -> list[float]:
        """Round values for lines across."""
        most = max(2, int(self.plot.high / _TICK_PX))
        if not self.logarithmic:
            return [tick for tick in ticks(self.low, self.high, most) if tick <= self.high]
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for factors in ((1,), (1, 3), (1, 2, 5)):
            found = [factor * 10.0**power for power in powers for factor in factors]
            found = [value for value in found if self.low <= value <= self.high]
            if len(found) >= 2:
                break
        return found[:: max(1, math.ceil(len(found) / most))]


def mean_nearby(at: Numbers, values: Numbers, places: Numbers) -> Numbers:
    """The mean of the finite values within ±12 % of each of some places, which are steps; NaN where there is none."""
    finite = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(finite, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(finite)])
    # mean(s) = Σ v[i] / n over the i with 0.88 s ≤ step[i] ≤ 1.12 s
    first = np.searchsorted(at, (1 - NEARBY) * places, "left")
    end = np.searchsorted(at, (1 + NEARBY) * places, "right")
    n = counts[end] - counts[first]
    return np.where(n > 0, (sums[end] - sums[first]) / np.maximum(n, 1), np.nan)


def drawn_line(curve: StepCurve) -> tuple[Numbers, Numbers]:
    """The steps and values of a curve's thick line, finite ones alone: of a training its mean nearby, else the curve itself."""
    at, values = curve.at, curve.values
    if curve.kind == "training":
        if len(at) > _MOST_COLUMNS:  # As many as a screen has columns, evenly on the axis.
            places = np.searchsorted(at, np.geomspace(max(at[0], 1), at[-1], _MOST_COLUMNS))
            at = at[np.unique(np.minimum(places, len(at) - 1))]
        values = mean_nearby(curve.at, curve.values, at)
    there = np.isfinite(values)
    return at[there], values[there]


def plane_of(picture: StepCurves, area: Rect) -> CurvePlane:
    """Where everything stands in an area. Linear values begin at 0, so that two pictures can be compared."""
    last = max((int(curve.at[-1]) for curve in picture.curves if len(curve.at)), default=0)
    axis = step_axis(picture.steps, picture.shown, area, last)
    plot = Rect(axis.left, area.y + _HEAD_PX, axis.right - axis.left, max(24.0, area.high - _HEAD_PX - _FOOT_PX))
    lines = tuple(drawn_line(curve) for curve in picture.curves)
    known = np.concatenate([np.zeros(0), *(values for _steps, values in lines)])
    if picture.logarithmic:
        known = np.concatenate([known, *(curve.values for curve in picture.curves)])
        known = known[np.isfinite(known) & (known > 0)]
        low, high = (float(known.min()) / 1.2, float(known.max()) * 1.2) if len(known) else (0.1, 10.0)
        return CurvePlane(axis, plot, low, high, logarithmic=True, lines=lines)
    low = min(0.0, float(known.min(initial=0.0)))
    high = picture.most or float(known.max(initial=0.0)) * _ROOM_ABOVE or 1.0
    return CurvePlane(axis, plot, low, max(high, low + 1e-9), logarithmic=False, lines=lines)


def draw_step_curves(sketch: Sketch, picture: StepCurves, words: Words, area: Rect) -> CurvePlane:
    """Draw all of it; returns where steps and values stand."""
    at, theme = plane_of(picture, area), sketch.theme
    plot, frame = at.plot, at.axis.frame(picture.shown)
    if frame is not None:
        wide = at.axis.frame_px + 2
        column = Rect(at.axis.middle(frame) - wide / 2, plot.y, wide, plot.high)
        sketch.marks.append(Box(column, theme.soft, theme.accent, 3))
    for tick in at.ticks():
        y = float(at.y(tick))
        sketch.line(plot.x, y, plot.right, y, theme.faint if tick == 0 and at.low < 0 else theme.hairline)
        sketch.write(plot.x - 8, y + 4, tick_label(tick), _LETTERS, theme.faint, "end")
    sketch.write(plot.x - 8, area.y + 10, picture.unit, _LETTERS, theme.faint, "end", room=plot.x - 8 - area.x)
    if picture.threshold is not None:
        y = float(at.y(picture.threshold))
        sketch.line(plot.x, y, plot.right, y, theme.faint, dashed=True)
    _draw_marks(sketch, picture, at)
    colours = curve_colours_of(picture, theme)
    for curve in picture.curves:
        if curve.kind == "training":
            _hairlines(sketch, curve, at)
    for place in sorted(range(len(colours)), key=lambda place: picture.curves[place].kind == "validation"):
        _draw_curve(sketch, picture.curves[place], at.lines[place], colours[place], at)
    _draw_names(sketch, picture, at, colours, right_px(area.wide))
    _draw_notes(sketch, picture, words, at, colours)
    write_steps(sketch, at.axis, picture.shown, plot.bottom + 12, words("training.curves.step"))
    return at


def curve_colours_of(picture: StepCurves, theme: Theme) -> list[str]:
    """The colour of each curve."""
    free = iter(theme.heads * (1 + len(picture.curves) // len(theme.heads)))
    fixed = {"training": theme.grey, "validation": theme.accent}
    return [fixed.get(curve.kind) or next(free) for curve in picture.curves]


def _hairlines(sketch: Sketch, curve: StepCurve, at: CurvePlane) -> None:
    """A thin line from the smallest to the largest value of each column of pixels."""
    there = np.isfinite(curve.values)
    if not there.any():
        return
    columns = np.floor(at.axis.x(curve.at[there]))
    starts = np.flatnonzero(np.diff(columns, prepend=-1.0))
    high, low = (at.y(pick.reduceat(curve.values[there], starts)) for pick in (np.maximum, np.minimum))
    points = np.stack([columns[starts], high, columns[starts], low], axis=1).reshape(-1, 2)
    sketch.marks.append(Path(tuple(map(tuple, points.tolist())), sketch.theme.closed_line, 1))


def _draw_curve(sketch: Sketch, curve: StepCurve, line: tuple[Numbers, Numbers], colour: str, at: CurvePlane) -> None:
    steps, values = line
    if not len(steps):
        return
    xy = np.stack([at.axis.x(steps), at.y(values)], axis=1)
    if len(xy) > 2 * at.plot.wide:  # More points than pixels: the last of each half.
        xy = xy[np.flatnonzero(np.diff(np.floor(2 * xy[:, 0]), append=np.inf))]
    if len(xy) > 1:
        wide = 2.0 if curve.kind == "training" else 1.6
        sketch.marks.append(Path(tuple(map(tuple, xy.tolist())), colour, wide, dash=DASHED if curve.kind == "other" else ()))
    if curve.kind == "validation" or len(xy) == 1:
        sketch.dots(xy[_apart(xy[:, 0])], _DOT_PX, colour)
    for step, _said in curve.told:
        x, y = float(at.axis.x(step)), float(at.y(curve.values[curve.at == step][0]))
        sketch.dot(x, y, _DOT_PX + 1.6, colour)
        sketch.dot(x, y, _DOT_PX, sketch.theme.card)


def _apart(x: Any) -> list[int]:
    """The places whose dots do not touch the dot before them."""
    kept: list[int] = []
    for place, each in enumerate(x.tolist()):
        if not kept or each - x[kept[-1]] >= _DOTS_PX:
            kept.append(place)
    return kept


def _draw_marks(sketch: Sketch, picture: StepCurves, at: CurvePlane) -> None:
    """A line down at each step where something happened, with its name beside it."""
    free = at.plot.x
    for step, name in picture.marks:
        x = float(at.axis.x(step))
        sketch.line(x, at.plot.y, x, at.plot.bottom, sketch.theme.faint, dashed=True)
        wide = sketch.measure(name, _LETTERS, False) + 4
        if x + wide > at.plot.right and x - wide >= free:  # There is no room to its right.
            sketch.write(x - 4, at.plot.y + 10, name, _LETTERS, sketch.theme.faint, "end")
            free = x
        elif x >= free:
            sketch.write(x + 4, at.plot.y + 10, name, _LETTERS, sketch.theme.faint, room=at.plot.right - x - 4)
            free = x + wide + 8


def _draw_names(sketch: Sketch, picture: StepCurves, at: CurvePlane, colours: list[str], room: float) -> None:
    """Each curve's name with its last value beside its end."""
    lines: list[tuple[float, float, str, str, str]] = []  # x and y of the end, name, figure, colour
    for curve, (steps, values), colour in zip(picture.curves, at.lines, colours, strict=True):
        if len(steps):
            end = float(at.axis.x(steps[-1])), float(at.y(values[-1]))
            lines.append((*end, curve.name, _figure(float(values[-1])), colour))
    places = name_places([y for _x, y, *_rest in lines], _LINE_PX, at.plot.y, at.plot.bottom)
    left = at.plot.right + _NAMES_PX
    for (x, y, name, figure, colour), place in zip(lines, places, strict=True):
        if left - x > 3 * _NAMES_PX or abs(place - y) > _LINE_PX / 2:
            sketch.line(x, y, left - 3, place, colour, 0.8)
        wide = sketch.measure(f" {figure}", _LETTERS, False)
        said = sketch.fitting(name, _LETTERS, room - _NAMES_PX - wide - 2)
        sketch.write(left, place + 4, f"{said} {figure}", _LETTERS, colour)


def _figure(value: float) -> str:
    """A value in few digits."""
    return rough(value, 3 if abs(value) >= _SMALL else 2)


def _draw_notes(sketch: Sketch, picture: StepCurves, words: Words, at: CurvePlane, colours: list[str]) -> None:
    """What is told of single places of curves, and where their values stop being numbers."""
    plot, notes = at.plot, []  # step, height, text, colour
    for curve, (_steps, values), colour in zip(picture.curves, at.lines, colours, strict=True):
        notes += [(step, float(at.y(curve.values[curve.at == step][0])) + 15, said, colour) for step, said in curve.told]
        if curve.lost is not None:
            y = float(at.y(values[-1])) - 15 if len(values) else plot.y
            said = words("training.curves.lost", name=curve.name, step=step_text(curve.lost))
            notes.append((curve.lost, y, said, sketch.theme.warning))
    heights = name_places([y for _step, y, *_rest in notes], _LINE_PX, plot.y + 8, plot.bottom - 8)
    for (step, _y, said, colour), y in zip(notes, heights, strict=True):
        wide = min(sketch.measure(said, _LETTERS, True), plot.wide)
        x = min(max(float(at.axis.x(step)), plot.x + wide / 2), plot.right - wide / 2)
        ground = Rect(x - wide / 2 - 2, y - _LINE_PX / 2, wide + 4, _LINE_PX)
        sketch.marks.append(Box(ground, sketch.theme.card, opacity=_GROUND_OPACITY))
        sketch.write(x, y + 4, said, _LETTERS, colour, "middle", bold=True, room=plot.wide)


def tell_step(picture: StepCurves, step: float, words: Words) -> str:
    """The values of all curves at a step, or at their step nearest to it, a line each."""
    near = [curve.value(step) for curve in picture.curves]
    own = next((found[0] for found in near if found is not None), round(step))
    lines = [words("training.curves.at_step", step=step_text(own))]
    for curve, found in zip(picture.curves, near, strict=True):
        if found is None:
            continue
        place, value = found
        figure = f"{rough(value, 4)} {picture.unit}".strip() if math.isfinite(value) else words("training.curves.no_number")
        if curve.kind == "training":
            mean = float(mean_nearby(curve.at, curve.values, np.array([float(place)]))[0])
            if math.isfinite(mean):
                figure = words("training.curves.with_mean", value=figure, mean=rough(mean, 4))
        key = "training.curves.value" if place == own else "training.curves.value_at"
        lines.append(words(key, name=curve.name, value=figure, step=step_text(place)))
    return "\n".join(lines)
