"""A few small figures as they are, letter by letter: a change of layout is seen, and accepted on purpose.

`pytest tests/golden --snapshot-update` accepts it.
"""

import re

import attrs
import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from explorer.picture.causal_kinds import EffectMap, EffectRow, Postcard, Removals, Reworded, Rewording
from explorer.picture.cut_kinds import CutRow, CutRows
from explorer.picture.decoding_kinds import Branch, Timeline, Tree
from explorer.picture.figure.svg import render
from explorer.picture.kinds import (
    Alignment,
    Axis,
    Bars,
    Caption,
    HeadLines,
    Heatmap,
    Measured,
    Picture,
    Strips,
    TokenRow,
    VectorMap,
    Waves,
)
from explorer.picture.scales import Scale
from explorer.picture.theme import THEMES
from explorer.tokens.token import Token
from tests.picture import trainings
from tests.picture.examples import account_of, by_hand, follow_of, heatmap, jacobian_by_hand, lens_by_hand, sums, wall, words

_CLOSED = np.array([[False, True], [False, False]])
_MAP = heatmap(np.array([[1.0, np.nan], [0.25, 0.75]], np.float32), ("我", "<&>"), _CLOSED)
_CAPTION = Caption(title="题 title", tap="a.tap", shape="[…]", formula="Q K<sup>T</sup> / √d<sub>head</sub>", note="note")
PICTURES: dict[str, Picture] = {
    "heatmap": _MAP,
    "strips": Strips(bands=(_MAP, _MAP), caption=_CAPTION),
    "waves": Waves(
        values=np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -1.0]], np.float32),
        names=("feature 0", "feature 1"),
        n_marked=2,
        caption=_CAPTION,
        x_name="position",
    ),
    "bars": Bars(
        values=np.array([0.5, 0.125], np.float32), labels=("北京", "love"), scale=Scale(0, 0.5, "cividis"), caption=_CAPTION
    ),
    "tokens": TokenRow(
        chips=(Token(text="我", id=6, start=0, end=1, known=True), Token(text="x", id=1, start=1, end=2, known=False)),
        side="source",
        text="我x",
        caption=_CAPTION,
    ),
    "bars_cut": Bars(
        values=np.array([0.5, 0.25, 0.125], np.float32),
        labels=("北京", "love", "<&>"),
        scale=Scale(0, 0.5, "cividis"),
        cut=np.array([False, True, True]),
        ids=(9, 4, 7),
        chosen=1,
        caption=_CAPTION,
    ),
    "timeline": Timeline(
        labels=("␣He", "<&>", "<eos>"), probabilities=np.array([0.75, 3e-5, np.nan], np.float32), chosen=1, caption=_CAPTION
    ),
    "alignment": Alignment(
        values=np.array([[1.0, 0.0], [0.25, np.nan]], np.float32),
        rows=Axis("writing", ("␣I", "<eos>"), "target"),
        columns=Axis("key", ("我", "爱"), "source"),
        scale=Scale(0, 1, "cividis"),
        caption=_CAPTION,
    ),
    "alignment_arcs": Alignment(
        values=np.array([[1.0, 0.25, np.nan], [0.25, 0.75, 0.5], [0.5, 0.125, 0.0]], np.float32),
        rows=Axis("query", ("我", "爱", "你"), "source"),
        columns=Axis("key", ("我", "爱", "你"), "source"),
        scale=Scale(0, 1, "cividis"),
        arcs=True,
        caption=_CAPTION,
    ),
    "alignment_overlaid": Alignment(
        values=np.array([[1.0, 0.5], [0.25, 0.75]], np.float32),
        rows=Axis("writing", ("␣I", "<eos>"), "target"),
        columns=Axis("key", ("我", "爱"), "source"),
        scale=Scale(0, 1, "cividis"),
        overlaid=(
            HeadLines(0, np.array([[1.0, 0.0], [0.25, np.nan]], np.float32)),
            HeadLines(9, np.array([[0.5, 0.5], [0.25, 0.75]], np.float32)),
        ),
        caption=_CAPTION,
    ),
    "account_opened": account_of(sums(opened=True)),
    "account_inexact": account_of(sums(exact=False)),
    "account": account_of(sums()),
    "lens": lens_by_hand(),
    "lens_jacobian": jacobian_by_hand(),
    "follow": follow_of(by_hand()),
    "heatmap_changed": attrs.evolve(_MAP, caption=attrs.evolve(_MAP.caption, changes=2)),
    "rewording": Rewording(
        words=(
            Reworded("She", "I", -0.25, -2.98),
            Reworded("gave", "gave", -0.5, -0.51),
            Reworded("<&>", "", -0.125, 0.0),
            Reworded("", "her"),
        ),
        scale=Scale(-4, 4, "blue-red"),
        caption=attrs.evolve(_CAPTION, changes=1),
    ),
    "postcard": Postcard(
        sentence="她给了我<&>。",
        changes="No positional encoding",
        words=(
            Reworded("She", "I", -0.25, -2.98),
            Reworded("gave", "gave", -0.5, -0.51),
            Reworded("<&>", "", -0.125, 0.0),
            Reworded("", "her"),
            Reworded(".", ".", -0.1, -0.1),
        ),
        map_before=_MAP,
        map_after=None,
        about="About <&> and more of it, so much that it goes on in a second line.",
        hit="p(She): 0.779 → 0.051",
        rate="78 of 100 sentences change, 78 %.",
        made_by="Transformer Explorer",
        model="position = none",
        caption=_CAPTION,
    ),
    "effects": EffectMap(
        values=np.array([[-0.09, 0.03], [np.nan, np.nan]], np.float32),
        whole=np.array([-0.4, 0.1], np.float32),
        rows=(
            EffectRow("cross", "L0", "decoder.layers.0.cross_attn.mixed"),
            EffectRow("FFN", "L0", "decoder.layers.0.feed_forward.output"),
        ),
        scale=Scale(-0.1, 0.1, "blue-red"),
        bar_reach=0.4,
        word="␣He",
        chosen=(0, 1),
        told="told <&>",
        caption=_CAPTION,
    ),
    "cut_rows": CutRows(
        text="长江<&",
        rows=(
            CutRow(
                "jieba",
                "exact",
                (Token("长", 7, 0, 1, True, word=(0, 2)), Token("江", 1, 1, 2, False, word=(0, 2)), Token("<&", 9, 2, 4, True)),
                ((0, 2), (2, 4)),
                "3 tokens, 1 unknown",
                "A <&> river.",
                np.array([[0.75, 0.25], [np.nan, np.nan]], np.float32),
                np.array([[0.0, 0.0], [np.nan, np.nan]], np.float32),
            ),
            CutRow(
                "characters",
                "characters",
                (*(Token(each, 5 + at, at, at + 1, True) for at, each in enumerate("长江<")), Token("& 1/1", 3, 3, 4, True)),
                ((0, 1), (1, 2), (2, 3), (3, 4)),
                "4 tokens",
                "A <&> river.",
                np.array([[0.5, 0.5], [0.125, 0.875]], np.float32),
                np.array([[-0.25, 0.25], [0.125, -0.125]], np.float32),
            ),
            CutRow("", "by hand", (), (), "", refused="Too <long>"),
        ),
        present=0,
        units=("长江", "<&"),
        scale=Scale(0, 1, "cividis"),
        difference_scale=Scale(-0.4, 0.4, "blue-red"),
        caption=attrs.evolve(_CAPTION, name="cuts"),
    ),
    "removals": Removals(
        names=("cross L1 H4", "FFN L0", "self <&>"),
        taps=("decoder.layers.1.cross_attn.mixed", "decoder.layers.0.feed_forward.output", "decoder.layers.0.self_attn.mixed"),
        shares=np.array([0.52, -0.33, 0.1], np.float32),
        costs=np.array([0.08, 0.38, np.nan], np.float32),
        signed_colours="blue-red",
        caption=_CAPTION,
    ),
    "step_curves": trainings.CURVES,
    "head_diary": trainings.DIARY,
    "answers": trainings.ANSWERS,
    "edges": Heatmap(
        values=np.array([[np.nan, np.nan], [-0.09, 0.03]], np.float32),
        rows=Axis("query", ("他", "<&>"), "source"),
        columns=Axis("key", ("他", "<&>"), "source"),
        scale=Scale(-0.1, 0.1, "blue-red"),
        closed=np.array([[True, True], [False, False]]),
        closed_by="not masked",
        reason="there is nothing to mask",
        estimated=np.array([[False, False], [True, True]]),
        caption=_CAPTION,
    ),
    "vectors": VectorMap(
        cloud=np.array([[0, 0], [1, 0.5], [-1, -0.5]], np.float32),
        names=("他", "<&>", "her"),
        path=np.array([[[0, 0.5], [0.5, 0]], [[-0.5, 1], [1.5, 1]]], np.float32),
        taps=("encoder.embedding.output", "encoder.layers.0.residual2"),
        places=("input", "after layer 0"),
        tokens=("我", "爱<&>"),
        side="source",
        chosen=0,
        near=(1, 0),
        caption=_CAPTION,
    ),
    "wall_measured": attrs.evolve(
        wall(2, 2, 2),
        measured=Measured(
            key="entropy",
            name="Entropy <&>",
            formula="H",
            values=np.array([[0.5, np.nan], [12.25, 0.75]]),
            unit="bit",
            order=(2, 3, 0, 1),
        ),
        caption=_CAPTION,
    ),
    "tree": Tree(
        branches=tuple(
            Branch(node=place, parent=parent, label=label, log_p=-0.5, total=-1.0, state=state, rank=rank)
            for place, (parent, label, state, rank) in enumerate(
                (
                    (-1, "␣He", "forced", 0),
                    (0, "␣is", "best", 0),
                    (0, "␣<&>", "dropped", 0),
                    (1, "<eos>", "best", 1),
                    (1, "北", "kept", 0),
                    (4, "<eos>", "kept", 2),
                )
            )
        ),
        caption=_CAPTION,
    ),
}


def drawn(svg: str) -> str:
    """The figure without the data of fonts and images, whose bytes are their libraries' matter."""
    return re.sub(r"base64,[^)\"]*", "base64,…", svg)


@pytest.mark.parametrize("kind", sorted(PICTURES))
@pytest.mark.parametrize("theme", sorted(THEMES))
def test_a_figure_is_as_it_was(kind: str, theme: str, snapshot: SnapshotAssertion) -> None:
    """Every coordinate, colour and word."""
    assert drawn(render(PICTURES[kind], words("en"), THEMES[theme])) == snapshot


def test_only_data_are_left_out_of_the_comparison() -> None:
    """A changed colour or word is still seen."""
    light, dark = (drawn(render(_MAP, words("en"), theme)) for theme in THEMES.values())
    assert light != dark
    assert light.count("base64,…") == 2 and "Masked: because" in light
