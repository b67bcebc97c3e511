"""The right of the river: the words that come out beside their lanes, the chosen step's candidates, and the legend."""

import numpy as np

from explorer.lang import Words
from explorer.picture.marks import Box, Cells, Hatch, Label, Line, Mark, Rect
from explorer.picture.river.contributions import signed_colour
from explorer.picture.river.grid import LEAST_LABEL_PX, RiverGrid
from explorer.picture.river.place import Place
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn, Hot, HotRows, about_width, fitting
from explorer.picture.river.slabs import thickness
from explorer.picture.river.strips import labelled, shown_text
from explorer.picture.scales import LEVELS
from explorer.picture.sums import told

_PERCENT_W = 42.0
_CUT = 0.25  # the opacity of a bar that sampling would never draw


def percent(p: float) -> str:
    """A probability in per cent: one decimal, of small ones two digits; none is ever written as zero."""
    if not np.isfinite(p):
        return "–"
    if p >= 0.001:
        return f"{100 * p:.1f}%"
    return f"{100 * p:.2g}%" if p >= 1e-5 else "<0.001%"


def draw_words(river: River, grid: RiverGrid) -> Drawn:
    """Each lane's word with the probability that the model gave it; the chosen step on the accent's colour."""
    place, said = grid.halves[-1], river.written
    if said.n_symbols == 0:  # The model has no words to say.
        return Drawn(())
    rect = grid.out
    n = len(said.labels)
    names = tuple(shown_text(label) for label in said.labels)
    folded = river.halves[-1].groups
    kept = labelled(n, place.pitch, (river.step_lane,), tuple(map(len, names)))
    px = (13.0 if grid.narrow else 16.0) if place.pitch >= 22 else 13.0 if place.pitch >= 17 else 11.0
    longest = max((about_width(name, px) for name in names), default=0.0) if folded else 0.0  # Words are longer than tokens.
    bar_x = rect.x + min(max(rect.wide * 0.52, 1.1 * longest + 14), rect.wide * 0.64)
    bar_w = rect.right - bar_x - max(_PERCENT_W, 8 + max(about_width(percent(float(p)), 11) for p in said.probabilities))
    scene: list[Mark] = []
    faint_after = river.halves[-1].side == "decoder"
    for lane in kept:
        y, on = place.y(lane), lane == river.step_lane and river.shows_step
        opacity = 0.55 if faint_after and lane > river.step_lane else 1.0
        if on:
            high = 16.0 if place.pitch < LEAST_LABEL_PX else max(place.pitch, 13.0)
            scene.append(Box(Rect(rect.x - 4, y - high / 2 + 1, rect.wide + 8, high - 2), "accent", radius=3))
        colour = "on_accent" if on else "text"
        scene.append(Label(rect.x + 4, y, names[lane], px, colour, on, opacity=opacity, room=bar_x - rect.x - 10))
        p = float(said.probabilities[lane])
        high = 6.0 if place.pitch >= 18 else 4.0
        if np.isfinite(p):
            scene.append(
                Box(Rect(bar_x, y - high / 2, bar_w, high), "on_accent" if on else "closed", radius=1, opacity=0.3 if on else 1)
            )
            scene.append(
                Box(
                    Rect(bar_x, y - high / 2, max(1.0, bar_w * p), high),
                    "on_accent" if on else "band",
                    radius=1,
                    opacity=opacity,
                )
            )
        scene.append(Label(rect.right, y, percent(p), 11, "on_accent" if on else "faint", align="right", opacity=opacity))
    half = river.halves[-1]
    hot = HotRows(
        Rect(rect.x - 4, place.top, rect.wide + 8, place.pitch * n),
        n,
        lambda lane: Place("step", side=half.tokens, index=half.writes(lane)[0]),
    )
    return Drawn(tuple(scene), (hot,))


def draw_candidates(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """The likeliest symbols of the chosen step, a full bar is a probability of 1; the written one in the accent's colour."""
    said, rect = river.written, grid.candidates
    shown = said.candidates[: 6 if grid.narrow else 8]
    if not shown:
        return Drawn(())
    row = min(30.0 if grid.height < 900 else 36.0, rect.high / (len(shown) + 1))
    if row < 10:
        shown, row = shown[: max(1, int(rect.high / 12) - 1)], 12.0
    px = 13.0 if row >= 20 else 11.0
    label_w = 62.0 if grid.narrow else 0.42 * rect.wide
    bar_w = rect.wide - label_w - max(_PERCENT_W, 8 + max(about_width(percent(p), 11) for _name, p, _id in shown))
    scene: list[Mark] = []
    hot = []
    here = said.taken or (said.labels[river.step_lane] if river.halves[-1].single else None)
    taken = here if river.shows_step else None
    for rank, (name, p, _id) in enumerate(shown):
        y, on, cut = rect.y + row * (rank + 0.5), name == taken, any(said.cut[rank : rank + 1])
        colour = "accent" if on else "faint" if cut else "text"
        scene.append(Label(rect.x + label_w - 8, y, shown_text(name), px, colour, on, "right", room=label_w - 8))
        scene.append(Box(Rect(rect.x + label_w, y - row * 0.3, bar_w, row * 0.6), "closed", radius=1, opacity=0.6))
        wide = max(1.0, bar_w * p)
        scene.append(
            Box(
                Rect(rect.x + label_w, y - row * 0.3, wide, row * 0.6),
                "accent" if on else "band",
                radius=1,
                opacity=_CUT if cut else 1 if on else 0.8,
            )
        )
        scene.append(Label(rect.right, y, percent(p), 11, colour if on else "faint", on, "right"))
        hot.append(Hot(Rect(rect.x, y - row / 2, rect.wide, row), Place("candidate", index=rank)))
    rest = said.rest + sum(p for _name, p, _id in said.candidates[len(shown) :])
    y = rect.y + row * len(shown) + 8
    scene.append(Label(rect.x + label_w - 8, y, words("river.rest"), 11, "faint", align="right"))
    scene.append(Label(rect.right, y, percent(rest), 11, "faint", align="right"))
    if said.why and river.shows_step:  # Why the accent is not on the first bar.
        told = fitting([words(f"river.why.{said.why}"), words(f"river.why.{said.why}_short")], 10, bar_w)
        scene.append(Label(rect.x + label_w, y, told, 10, "accent"))
    scene += _thread(river, grid, rect.y + row / 2)
    return Drawn(tuple(scene), tuple(hot))


def _thread(river: River, grid: RiverGrid, top: float) -> list[Mark]:
    """A thin line from the chosen word to its candidates."""
    y, x = grid.halves[-1].y(river.step_lane), grid.out.x - 10
    if abs(y - top) < 20 or not river.shows_step:
        return []
    return [
        Line(x, min(y, top), x, max(y, top), "accent", 2, 0.42),
        Line(x, top, x + 7, top, "accent", 2, 0.42),
        Line(x, y, x + 6, y, "accent", 2, 0.42),
    ]


def draw_legend(river: River, grid: RiverGrid, words: Words, unit: str, signed: str) -> Drawn:
    """What widths and colours mean."""
    rect = grid.legend
    if grid.narrow or rect.high < 96:
        return Drawn(())
    x, y, scale_x = rect.x, rect.y + 8, rect.x + 0.38 * rect.wide
    wide = rect.right - scale_x
    ramp = np.arange(LEVELS, dtype=np.uint8)[None]
    folded = bool(river.halves[0].groups)
    step = min(22.0, (rect.high - 16) / (6 if folded else 5))
    pitch = min(half.pitch for half in grid.halves)
    made: list[Mark] = [
        Label(x, y, words("river.legend.weight"), 10, "faint"),
        Cells(Rect(scale_x + 8, y - 4, wide - 16, 8), ramp, unit),
        Label(scale_x + 4, y, "0", 10, "faint", align="right"),
        Label(scale_x + wide - 4, y, f"{river.scale.high:g}{'+' if river.scale.high < 1 else ''}", 10, "faint"),
    ]
    y += step
    made += _band_widths(river, words, Rect(scale_x, y, wide, 0), x, pitch)
    y += step
    made.append(Label(x, y, words("river.legend.lane"), 10, "faint"))
    for place, share in enumerate((0.2, 0.5, 1.0)):
        left, length = scale_x + place * wide / 3, share * river.longest
        made.append(Line(left, y, left + 12, y, "water", float(thickness(np.array([length]), river, pitch)[0])))
        made.append(Label(left + 15, y, f"{length:.3g}{'+' if share == 1 else ''}", 10, "faint"))
    y += step
    made += [
        Label(x, y, words("river.legend.signed"), 10, "faint"),
        Cells(Rect(scale_x + 8, y - 4, wide - 16, 8), ramp, signed),
        Label(scale_x + 4, y, "−", 10, "faint", align="right"),
        Label(scale_x + wide - 4, y, "+", 10, "faint"),
    ]
    y += step
    made += [Hatch(Rect(x, y - 5, 14, 10)), Label(x + 20, y, words("river.legend.closed"), 10, "faint", room=rect.wide - 20)]
    if folded:
        texts = [words("river.legend.words"), words("river.legend.words_short")]
        made.append(Label(x, y + step, fitting(texts, 10, rect.wide), 10, "faint", room=rect.wide))
    return Drawn(tuple(made))


def _band_widths(river: River, words: Words, rect: Rect, x: float, pitch: float) -> list[Mark]:
    """What the width of a band means: a weight, or a signed share of a difference of logits."""
    widest, y = min(13.0, max(0.5 * pitch, 7.0)), rect.y
    found = river.contributions
    if river.bands != "weights" and found is not None:
        made: list[Mark] = [Label(x, y, words("river.legend.part"), 10, "faint")]
        for place, (sign, name) in enumerate(((1.0, found.names[0]), (-1.0, found.names[1]))):
            left = rect.x + place * rect.wide / 2
            made.append(Line(left, y, left + 12, y, signed_colour(river, sign), widest, 0.95))
            text = f"{shown_text(name)} {told(sign * found.reach, 0 if found.reach >= 1 else 1)}"
            made.append(Label(left + 15, y, text, 10, "faint", room=rect.wide / 2 - 17))
        return made
    made = [Label(x, y, words("river.legend.band"), 10, "faint")]
    for place, weight in enumerate((0.1, 0.5, 1.0)):
        left = rect.x + place * rect.wide / 3
        made.append(Line(left, y, left + 12, y, "band", max(0.8, weight * widest), 0.12 + 0.6 * weight))
        made.append(Label(left + 15, y, f"{weight:g}", 10, "faint"))
    return made
