"""One followed cell in numbers: each against the recorded tensors, computed another way with torch in float64."""

import math
import re

import attrs
import numpy as np
import pytest
import torch

import explorer
from explorer.errors import NotKept
from explorer.lang import Words
from explorer.picture.follow_text import percent, sentence
from explorer.picture.followed import Followed
from explorer.picture.makers.follow import cell_of, follow, followed
from explorer.state.look import Look, attentions
from explorer.trace.changes import Change
from explorer.trace.tap_names import Cell, cell_in
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, by_hand, example
from tests.sweeps import sweep
from tests.trace.foreign import foreign_trace, grouped_trace

EN = Words.load("en")
MODELS: dict[str, dict[str, object]] = {
    "plain": {},
    "one head": {"n_heads": 1},
    "rotary": {"position": "rotary"},
    "alibi": {"position": "alibi"},
    "alibi and warm": {"position": "alibi", "temperature": 1.7},
    "cold": {"temperature": 0.4},
    "undivided": {"score_scaling": False},
    "undivided and cold": {"score_scaling": False, "temperature": 0.4},
    "finite mask": {"mask_value": "-1e9"},
    "nothing to be seen": {"masking": "zeros"},
    "nothing to be seen, finite": {"masking": "zeros", "mask_value": "-1e9"},
    "exchanged": {"masking": "inverted"},
    "dropout": {"dropout_active": True, "dropout": 0.5},
    "learned positions": {"position": "learned"},
}


def every_cell(trace: Trace, heads: tuple[int, ...] = (0,)) -> list[Cell]:
    """All cells of some heads of the last layer, in each attention."""
    cells = []
    for attention in attentions(trace):
        layer = trace.card.side(attention).n_layers - 1
        look = Look(attention=attention, layer=layer)
        _heads, n_queries, n_keys = trace.shape(look.attention_tap())
        cells += [Cell(attention, layer, head, q, k) for head in heads for q in range(n_queries) for k in range(n_keys)]
    return cells


def recorded(trace: Trace, cell: Cell, stage: str) -> np.ndarray:
    """[key] the row as it was recorded, in float64."""
    return trace[cell.tap(stage)][cell.head, cell.query].astype(np.float64)


def check(trace: Trace, cell: Cell) -> None:
    """Every number of the way, against the record or computed again by torch."""
    made, k = followed(trace, cell, EN), cell.key
    for stage, row in (("scores", made.scores), ("scaled", made.scaled), ("masked", made.masked), ("weights", made.weights)):
        np.testing.assert_array_equal(row, recorded(trace, cell, stage))
    np.testing.assert_array_equal(made.passed, recorded(trace, cell, "dropped"))
    score = torch.dot(torch.tensor(made.query, dtype=torch.float64), torch.tensor(made.key, dtype=torch.float64))
    assert made.running[-1] == pytest.approx(float(score), rel=1e-12, abs=1e-12, nan_ok=True)
    assert made.running[-1] == pytest.approx(recorded(trace, cell, "scores")[k], rel=1e-4, abs=1e-5, nan_ok=True)
    assert made.scores[k] / made.divisor == pytest.approx(made.scaled[k], rel=1e-5, abs=1e-6, nan_ok=True)
    np.testing.assert_allclose(made.biased[~made.closed], made.masked[~made.closed], rtol=1e-5, atol=1e-5)
    soft = torch.softmax(torch.tensor(made.masked, dtype=torch.float64), -1).numpy()
    np.testing.assert_allclose(soft, made.weights, rtol=1e-4, atol=1e-6)
    if not np.isnan(soft).any():
        np.testing.assert_allclose(made.powers / made.powers.sum(), soft, rtol=1e-6, atol=1e-12)
    free = torch.softmax(torch.tensor(made.biased), -1).numpy()
    np.testing.assert_allclose(made.unmasked, free, rtol=1e-9)
    mixed = torch.tensor(made.passed, dtype=torch.float64) @ torch.tensor(made.value, dtype=torch.float64)
    np.testing.assert_allclose(mixed.numpy(), made.mixed, rtol=1e-4, atol=1e-5)
    # The share of the output is what each key's part of the sum has along the sum's direction, over the sum's length.
    parts = torch.tensor(made.passed, dtype=torch.float64)[:, None] * torch.tensor(made.value, dtype=torch.float64)
    length = parts.sum(dim=0).norm()
    along = torch.stack([torch.dot(part, parts.sum(dim=0) / length) for part in parts]) / length
    np.testing.assert_allclose(made.output_shares, along.numpy(), rtol=1e-9, atol=1e-9)
    assert float(np.nan_to_num(made.output_shares, nan=1 / made.n_keys).sum()) == pytest.approx(1)
    assert made.differs == frozenset() and made.remade == frozenset()


@pytest.mark.parametrize("architecture", sweep(ARCHITECTURES, telling=["encoder-decoder"]))
@pytest.mark.parametrize("model", MODELS)
def test_every_cell_comes_out_as_it_was_recorded(model: str, architecture: str) -> None:
    """In each attention of each kind of model; the bias by distance stands between the division and the mask."""
    trace = example(architecture, **MODELS[model])
    for cell in every_cell(trace, (0, trace.card.sides[0].n_heads - 1)):
        check(trace, cell)


def test_a_share_of_the_output_is_never_a_weight() -> None:
    """Each percentage of the last sentence is a share of the output. The translator's weights mostly differ."""
    trace = explorer.explore("他在图书馆看书。", preset="translator")
    n_apart, cells = 0, every_cell(trace, tuple(range(trace.card.sides[0].n_heads)))
    for cell in cells:
        made = followed(trace, cell, EN)
        shares = {percent(float(share)) for share in made.output_shares}
        assert set(re.findall(r"[<>]?−?\d+ %", sentence(made, "mixed", EN))) <= shares
        n_apart += percent(float(made.passed[cell.key])) != percent(float(made.output_shares[cell.key]))
    assert n_apart > len(cells) / 2


def test_a_number_that_is_not_the_records_would_be_found() -> None:
    """So that the test above says something: another score of one cell fails."""
    trace = example()
    tap = "decoder.layers.1.self_attn.scores"
    wrong = trace[tap].copy()
    wrong[0, 2, 1] += 0.5
    with pytest.raises(AssertionError):
        check(attrs.evolve(trace, arrays={**trace.arrays, tap: wrong}), Cell("decoder.self_attn", 1, 0, 2, 1))


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_alibis_bias_is_the_distance_times_the_heads_slope(temperature: float) -> None:
    """Also in closed cells, where the mask has replaced it: m = 2^(-8(h+1)/n), divided by the temperature."""
    trace = example("decoder-only", position="alibi", temperature=temperature)
    made = followed(trace, Cell("decoder.self_attn", 0, 2, 1, 0), EN)

    slope = 2 ** (-8 * 3 / 4) / temperature
    np.testing.assert_allclose(made.bias, [-slope * abs(1 - k) for k in range(4)], rtol=1e-12)


def test_cross_attention_has_no_bias_by_distance() -> None:
    """Queries and keys stand in different texts."""
    made = followed(example(position="alibi"), Cell("decoder.cross_attn", 0, 2, 1, 0), EN)
    assert made.bias is None


def test_a_bias_of_an_unknown_kind_is_read_off_the_open_cells() -> None:
    """What it would be in closed cells nobody knows, so no weights without a mask are told."""
    trace = example("decoder-only", position="alibi")
    other = attrs.evolve(trace, config=None, card=attrs.evolve(trace.card, position="relative-bias"))
    known, read = (followed(each, Cell("decoder.self_attn", 0, 2, 1, 0), EN) for each in (trace, other))

    np.testing.assert_allclose(read.bias[:2], known.bias[:2], atol=1e-6)
    assert np.isnan(read.bias[2:]).all()
    assert read.strongest_closed() is None and known.strongest_closed() is not None


@pytest.mark.parametrize("head", range(4))
def test_shared_keys_and_values_are_those_of_the_heads_group(head: int) -> None:
    """Four heads over two keys: the very numbers of a model in which each head has a copy."""
    copied, shared = grouped_trace()
    cell = Cell("decoder.self_attn", 1, head, 2, 1)
    one, other = followed(copied, cell, EN), followed(shared, cell, EN)

    for name in ("query", "key", "value", "products", "mixed"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.kv_head, other.kv_head) == (head, head // 2)
    assert other.differs == frozenset()


def test_what_was_not_recorded_is_computed_again_and_says_so() -> None:
    """A model without the taps of scores and scaled: from Q and K, and the recorded weights follow from them."""
    trace = example("decoder-only", position="alibi", temperature=1.3)
    cell = Cell("decoder.self_attn", 1, 3, 2, 1)
    gone = {cell.tap(stage) for stage in ("scores", "scaled")}
    axes = {name: each for name, each in trace.axis_names.items() if name not in gone}
    arrays = {name: each for name, each in trace.arrays.items() if name not in gone}
    whole, less = followed(trace, cell, EN), followed(attrs.evolve(trace, arrays=arrays, axis_names=axes), cell, EN)

    assert less.remade == {"scores", "scaled"} and whole.remade == frozenset()
    np.testing.assert_allclose(less.scores, whole.scores, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(less.scaled, whole.scaled, rtol=1e-5, atol=1e-6)
    assert less.differs == frozenset()


def test_a_row_of_a_long_text_is_computed_again() -> None:
    """Under a budget that leaves no room for maps, Q and K are kept; the weights are those of the pass with room."""
    text = "我爱北京天安门" * 30
    knobs = {"tokenizer": "characters", "d_model": 16, "n_heads": 2, "d_ff": 16, "architecture": "decoder-only"}
    whole = explorer.explore(text, preset="tiny", **knobs)
    small = explorer.explore(text, preset="tiny", memory_budget=16, **{**knobs, "n_layers": 12})
    cell = Cell("decoder.self_attn", 1, 1, 150, 149)
    assert whole.whole and not small.whole
    made = followed(small, cell, EN)

    assert {"scores", "scaled", "masked", "weights"} <= made.remade
    assert made.closed.sum() == len(text) - 151 and made.differs == frozenset()
    query, key = (small[cell.tap(part)][1].astype(np.float64) for part in ("query", "key"))
    scores = torch.tensor(query[150] @ key.T / math.sqrt(8))
    scores[151:] = -math.inf
    np.testing.assert_allclose(torch.softmax(scores, -1).numpy(), made.weights, rtol=1e-4, atol=1e-7)


def test_a_change_inside_the_pass_is_noticed() -> None:
    """Weights that somebody set are not the softmax of their scores, and the beat that shows them says so; others do not."""
    tap = "decoder.layers.1.self_attn.weights"
    trace = explorer.explore("我爱北京", preset="tiny", changes=[Change(tap, "set", head=1, rows=(2,), value=0.25)])
    changed = followed(trace, Cell("decoder.self_attn", 1, 1, 2, 0), EN)
    same = followed(trace, Cell("decoder.self_attn", 1, 0, 2, 0), EN)

    assert changed.differs == {"weights"}
    assert same.differs == frozenset()


def test_a_change_of_what_was_not_kept_is_not_computed_again() -> None:
    """The formula would not give it; the head's own map is asked for instead."""
    trace = example("decoder-only")
    cell = Cell("decoder.self_attn", 1, 0, 2, 1)
    axes = {name: each for name, each in trace.axis_names.items() if name != cell.tap("scaled")}
    arrays = {name: each for name, each in trace.arrays.items() if name != cell.tap("scaled")}
    changed = attrs.evolve(trace, arrays=arrays, axis_names=axes, changes=(Change(cell.tap("masked"), "scale", value=2.0),))
    with pytest.raises(NotKept):
        followed(changed, cell, EN)


def test_a_model_without_attention_has_nothing_to_follow() -> None:
    """No picture, and no error."""
    assert follow(foreign_trace(), Look(attention="decoder.self_attn").fitted(foreign_trace()), EN) is None


def test_without_a_chosen_cell_a_telling_one_is_followed() -> None:
    """Not on the diagonal of self-attention, and with a weight times an entropy as large as any other's."""
    trace = example()
    for attention in attentions(trace):
        cell = cell_of(trace, Look(attention=attention, head=1))
        weights = trace[cell.tap("weights")][1].astype(np.float64)
        logs = np.log2(np.where(weights > 0, weights, 1.0))
        worth = weights * -(weights * logs).sum(-1, keepdims=True)
        if attention.endswith("self_attn"):
            worth[np.eye(len(worth), dtype=bool)] = 0
        assert worth[cell.query, cell.key] == pytest.approx(worth.max(), rel=1e-5)
    assert cell_of(trace, Look(cell_query=1, cell_key=2)) == Cell("encoder.self_attn", 0, 0, 1, 2)


@pytest.mark.parametrize(
    ("tap", "head", "cell"),
    [
        ("decoder.layers.3.cross_attn.weights", 2, Cell("decoder.cross_attn", 3, 2, 4, 5)),
        ("encoder.layers.0.self_attn.scores", 0, Cell("encoder.self_attn", 0, 0, 4, 5)),
        ("encoder.layers.0.self_attn.scores", None, None),
        ("encoder.layers.0.self_attn.query", 0, None),
        ("model.blocks.1.attention.weights", 0, None),
        ("generator.logits", 0, None),
    ],
)
def test_a_cell_is_found_by_its_tap(tap: str, head: int | None, cell: Cell | None) -> None:
    """Attention maps of one head have cells to follow, and nothing else has."""
    found = cell_in(tap, head, 4, 5)
    assert found == cell
    if found is not None:
        assert found.tap(tap.rpartition(".")[2]) == tap


def wide(n: int = 200) -> Followed:
    """A cell of a head of `n` features, each product another one."""
    numbers = np.random.default_rng(3).normal(size=(2, n))
    return by_hand(tuple(numbers[0]), tuple(numbers[1]), d_head=n)


@pytest.mark.parametrize("most", [2, 20, 64, 199, 200, 500])
def test_the_terms_are_the_largest_products_and_their_sum_is_the_score(most: int) -> None:
    """In the order of the features; what is left out is one term more."""
    made = wide()
    features, rest = made.terms(most)
    left = np.setdiff1d(np.arange(200), features)

    assert made.products[features].sum() + rest == pytest.approx(made.products.sum(), rel=1e-12)
    assert len(features) + bool(len(left)) <= max(most, 2)
    assert (np.diff(features) > 0).all()
    if len(left):
        assert np.abs(made.products[features]).min() >= np.abs(made.products[left]).max()
    else:
        assert rest == 0


def test_the_followed_key_and_the_strongest_closed_one_are_always_shown() -> None:
    """However small their weights are; the others by their weights, all in their order."""
    made = by_hand(other=(-9.0, 4.0, 5.0), closed=(False, False, False, True))
    assert made.shown_keys(4).tolist() == [0, 1, 2, 3]
    assert made.shown_keys(3).tolist() == [0, 2, 3]
    assert made.shown_keys(2).tolist() == [0, 3]
    assert made.shown_keys(1).tolist() == [0]


def test_large_scores_are_raised_to_powers_that_can_be_read() -> None:
    """Beyond 20 the largest score is subtracted first, which leaves the weights as they are."""
    small, large = by_hand(), by_hand(other=(300.0, 600.0, 5.0), closed=(False,) * 4)
    assert small.shift == 0 and large.shift == 300.0
    assert np.isfinite(large.powers).all() and large.powers.max() == 1
