"""Neighbours of a token in the vocabulary against loops in float64, and the plane on which all are seen."""

import math

import numpy as np
import pytest

import explorer
from explorer.api.lending import alone, computer_of_process
from explorer.engine.experiments import vectors as module
from explorer.trace.trace import Trace
from explorer.trace.vectors import SideVectors, Vectors

ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")


def looked_into(text: str = "我爱北京天安门", preset: str = "tiny", **knobs: object) -> tuple[Trace, Vectors]:
    trace = explorer.explore(text, preset=preset, experiments=["vectors"], **knobs)
    found = trace.experiments["vectors"]
    assert isinstance(found, Vectors)
    return trace, found


def tables(preset: str = "tiny", **knobs: object) -> dict[str, np.ndarray]:
    """The embedding matrices [vocab, feature] of the same model, fetched in another way."""
    from explorer.engine.request import Request

    with alone() as computer:
        request = Request.from_preset(preset, "我", **knobs)
        computer(request)
        source = computer.sources.of(request.wish)
        model = source.ready(request.wish.config, 0, lambda: False, lambda *_: None)
    stacks = {"encoder": model.encoder, "decoder": model.decoder}
    return {side: stack.embedding.look_up.weight.detach().numpy() for side, stack in stacks.items() if stack is not None}


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    """By sums of Python's own floats."""
    products = [float(a) * float(b) for a, b in zip(one, other, strict=True)]
    lengths = [math.sqrt(math.fsum(float(a) ** 2 for a in row)) for row in (one, other)]
    return math.fsum(products) / (lengths[0] * lengths[1])


def assert_nearest(found: SideVectors, table: np.ndarray) -> None:
    """No symbol is nearer than those that were found, and each cosine is that of the two rows."""
    long = table.astype(np.float64)
    directions = long / np.linalg.norm(long, axis=1, keepdims=True)
    for position, own in enumerate(found.ids):
        every = directions @ directions[own]
        every[own] = -np.inf
        assert found.cosines[position] == pytest.approx(np.sort(every)[::-1][: found.cosines.shape[1]], abs=1e-5)
        for symbol, value in list(zip(found.nearest[position], found.cosines[position], strict=True))[:3]:
            assert symbol != own and value == pytest.approx(cosine(table[symbol], table[own]), abs=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_neighbours_are_the_nearest_rows_of_the_table(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every token of each side, whether the vocabulary is compared at once or in parts."""
    knobs = {"architecture": architecture, "vocab_size": 300}
    rows, (_trace, found) = tables(**knobs), looked_into(**knobs)
    monkeypatch.setattr(module, "AT_ONCE", 37)
    computer_of_process.cache_clear()
    _trace, in_parts = looked_into(**knobs)
    assert found.sides.keys() == rows.keys()
    for side, one in found.sides.items():
        assert one.n_symbols == len(rows[side])
        assert_nearest(one, rows[side])
        assert_nearest(in_parts.sides[side], rows[side])
        assert in_parts.sides[side].cosines == pytest.approx(one.cosines, abs=1e-6)


def test_the_check_of_neighbours_can_fail() -> None:
    """Another table has other neighbours."""
    _trace, found = looked_into(vocab_size=300)
    with pytest.raises(AssertionError):
        assert_nearest(found.sides["encoder"], tables(vocab_size=300, seed=9)["encoder"])


def test_the_map_keeps_the_order_of_distances_that_the_plane_has() -> None:
    """Each place is the unit vector's projection: differences between places are those of the vectors along two directions."""
    trace, found = looked_into(vocab_size=300)
    one, rows = found.sides["encoder"], tables(vocab_size=300)["encoder"].astype(np.float64)
    streams = np.stack([trace[tap] for tap in one.taps]).astype(np.float64).reshape(-1, trace.card.d_model)
    every = np.concatenate([rows[one.sampled], streams])
    every /= np.linalg.norm(every, axis=1, keepdims=True)
    left, singular, right = np.linalg.svd(every - every.mean(0), full_matrices=False)
    wanted = left[:, :2] * singular[:2]
    places = np.concatenate([one.cloud, one.path.reshape(-1, 2)])
    signs = np.sign((places * wanted).sum(0))
    assert places == pytest.approx(wanted * signs, abs=1e-5)
    assert one.shares == pytest.approx(tuple(singular[:2] ** 2 / (singular**2).sum()))
    assert right.shape[1] == trace.card.d_model


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_way_leads_from_the_input_through_every_layer(architecture: str) -> None:
    """To what the last addition of each layer leaves."""
    trace, found = looked_into(architecture=architecture)
    for side, one in found.sides.items():
        last = 3 if architecture == "encoder-decoder" and side == "decoder" else 2
        layers = tuple(f"{side}.layers.{layer}.residual{last}" for layer in range(2))
        assert one.taps == (f"{side}.embedding.output", *layers)
        assert one.path.shape == (3, len(trace.side(one.taps[0])), 2)


def test_a_large_vocabulary_is_sampled_and_the_neighbours_are_there_all_the_same() -> None:
    """At most a thousand evenly spaced symbols, from the first to the last."""
    _trace, found = looked_into(vocab_size=5000)
    one = found.sides["encoder"]
    assert one.n_symbols == 5000 and 1000 <= len(one.sampled) <= 1000 + 8 * len(one.tokens)
    assert {0, 4999} <= set(one.sampled.tolist()) and set(one.nearest[:, :8].ravel().tolist()) <= set(one.sampled.tolist())
    few = looked_into(vocab_size=100)[1].sides["encoder"]
    assert few.sampled.tolist() == list(range(100))


def test_the_translator_s_words_have_likely_neighbours_of_their_own_language() -> None:
    """A source token's are Chinese, a target token's English: each side has its own names."""
    trace, found = looked_into("我爱北京。", preset="translator")
    assert "上海" in [symbol for symbol, _cosine in trace.neighbours(2)]
    target = found.sides["decoder"]
    love = target.tokens.index("␣love")
    assert {"␣loved", "␣loves"} <= {symbol for symbol, _cosine in trace.neighbours(love, "decoder")}


def test_one_symbol_too_few_for_twenty_neighbours_is_no_fault() -> None:
    """A vocabulary of the sentence's own words."""
    _trace, found = looked_into("我爱你", vocabulary="sentence", tokenizer="characters", vocab_size=16)
    one = found.sides["encoder"]
    assert one.nearest.shape == (3, 15) and {"我", "爱", "你"} <= set(one.names.values())
