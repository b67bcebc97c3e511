"""The segmentation lens as a picture: which head it shows, what it says of words that fell apart, and what it leaves out."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.errors import TooLong
from explorer.lang import Words
from explorer.picture.makers.segmentations import cut_rows
from explorer.state.look import Look
from explorer.trace.found.segmentations import Segmentation, Segmentations
from explorer.trace.trace import Trace

EN = Words.load("en")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return explorer.explore("南京市长江大桥", preset="translator", experiments=["segmentations"])


def found(trace: Trace) -> Segmentations:
    made = trace.experiments["segmentations"]
    assert isinstance(made, Segmentations)
    return made


@pytest.mark.parametrize(
    ("aligned", "layer", "head", "title"),
    [("head", 1, 5, "L1 H5"), ("layer_max", 1, None, "L1 · mean of 8 heads"), ("rollout", None, None, "mean of 3×8 heads")],
)
def test_the_heads_are_those_that_are_looked_at(
    trace: Trace, aligned: str, layer: int | None, head: int | None, title: str
) -> None:
    """One of them, or a mean, also where a maximum is looked at, whose rows would be no sums of 1."""
    picture = cut_rows(trace, Look(layer=1, head=5, aligned=aligned), EN)

    assert picture.rows[1].values == pytest.approx(found(trace).folded(1, layer, head), abs=1e-6)
    assert picture.caption.title.endswith(title)


def test_a_layer_and_a_head_beyond_the_last_are_the_last(trace: Trace) -> None:
    """A Look may be of a larger model."""
    picture = cut_rows(trace, Look(layer=40, head=40), EN)

    assert picture.caption.title.endswith("L2 H7") and picture.caption.tap == "encoder.layers.2.self_attn.weights"


def test_the_note_says_what_fell_apart_and_what_lies_across(trace: Trace) -> None:
    """And the counts stand at each cut."""
    picture = cut_rows(trace, Look(), EN)

    assert "南京市 → 南·京·市, 长江大桥 → 长·江·大·桥" in picture.caption.note and "市长" in picture.caption.note
    assert [row.about for row in picture.rows] == [f"{n} tokens" for n in (7, 16, 15, 7, 7)]


def test_a_cut_that_was_refused_says_why(trace: Trace) -> None:
    """It has no map, and neither has its difference; by hand it has another name."""
    refused = Segmentation("", refused=TooLong(limit=3, got=7))
    made = attrs.evolve(found(trace), rows=(*found(trace).rows, refused), present=5)
    picture = cut_rows(attrs.evolve(trace, experiments={"segmentations": made}), Look(), EN)
    row = picture.rows[5]

    assert (row.name, row.values, row.about) == ("by hand", None, "") and "3" in row.refused
    assert all(each.difference is None for each in picture.rows)


def test_nothing_is_drawn_before_the_passes_are_made(trace: Trace) -> None:
    """The last picture stays."""
    assert cut_rows(attrs.evolve(trace, experiments={}), Look(), EN) is None


def test_the_difference_is_on_a_scale_of_its_own(trace: Trace) -> None:
    """It ends at a round number that no cell goes beyond, and equal cuts differ by nothing."""
    picture = cut_rows(trace, Look(), EN)
    largest = max(float(np.abs(row.difference).max()) for row in picture.rows)

    assert largest <= picture.difference_scale.high == -picture.difference_scale.low
    assert not picture.rows[0].difference.any()
