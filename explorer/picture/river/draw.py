"""The whole river as a scene, and what lies over it while something is pointed at."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.river.accent import draw_accent
from explorer.picture.river.contributions import draw_switch, mode_bands
from explorer.picture.river.focus import draw_focus, draw_heads, draw_mask
from explorer.picture.river.grid import RiverGrid
from explorer.picture.river.output import draw_candidates, draw_legend, draw_words
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import Pointing, told_pair
from explorer.picture.river.river import Half, River
from explorer.picture.river.scene import Box, Curves, Dots, Drawn, Hot, Item, Label, Line, Rect, fitting, joined
from explorer.picture.river.slabs import bands, draw_slabs, lanes
from explorer.picture.river.strips import draw_strips, excerpt_told, reaches


@attrs.frozen
class Colours:
    """The colour tables of weights and of signed values."""

    unit: str
    signed: str


def draw_river(river: River, grid: RiverGrid, words: Words, colours: Colours, *, switched: bool = True) -> Drawn:
    """All that does not change while the mouse moves; without the switch of the bands where they are not `switched`."""
    parts = [_captions(river, grid, words)]
    waves = river.position == "sinusoidal"
    for half, place in zip(river.halves, grid.halves, strict=True):
        parts.append(draw_slabs(river, half, place, grid, words, colours.unit))
    for half, place in zip(river.halves, grid.halves, strict=True):
        shown = bands if river.bands == "weights" else mode_bands
        parts.append(Drawn((lanes(river, half, place, grid), *shown(river, half, place, grid))))
        parts.append(draw_strips(half, place, grid, colours.signed, _wanted(river, half), sinusoidal=waves))
    parts += [
        _scales(river, grid, words),
        draw_waves(river, grid, words),
        draw_focus(river, grid, words),
        draw_mask(river, grid, words, colours.unit),
        draw_words(river, grid),
        draw_candidates(river, grid, words),
        draw_legend(river, grid, words, colours.unit, colours.signed),
    ]
    if switched:
        parts.append(draw_switch(river, grid, words))
    return joined(parts)


def draw_over(river: River, grid: RiverGrid, words: Words, pointing: Pointing) -> Drawn:
    """What follows the mouse: accents, the weight of the pair in each head, and the explanation."""
    accent = draw_accent(river, grid, words, pointing)
    if river.focus is None or river.focus.drawn is None:
        return accent
    return joined([draw_heads(river, grid, words, told_pair(river, pointing)), accent])


def _wanted(river: River, half: Half) -> tuple[int, ...]:
    """The lanes whose labels matter most: the chosen step, and what it looks at."""
    if half is river.halves[-1] and half.side == "decoder":
        return (river.step_lane,)
    focus = river.focus
    if focus is None or focus.drawn is None or river.half_of(river.attention, "key") is not half:
        return ()
    return tuple(int(key) for key in np.argsort(-np.nan_to_num(focus.drawn[river.query]))[:3])


def _captions(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """The four sentences that tell the story, each above its part."""
    px = 12.0 if grid.narrow else 13.0
    first = grid.halves[0]
    count, n_features = len(first.slabs), river.halves[0].output.shape[1]
    embeds = "embed" if np.any(river.halves[0].positions) else "embed_alone"
    told = [(grid.margin, first.slabs[0].x, embeds, n_features)]
    if len(grid.halves) == 2:
        told.append((first.slabs[0].x + 4, grid.memory, "read", count))
        told.append((grid.halves[1].slabs[0].x + 4, grid.out.x, "write", count))
    else:
        told.append((first.slabs[0].x + 4, grid.out.x, "read" if river.halves[0].side == "encoder" else "continue", count))
    gives = "choose" if river.target is not None else "output" if river.written.n_symbols else "vectors"
    told.append((grid.out.x, grid.width, gives, river.written.n_symbols))
    scene: list[Item] = []
    for place, (x, right, key, number) in enumerate(told, 1):
        values = {"count": f"{number:,}" if key in ("choose", "output") else number, "step": river.written.step + 1}
        texts = [words(f"river.caption.{key}{length}", **values) for length in ("", ".short", ".shortest")]
        if key in ("choose", "output") and river.written.temperature != 1:
            texts = [f"{text} · T = {river.written.temperature:g}" for text in texts]
        scene.append(Label(x, grid.captions_y, str(place), px, "accent", bold=True))
        scene.append(Label(x + 14, grid.captions_y, fitting(texts, px, right - x - 16), px))
    if len(grid.halves) == 2:
        second = grid.halves[1]
        room = second.slabs[0].x - second.label.x - 4
        texts = [words("river.written_so_far"), words("river.written_short")]
        if not river.halves[1].whole:
            texts = [f"{texts[0]}  {excerpt_told(river.halves[1])}", excerpt_told(river.halves[1])]
        text = fitting(texts, 11, room)
        scene.append(Label(second.label.x, second.top - 14, text, 11, "faint"))
        room = second.slabs[0].x + second.slabs[0].w - grid.memory
        memory = fitting([words("river.memory"), words("river.memory_short")], 11, room)
        scene.append(Label(grid.memory + 14, first.top - 8, memory, 11, "faint"))
    return Drawn(tuple(scene))


def _scales(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """The range of each column of vectors, above it."""
    half, place = river.halves[0], grid.halves[0]
    y = place.top - 8
    scene: list[Item] = [
        Label(x, y, f"±{most:.3g}", 10, "faint")
        for x, most in zip((place.strips[0], place.strips[2]), reaches(half), strict=True)
    ]
    if not half.whole:
        scene.append(Label(place.label.x - 10, y, excerpt_told(half), 10, "faint"))
    if np.any(half.positions):
        named = "sin  cos" if river.position == "sinusoidal" else f"±{np.abs(half.positions).max():.2g}"
        scene.append(Label(place.strips[1], y, named, 10, "faint"))
    else:
        scene.append(Label(place.strips[1], y, words.or_other(f"river.no_positions.{river.position}"), 10, "faint"))
    return Drawn(tuple(scene))


def draw_waves(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """The classical curves: single features of the positions along the places, this sentence's places shaded."""
    rect, waves = grid.waves, river.waves
    if not len(waves) or rect.h < 28 or rect.w < 160:
        return Drawn(())
    left = rect.x + (70 if grid.narrow else 92)
    plot = Rect(left, rect.y + 4, rect.right - left, rect.h - 8)
    n_tokens = river.halves[0].n_tokens
    shown = min(len(waves), max(24, n_tokens + 2))
    middle, half = plot.y + plot.h / 2, plot.h / 2 - 2
    scale = half / max(1.0, float(np.abs(waves).max()))
    shaded = (min(n_tokens, shown) - 1) / (shown - 1) * plot.w
    scene: list[Item] = [Box(Rect(plot.x, plot.y, max(shaded, 2.0), plot.h), "band", opacity=0.08, radius=2)]
    scene.append(Line(plot.x, middle, plot.right, middle, "hairline"))
    fine = river.smooth[: (shown - 1) * river.finer + 1]
    x = (plot.x + np.arange(len(fine)) / (len(fine) - 1) * plot.w).astype(np.float32)
    number = np.arange(waves.shape[1], dtype=np.float32)
    scene.append(Curves(x, (middle - fine.T * scale).astype(np.float32), 0 * number + 1.3, 0.95 - 0.15 * number, "band"))
    if plot.w / shown >= 6:
        marked = waves[: min(n_tokens, shown), :2]  # A dot at each place: what was recorded.
        at = plot.x + np.arange(len(marked), dtype=np.float32) / (shown - 1) * plot.w
        scene += [Dots(at.astype(np.float32), (middle - row * scale).astype(np.float32), 1.5, "band") for row in marked.T]
    scene.append(Label(rect.x, rect.y + 12, words("river.waves"), 11, "faint", room=left - rect.x - 6))
    if rect.h >= 44:
        told = words("river.waves_of", features=", ".join(map(str, river.features)))
        scene.append(Label(rect.x, rect.y + 28, told, 10, "faint", room=left - rect.x - 6))
    return Drawn(tuple(scene), (Hot(rect, Place("waves")),))
