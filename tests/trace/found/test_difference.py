"""Where two passes differ: every number against torch in float64, and where nothing or no more than rounding differs."""

import json
import math

import attrs
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from explorer.trace.arrays import frozen_array
from explorer.trace.found.difference import Difference
from explorer.trace.found.differing import difference_of, vocabularies_beside
from explorer.trace.kept_map import KeptMap
from explorer.trace.measures.apart import apart
from explorer.trace.trace import Trace
from tests.trace.runs import a_trace

TAP = "encoder.layers.1.self_attn.weights"


def changed(trace: Trace, tap: str, values: NDArray[np.float32]) -> Trace:
    """The same pass with other numbers at one tap."""
    return attrs.evolve(trace, arrays={**trace.arrays, tap: frozen_array(values)})


def with_number(trace: Trace, tap: str, by: float) -> Trace:
    """The same pass with one number of one tap moved."""
    values = np.array(trace[tap])
    values.flat[7] += by
    return changed(trace, tap, values)


def without(trace: Trace, *taps: str) -> Trace:
    kept = {name: axes for name, axes in trace.axis_names.items() if name not in taps}
    return attrs.evolve(trace, axis_names=kept, arrays={name: trace.arrays[name] for name in kept})


def mixed(trace: Trace) -> Trace:
    """The same pass with other logits and other attention weights, whose rows sum to 1."""
    chance = torch.Generator().manual_seed(3)
    weights = torch.rand(trace[TAP].shape, generator=chance).softmax(-1)
    logits = torch.randn(trace["generator.logits"].shape, generator=chance)
    return changed(changed(trace, TAP, weights.numpy()), "generator.logits", logits.numpy())


def test_a_pass_agrees_with_itself_and_parts_where_one_number_is_moved() -> None:
    """The tap of that number is the first one, and the only one."""
    trace = a_trace()
    assert difference_of(trace, trace).agree
    assert difference_of(trace, with_number(trace, "encoder.norm", 1e-6)).agree

    found = difference_of(trace, with_number(trace, "encoder.norm", 0.5))
    assert not found.agree and found.first is not None and found.first.apart is not None
    assert [tap.tap for tap in found.taps if tap.differs] == ["encoder.norm"]
    assert (found.first.tap, found.first.apart.beyond) == ("encoder.norm", 1)
    assert found.first.apart.largest == pytest.approx(0.5, abs=1e-6)
    assert difference_of(trace, with_number(trace, "encoder.norm", 0.5), tolerance=1.0).agree


def test_the_first_tap_is_the_first_in_the_order_of_computation() -> None:
    """Also where a later one is farther off."""
    trace = a_trace()
    other = with_number(with_number(trace, "generator.logits", 9.0), "encoder.layers.0.norm1", 0.01)
    first = difference_of(trace, other).first
    assert first is not None and first.tap == "encoder.layers.0.norm1"


def test_heads_are_as_far_apart_as_torch_says() -> None:
    """Total variation distance and entropy in bits, in float64; the head that changed most comes first."""
    trace, other = a_trace(), mixed(a_trace())
    found = difference_of(trace, other).heads["encoder.self_attn"]
    a, b = (torch.from_numpy(np.array(each[TAP])).double() for each in (trace, other))
    distance = (a - b).abs().sum(-1).mul(0.5).mean(-1)  # [head]
    bits = [torch.distributions.Categorical(probs=each).entropy().mean(-1) / math.log(2) for each in (a, b)]

    np.testing.assert_allclose(found.distance[1], distance.numpy(), atol=1e-7)
    np.testing.assert_allclose(found.entropy[1], (bits[1] - bits[0]).numpy(), atol=1e-6)
    assert (found.distance[0] == 0).all() and (found.entropy[0] == 0).all()
    rows = difference_of(trace, other).to_pandas("heads")
    assert (rows["attention"][0], rows["layer"][0], rows["head"][0]) == ("encoder.self_attn", 1, int(distance.argmax()))
    assert rows["distance"].is_monotonic_decreasing


def test_words_have_the_log_p_of_torch() -> None:
    """Of the words that both predict after the same tokens; behind another token there is none."""
    trace, other = a_trace(), mixed(a_trace())
    found = difference_of(trace, other).words
    assert found is not None
    ids = torch.tensor([token.id for token in trace.tokens.target][1:])
    logs = [torch.from_numpy(np.array(each["generator.logits"])).double().log_softmax(-1) for each in (trace, other)]
    expected = [each[torch.arange(2), ids].numpy() for each in logs]
    np.testing.assert_allclose(found.first, expected[0], atol=1e-6)
    np.testing.assert_allclose(found.second, expected[1], atol=1e-6)
    np.testing.assert_allclose(found.differences, expected[1] - expected[0], atol=1e-6)

    target = trace.tokens.target
    reworded = attrs.evolve(trace.tokens, target=(*target[:2], attrs.evolve(target[2], text="d", id=9)))
    cut = difference_of(trace, attrs.evolve(trace, tokens=reworded))
    assert cut.other_tokens and not cut.agree and cut.words is not None
    assert np.isfinite(cut.words.differences).tolist() == [True, False]


def test_how_far_two_arrays_are_apart_is_what_torch_says() -> None:
    """Frobenius norms in float64, and how many places are beyond the tolerance."""
    chance = np.random.default_rng(5)
    a = chance.normal(size=(60, 50)).astype(np.float32) * 30
    b = a + (chance.normal(size=a.shape) * 1e-3).astype(np.float32)
    found = apart(a, b, 1e-4)
    one, other = torch.from_numpy(a).double(), torch.from_numpy(b).double()
    assert found.norm == pytest.approx(float((other - one).norm()), rel=1e-12)
    assert found.relative == pytest.approx(float((other - one).norm() / one.norm()), rel=1e-12)
    assert found.largest == float((other - one).abs().max())
    assert found.beyond == int((~torch.isclose(other, one, rtol=0, atol=1e-4) & ((other - one).abs() > 1e-4 * one.abs())).sum())
    assert 0 < found.beyond < found.size == a.size


def test_masked_scores_of_both_passes_do_not_differ() -> None:
    """−∞ beside −∞ is the same; −∞ beside a number is not, nor is NaN."""
    inf = np.array([[0.0, -np.inf]], np.float32)
    assert apart(inf, inf).beyond == 0
    assert apart(np.float32([np.nan]), np.float32([np.nan])).beyond == 0
    for other in (np.float32([[0.0, -1e9]]), np.float32([[0.0, np.inf]]), np.float32([[0.0, np.nan]])):
        found = apart(inf, other)
        assert (found.beyond, found.largest) == (1, math.inf)


def test_another_shape_is_a_difference() -> None:
    """It is told with both shapes, and nothing is subtracted."""
    trace = a_trace()
    first = difference_of(trace, changed(trace, TAP, np.array(trace[TAP])[:, :3])).first
    assert first is not None and first.apart is None
    assert (first.tap, first.shapes) == (TAP, ((4, 5, 5), (4, 3, 5)))


def test_a_tap_that_one_lacks_counts_where_all_were_recorded() -> None:
    """Of a pass with few chosen taps, and of one from another program, the rest is told and does not count."""
    trace = a_trace()
    less = without(trace, TAP)
    for pair in ((trace, less), (less, trace)):
        first = difference_of(*pair).first
        assert first is not None and first.tap == TAP and () in first.shapes
    assert difference_of(trace, attrs.evolve(less, taps=("*.norm1",))).agree
    assert difference_of(trace, attrs.evolve(less, recorded_by="some engine")).agree
    nothing = without(trace, *trace.names())
    assert not difference_of(trace, attrs.evolve(nothing, taps=("nothing",))).agree


def test_a_tap_that_was_not_kept_is_not_compared() -> None:
    """It is told, and its heads have no distance."""
    trace = a_trace()
    kept = {name: array for name, array in trace.arrays.items() if name != TAP}
    cut = attrs.evolve(trace, arrays=kept, maps={TAP: KeptMap(tap=TAP, shape=trace[TAP].shape)})
    found = difference_of(trace, cut)
    assert found.agree and found.not_compared == (TAP,)
    assert np.isnan(found.heads["encoder.self_attn"].distance[1]).all()


def test_two_vocabularies_share_what_is_in_both() -> None:
    """And tokens of the text that only one has are named once."""
    found = vocabularies_beside(("a", "b", "c"), ("c", "d"), ("a", "c", "a"), ("c", "d"))
    assert found is not None
    assert (found.sizes, found.shared, found.only, found.same) == ((3, 2), 1, (("a",), ("d",)), False)
    assert vocabularies_beside((), ("a",)) is None


def test_everything_is_written_as_json() -> None:
    """NaN is null, infinity a string; a reader finds what `repr` says."""
    found = difference_of(a_trace(), mixed(a_trace()), ("one", "two"))
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (told["a"], told["b"], told["agree"], told["first"], told["weights"]) == ("one", "two", False, TAP, None)
    assert len(told["taps"]) == len(a_trace())
    assert TAP in repr(found) and "they differ" in repr(found) and repr(found).count("\n") < 10
    assert "they agree" in repr(Difference(names=("A", "B")))
    assert [len(found.to_pandas(name)) > 0 for name in ("taps", "heads", "words", "tokens")] == [True] * 4
