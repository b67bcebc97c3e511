"""The one table of kinds: how each leaves the window, as SVG, as tables of numbers and in words."""

from collections.abc import Mapping
from typing import Any

import attrs

from explorer.lang import Words
from explorer.picture.causal_kinds import Account, EffectMap, LensMap, Postcard, Removals, Rewording
from explorer.picture.cut_kinds import CutRows
from explorer.picture.decoding_kinds import Timeline, Tree
from explorer.picture.figure.alignment import ALIGNMENT
from explorer.picture.figure.causal_figures import ACCOUNT, EFFECT_MAP, LENS, POSTCARD, REMOVALS, REWORDING
from explorer.picture.figure.curve_figures import VECTOR_MAP, WAVES
from explorer.picture.figure.decoding_figures import BARS, TIMELINE, TREE
from explorer.picture.figure.follow import FOLLOW
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.map_figures import HEAD_GRID, HEATMAP, STRIPS
from explorer.picture.figure.river import RIVER
from explorer.picture.figure.token_figures import CUT_ROWS, TOKEN_ROW
from explorer.picture.figure.training_figures import ANSWERS, HEAD_DIARY, STEP_CURVES
from explorer.picture.kinds import Alignment, Bars, Follow, HeadGrid, Heatmap, Picture, Strips, TokenRow, VectorMap, Waves
from explorer.picture.river.river import River
from explorer.picture.tables import Table
from explorer.picture.training_kinds import Answers, HeadDiary, StepCurves

KINDS: Mapping[type[Picture], Kind[Any]] = {
    Heatmap: HEATMAP,
    HeadGrid: HEAD_GRID,
    Strips: STRIPS,
    Waves: WAVES,
    TokenRow: TOKEN_ROW,
    Bars: BARS,
    Alignment: ALIGNMENT,
    Follow: FOLLOW,
    VectorMap: VECTOR_MAP,
    Tree: TREE,
    Timeline: TIMELINE,
    River: RIVER,
    Rewording: REWORDING,
    Postcard: POSTCARD,
    Account: ACCOUNT,
    Removals: REMOVALS,
    LensMap: LENS,
    EffectMap: EFFECT_MAP,
    CutRows: CUT_ROWS,
    StepCurves: STEP_CURVES,
    HeadDiary: HEAD_DIARY,
    Answers: ANSWERS,
}
"""Every kind of Picture; each has a View in `views/pictures` that shows it."""


def kind_of(picture: Picture) -> Kind[Any]:
    """How this picture leaves the window."""
    return KINDS[type(picture)]


def in_words(picture: Picture, words: Words) -> str:
    """The whole picture in words, for a reader who does not see it."""
    return kind_of(picture).describe(picture, words)


def has_tables(picture: Picture) -> bool:
    """Whether a picture's numbers can be written; False for a wall of large maps, which has only blocks of them."""
    return any(True for _table in kind_of(picture).tables(picture))


def tables(picture: Picture) -> tuple[Table, ...]:
    """All tables of a picture, each under a name of its own."""
    found: list[Table] = []
    taken: dict[str, int] = {}
    for table in kind_of(picture).tables(picture):
        taken[table.name] = taken.get(table.name, 0) + 1
        again = f"{table.name}.{taken[table.name]}" if taken[table.name] > 1 else table.name
        found.append(attrs.evolve(table, name=again))
    return tuple(found)
