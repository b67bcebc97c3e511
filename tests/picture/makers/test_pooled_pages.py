"""Means and maxima on the pages of masks and of comparison, against NumPy's own over the recorded tensors."""

import attrs
import numpy as np
import pytest

from explorer.picture.makers import compare, masks_lab
from explorer.picture.makers.pooled import at_stages, heads_map, told_pool
from explorer.state.look import Look
from explorer.trace.found.findings import PaddedBatch
from explorer.trace.found.rollout import rollout
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES, example, words

EN = words("en")
TAKEN = {"layer": np.mean, "all": np.mean, "layer_max": np.max, "all_max": np.max}


def stacked(trace: Trace, attention: str, stage: str = "weights") -> np.ndarray:
    """[layer, head, query, key] in float64."""
    side, _, kind = attention.partition(".")
    layers = range(trace.card.side(side).n_layers)
    return np.stack([trace[f"{side}.layers.{layer}.{kind}.{stage}"] for layer in layers]).astype(np.float64)


def pooled(maps: np.ndarray, key: str, layer: int) -> np.ndarray:
    """[query, key] of maps [layer, head, query, key]."""
    return TAKEN[key](maps[[layer]] if key.startswith("layer") else maps, axis=(0, 1))


def beside(**knobs: object) -> Trace:
    """A trace beside one of the same sentence with other knobs."""
    return attrs.evolve(example(), compared_with=example(**knobs))


@pytest.mark.parametrize("attention", ["encoder.self_attn", "decoder.cross_attn"])
@pytest.mark.parametrize("stage", ["scaled", "weights"])
@pytest.mark.parametrize("key", TAKEN)
def test_two_states_are_compared_by_their_means_or_maxima(key: str, stage: str, attention: str) -> None:
    """Both maps, and their difference; all say that they were computed."""
    trace, look = beside(temperature=2.0), Look(attention=attention, layer=1, head=2, stage=stage, aligned=key)
    mine, theirs = (pooled(stacked(each, attention, stage), key, 1) for each in (trace, trace.compared_with))
    assert compare.now(trace, look, EN).values == pytest.approx(mine, abs=1e-5)
    assert compare.aside(trace, look, EN).values == pytest.approx(theirs, abs=1e-5)
    between = compare.difference(trace, look, EN)
    assert between.values == pytest.approx(mine - theirs, abs=1e-5) and np.abs(between.values).max() > 1e-4
    assert told_pool(trace, look, EN) in compare.now(trace, look, EN).caption.title
    assert between.caption.origin == compare.now(trace, look, EN).caption.origin == "computed"


def test_two_rollouts_are_compared() -> None:
    """Through the chosen layer."""
    trace, look = beside(temperature=3.0), Look(layer=1, aligned="rollout")
    mine, theirs = (rollout(list(stacked(each, "encoder.self_attn"))) for each in (trace, trace.compared_with))
    assert compare.difference(trace, look, EN).values == pytest.approx(mine - theirs, abs=1e-6)


def test_one_head_is_still_compared_as_it_was_recorded() -> None:
    """Bit by bit."""
    trace, look = beside(temperature=2.0), Look(layer=1, head=3)
    tap = "encoder.layers.1.self_attn.weights"
    assert np.array_equal(compare.now(trace, look, EN).values, trace[tap][3])
    assert np.array_equal(compare.difference(trace, look, EN).values, trace[tap][3] - trace.compared_with[tap][3])


@pytest.mark.parametrize("language", LANGUAGES)
def test_means_are_comparable_where_single_heads_are_not(language: str) -> None:
    """A model with fewer heads has the layer; one with fewer layers has the mean of all; otherwise it is said."""
    heads, layers = beside(n_heads=2), beside(n_layers=1)
    look = Look(layer=1, head=3)
    for trace, able in ((heads, {"layer", "layer_max", "all", "all_max", "rollout"}), (layers, {"all", "all_max"})):
        for key in ("head", *TAKEN, "rollout"):
            seen = attrs.evolve(look, aligned=key)
            assert compare.comparable(trace, seen) == (key in able)
            assert bool(compare.not_comparable(trace, seen, words(language))) == (key not in able)
    why = compare.not_comparable(layers, attrs.evolve(look, aligned="layer"), words(language))
    assert told_pool(layers, attrs.evolve(look, aligned="layer"), words(language)) in why


@pytest.mark.parametrize("key", TAKEN)
@pytest.mark.parametrize("stage", ["scaled", "masked", "weights"])
def test_masked_cells_stay_closed_in_a_mean(stage: str, key: str) -> None:
    """Before the mask all cells have a number, behind it those that may be seen."""
    trace, look = example(), Look(attention="decoder.self_attn", layer=1, stage=stage, aligned=key)
    made = heads_map(trace, at_stages(look), EN)
    wanted = pooled(stacked(trace, "decoder.self_attn", stage), key, 1)
    open_ = np.isfinite(made.values)
    assert open_.all() if stage == "scaled" else (open_ == np.tri(len(open_), dtype=bool)).all()
    assert made.values[open_] == pytest.approx(wanted[open_], abs=1e-5)


def test_stages_beside_each_other_have_no_rollout() -> None:
    """It is made of weights alone; a mean of all stands in its place, and everything else stays."""
    assert at_stages(Look(aligned="rollout", layer=1)) == Look(aligned="all", layer=1)
    for key in ("head", *TAKEN):
        assert at_stages(Look(aligned=key)) == Look(aligned=key)


@pytest.mark.parametrize("key", ["head", *TAKEN])
def test_sentences_of_a_batch_are_pooled_as_well(key: str) -> None:
    """Of the chosen layer and head, or of several; padding stays closed."""
    trace = example()
    weights = (
        np.random.default_rng(0).dirichlet(np.ones(3), (2, 2, 4, 3)).astype(np.float32)
    )  # [batch, layer, head, query, key]
    weights[1, ..., 2] = 0
    masked = np.where(weights == 0, -np.inf, 0).astype(np.float32)
    tokens = tuple(trace.tokens.source[:n] for n in (3, 2))
    real = np.array([[True, True, True], [True, True, False]])
    found = PaddedBatch(tokens, real, masked, weights, difference=0.0, difference_unmasked=1.0)
    trace = attrs.evolve(trace, experiments={**trace.experiments, "batch": found})
    made = masks_lab.batch_map(trace, Look(layer=1, head=2, aligned=key), EN, 1)
    maps = weights[1].astype(np.float64)
    wanted = maps[1, 2] if key == "head" else pooled(maps, key, 1)
    assert made.values[:, :2] == pytest.approx(wanted[:, :2], abs=1e-6) and made.closed[:, 2].all()
    assert ("*" in made.caption.tap) == key.startswith("all")
    assert (made.caption.formula == "A") == (key == "head")
