"""Attention in NumPy held against the model's in torch: two programs that share no line."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer import mathematics
from explorer.config import MASK_VALUES, Config
from explorer.mathematics import alibi, alibi_slope, attention_step, softmax
from explorer.model import positions
from explorer.model.attention import Attention
from explorer.model.hooks import hooked

STEPS = ("scores", "scaled", "masked", "weights")
Steps = dict[str, np.ndarray]


def in_torch(config: Config, query: np.ndarray, key: np.ndarray, may_look: np.ndarray) -> Steps:
    """[head, query, key] each step of the model's own attention, as its taps show it, in float64."""
    model, seen = Attention(config, relative=True), {}
    with hooked(model, lambda tap, _args, tensor: seen.update({tap.name: tensor[0].numpy()})):
        model.weigh(*(torch.from_numpy(each)[None] for each in (query, key)), torch.from_numpy(may_look))
    return {step: seen[step] for step in STEPS}


def in_numpy(config: Config, query: np.ndarray, key: np.ndarray, may_look: np.ndarray) -> Steps:
    """[head, query, key] the same steps head by head in NumPy."""
    made: Steps = {}
    for step in STEPS:
        heads = []
        for head, (q, k) in enumerate(zip(query, key, strict=True)):
            given: dict[str, Any] = {"divisor": config.score_divisor, "mask_value": MASK_VALUES[config.mask_value]}
            if config.position == "alibi":
                given["bias"] = alibi(alibi_slope(head, config.n_heads), len(q), len(k)) / config.temperature
            with np.errstate(invalid="ignore"):
                heads.append(attention_step(step, q, k, closed=~may_look, **given))
        made[step] = np.stack(heads)
    return made


def assert_same_steps(found: Steps, wanted: Steps) -> None:
    """To 1e-6 of each number; closed cells are the very same."""
    assert found.keys() == wanted.keys()
    for step, array in wanted.items():
        np.testing.assert_allclose(found[step], array, rtol=1e-6, atol=1e-6, err_msg=step)


@st.composite
def attentions(draw: st.DrawFn) -> tuple[Config, np.ndarray, np.ndarray, np.ndarray]:
    """Knobs of one attention, its queries and keys [head, position, feature], and a mask [query, key]."""
    n_heads, d_head, n = draw(st.sampled_from((1, 2, 3, 4))), draw(st.integers(1, 8)), draw(st.integers(1, 9))
    config = Config(
        n_heads=n_heads,
        d_model=n_heads * 4 * d_head,
        position=draw(st.sampled_from(("none", "alibi"))),
        temperature=draw(st.floats(0.1, 5)),
        score_scaling=draw(st.booleans()),
        mask_value=draw(st.sampled_from(tuple(MASK_VALUES))),
    )
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    query, key = random.normal(size=(2, n_heads, n, config.d_head))
    return config, query, key, random.random((n, n)) < draw(st.floats(0, 1))


@settings(max_examples=60, deadline=None)
@given(attentions())
def test_both_attentions_make_the_same_steps(drawn: tuple[Config, np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Whatever the knobs, the sizes and the mask, a row that is left nothing included."""
    assert_same_steps(in_numpy(*drawn), in_torch(*drawn))


@pytest.mark.parametrize("spoiled", ["divisor", "bias", "mask", "softmax"])
def test_an_error_in_either_would_be_found(spoiled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the divisor, the bias, the mask and the softmax by themselves: one part in ten thousand, or one cell."""
    config = Config(n_heads=2, d_model=16, position="alibi", temperature=0.7)
    query, key = np.random.default_rng(1).normal(size=(2, 2, 5, 8))
    may_look = np.tri(5, dtype=bool)
    wanted = in_torch(config, query, key, may_look)
    assert_same_steps(in_numpy(config, query, key, may_look), wanted)
    if spoiled == "divisor":
        monkeypatch.setattr(Config, "score_divisor", property(lambda _self: 8**0.5 * 0.70007))
    elif spoiled == "bias":
        monkeypatch.setattr(positions, "alibi_slopes", lambda n: torch.full((n,), 0.0625))
        wanted = in_torch(config, query, key, may_look)
    elif spoiled == "mask":
        may_look[4, 4] = False
    else:
        monkeypatch.setattr(mathematics, "softmax", lambda x: 1.0001 * softmax(x))

    with pytest.raises(AssertionError):
        assert_same_steps(in_numpy(config, query, key, may_look), wanted)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_step_stays_in_its_precision(kind: type) -> None:
    """Files hold float32, references float64."""
    query, key = np.random.default_rng(1).normal(size=(2, 4, 8)).astype(kind)
    for step in STEPS:
        made = attention_step(step, query, key, divisor=2.0, bias=alibi(0.5, 4, 4), closed=~np.tri(4, dtype=bool))
        assert made.dtype == kind


def test_a_block_of_alibis_queries_is_a_part_of_the_whole() -> None:
    """The first query of a block stands where it stands."""
    np.testing.assert_array_equal(alibi(0.5, 3, 9, first=4), alibi(0.5, 9, 9)[4:7])


def test_softmax_of_known_numbers() -> None:
    """ln 1, ln 2 and ln 5 are an eighth, a quarter and five eighths; a thousand more changes nothing."""
    x = np.log([[1.0, 2.0, 5.0]])

    np.testing.assert_allclose(softmax(x), [[0.125, 0.25, 0.625]], rtol=1e-15)
    np.testing.assert_allclose(softmax(x + 1000), [[0.125, 0.25, 0.625]], rtol=1e-12)
