"""The maps of what every norm reads."""

import attrs
import numpy as np
import pytest

from explorer.lang import Words
from explorer.picture.cell_text import cell, number
from explorer.picture.makers.layers import has_norms, norm_deviations, norm_means, subtracts_mean
from explorer.state.look import Look
from explorer.trace.found.norm_figures import Norms, norms
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES, example


def found(trace: Trace | None = None) -> Trace:
    trace = example() if trace is None else trace
    return attrs.evolve(trace, experiments={"norms": norms(trace)})


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_row_is_a_norm_and_each_column_a_token(language: str) -> None:
    """The cell says the tap that is read, and the other of the two figures beside its own."""
    trace, words, look = found(), Words.load(language), Look(side="decoder")
    means, deviations = norm_means(trace, look, words), norm_deviations(trace, look, words)
    assert means is not None and deviations is not None
    x = trace["decoder.layers.0.residual2"].astype(np.float64)

    assert means.rows.labels[:3] == ("0 · norm1", "0 · norm2", "0 · norm3") and means.rows.labels[-1] == "norm"
    assert means.columns.labels == tuple(token.text for token in trace.tokens.target)
    assert means.values[2] == pytest.approx(x.mean(axis=1), abs=1e-6)
    assert deviations.values[2] == pytest.approx(x.std(axis=1), rel=1e-6)
    told = cell(deviations, 2, 1, words)
    assert "decoder.layers.0.residual2" in told and f"μ {number(float(means.values[2, 1]))}" in told
    assert means.caption.origin == deviations.caption.origin == "computed"
    assert means.caption.file_name != deviations.caption.file_name


def test_the_formula_is_that_of_the_models_norm() -> None:
    """The tutorials' kind divides by d − 1; an RMSNorm has no mean, and its map another name."""
    words, look = Words.load("en"), Look()
    usual, tutorial = found(), found(example(norm_kind="std-eps"))
    rms = attrs.evolve(usual, card=attrs.evolve(usual.card, norm_kind="rms"))

    made = [norm_deviations(trace, look, words) for trace in (usual, tutorial, rms)]
    formulas = [each.caption.formula for each in made if each is not None]
    assert ["− μ" in formula for formula in formulas] == [True, True, False]
    assert ["d − 1" in formula for formula in formulas] == [False, True, False]
    assert [subtracts_mean(trace) for trace in (usual, rms)] == [True, False]
    assert made[2] is not None and made[2].caption.title == words("layers.norm_squares")


def test_without_norms_there_is_no_map() -> None:
    """While they are looked for the card stays; where none was found, or nobody will look, it goes."""
    trace, words = example(), Words.load("en")

    assert norm_means(trace, Look(), words) is None and norm_deviations(trace, Look(), words) is None
    assert has_norms(trace, "encoder") and has_norms(found(), "encoder")
    assert not has_norms(attrs.evolve(trace, experiments={"norms": Norms({})}), "encoder")
    assert not has_norms(attrs.evolve(trace, recorded_by="another program"), "encoder")
