"""The whole river as a scene, and what lies over it while something is pointed at."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.marks import Label, Mark
from explorer.picture.river.accent import draw_accent
from explorer.picture.river.contributions import mode_bands
from explorer.picture.river.focus import draw_focus, draw_heads, draw_mask, masked_block
from explorer.picture.river.grid import LEAST_LABEL_PX, HalfGrid, RiverGrid
from explorer.picture.river.ground import Colours, draw_ground, ground_key
from explorer.picture.river.kept import KeptMarks, Same
from explorer.picture.river.output import draw_candidates, draw_words
from explorer.picture.river.pointing import Pointing, told_pair
from explorer.picture.river.river import Half, River
from explorer.picture.river.scene import Drawn, joined
from explorer.picture.river.slabs import bands, draw_slabs, lanes
from explorer.picture.river.strips import draw_strips, excerpt_told, reaches


def draw_river(
    river: River, grid: RiverGrid, words: Words, colours: Colours, *, switched: bool = True, kept: KeptMarks | None = None
) -> Drawn:
    """All that does not change while the mouse moves, its ground first; text in place of the switch of the bands where they are
    not `switched`. Parts that are `kept` from the picture before are the same objects again.
    """
    kept = kept or KeptMarks()
    kept.turn()
    key = "ground", switched, ground_key(river, grid, words, colours)
    ground = kept.of(key, lambda: draw_ground(river, grid, words, colours, kept, switched=switched))
    parts = [ground]
    for half, place in zip(river.halves, grid.halves, strict=True):
        parts.append(draw_slabs(river, half, place, colours.unit, kept))
    for half, place in zip(river.halves, grid.halves, strict=True):
        shown = bands if river.bands == "weights" else mode_bands
        parts.append(Drawn((lanes(river, half, place, kept), *shown(river, half, place, grid, kept))))
        parts.append(_strips(river, half, place, grid, colours.signed, kept))
    parts += [
        _scales(river, grid, words),
        draw_focus(river, grid, words),
        _mask(river, grid, words, colours.unit, kept),
        _said(river, grid, words, kept),
    ]
    return attrs.evolve(joined(parts), ground=ground.scene)


def draw_over(river: River, grid: RiverGrid, words: Words, pointing: Pointing, *, kept: KeptMarks | None = None) -> Drawn:
    """What follows the mouse: accents, the weight of the pair in each head, and the explanation. Accents that are `kept` from
    what was drawn before are the same objects again."""
    kept = kept or KeptMarks()
    kept.turn()
    accent = draw_accent(river, grid, words, pointing, kept)
    if river.focus is None or river.focus.drawn is None:
        return accent
    return joined([draw_heads(river, grid, words, told_pair(river, pointing)), accent])


def _strips(river: River, half: Half, place: HalfGrid, grid: RiverGrid, colours: str, kept: KeptMarks) -> Drawn:
    wanted, waves = _wanted(river, half) if place.pitch < LEAST_LABEL_PX else (), river.position == "sinusoidal"
    key = ("strips", Same(half.scaled), Same(half.output), half.labels, half.groups, half.first, place, colours, wanted, waves)
    return kept.of(key, lambda: draw_strips(half, place, grid, colours, wanted, kept, sinusoidal=waves))


def _mask(river: River, grid: RiverGrid, words: Words, colours: str, kept: KeptMarks) -> Drawn:
    """The small map of what the causal mask leaves open: that of one layer, whatever head is looked at."""
    layer, block = masked_block(river)
    if block is None:
        return Drawn(())
    key = "mask", layer, Same(block.weights), river.scale, grid, words, colours
    return kept.of(key, lambda: draw_mask(river, grid, words, colours))


def _said(river: River, grid: RiverGrid, words: Words, kept: KeptMarks) -> Drawn:
    """The words that come out, and the candidates of the chosen step."""
    last = river.halves[-1]
    key = "said", Same(river.written), last.side, Same(last.labels), last.groups, last.steps, last.first, grid, words
    return kept.of(key, lambda: joined([draw_words(river, grid), draw_candidates(river, grid, words)]))


def _wanted(river: River, half: Half) -> tuple[int, ...]:
    """The lanes whose labels matter most: the chosen step, and what it looks at."""
    if half is river.halves[-1] and half.side == "decoder":
        return (river.step_lane,)
    focus = river.focus
    if focus is None or focus.drawn is None or river.half_of(river.attention, "key") is not half:
        return ()
    return tuple(int(key) for key in np.argsort(-np.nan_to_num(focus.drawn[river.query]))[:3])


def _scales(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """The range of each column of vectors, above it."""
    half, place = river.halves[0], grid.halves[0]
    y = place.top - 8
    scene: list[Mark] = [
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
