"""Saliency against finite differences in float64, and the sum that integrated gradients approximate."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import pytest
import torch

import explorer
from explorer.config import Config
from explorer.engine.experiments.bench import Bench, stopping_between_layers
from explorer.engine.experiments.saliency import integral, saliency
from explorer.engine.sources.source import never
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.presets import load_preset
from explorer.stops import Stop, Superseded
from explorer.tokens.token import Token
from explorer.trace.found.saliency import Saliency
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens

_SMALL = Config(n_layers=2, n_heads=2, d_model=16, d_ff=32, vocab_size=40, max_len=16)
ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
Ids = tuple[torch.Tensor | None, torch.Tensor | None]


def bench(architecture: str, stop: Stop = never) -> Bench:
    model = build(_SMALL.changed(architecture=architecture)).double()
    source = () if architecture == "decoder-only" else (4, 5, 6, 7)
    target = () if architecture == "encoder-only" else (2, 8, 9)
    rows = [tuple(Token(str(each), each, 0, 1, True) for each in row) for row in (source, target)]
    return Bench(model, Tokens(*rows), (), stop)


def made(architecture: str) -> tuple[Transformer, Ids, Saliency]:
    given = bench(architecture)
    return given.own, (given.source(), given.target()), saliency(given)


def along(model: Transformer, ids: Ids, tap: str, token: int, share: float) -> list[float]:
    """log p of each word, the likeliest of the plain pass, with one token's vector scaled by `share`."""
    with torch.no_grad():
        words = model(*ids).argmax(dim=-1)[0].tolist()

        def hook(_tap: Tap, _args: Any, tensor: torch.Tensor) -> torch.Tensor:
            scaled = tensor.clone()
            scaled[:, token] *= share
            return scaled

        with hooked(model, hook, at=[tap]):
            log_p = model(*ids).log_softmax(dim=-1)[0]
    return [float(log_p[place, word]) for place, word in enumerate(words)]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_gradient_times_input_is_the_slope_along_the_vector(architecture: str) -> None:
    """x · ∂f/∂x is what f gains for each part by which x grows: a central difference in float64 without autograd."""
    model, ids, found = made(architecture)
    for side, values in found.gradient.items():
        for token in range(values.shape[1]):
            more, less = (along(model, ids, f"{side}.embedding.output", token, 1 + step) for step in (1e-5, -1e-5))
            slope = (np.array(more) - np.array(less)) / 2e-5

            assert values[:, token] == pytest.approx(slope, abs=1e-5)
        assert np.abs(values).max() > 0.01, "There is a slope, so equality says something."


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_integrated_gradients_sum_to_the_difference_up_to_the_error_told(architecture: str) -> None:
    """Completeness: the parts, less the error, are log p with the words minus log p with positions alone."""
    model, ids, found = made(architecture)
    parts = np.sum([values.sum(axis=1) for values in found.integrated.values()], axis=0)

    assert parts - found.errors == pytest.approx(found.log_p - found.baseline_log_p, abs=1e-5)
    words = along(model, ids, f"{next(iter(found.tokens))}.embedding.output", 0, 1.0)
    assert found.log_p == pytest.approx(words, abs=1e-5)


def test_later_tokens_have_no_part_in_earlier_words() -> None:
    """The causal mask: exact zeros above the diagonal of the target's map, and none below it."""
    found = made("decoder-only")[2]
    for values in (found.gradient["decoder"], found.integrated["decoder"]):
        assert (np.triu(values, 1) == 0).all() and (np.tril(values) != 0).any()


@pytest.mark.slow
def test_the_word_read_is_the_word_that_matters() -> None:
    """She from 她, book from 本书: a sanity check on the trained model; the parts sum to what they should."""
    found = explorer.saliency("她给了我一本书。")
    words, source = found.words, [token.text for token in found.tokens["encoder"]]

    assert source[int(found.integrated["encoder"][words.index("␣me")].argmax())] == "我"
    assert source[int(found.integrated["encoder"][words.index("␣She")].argmax())] == "她"
    assert np.abs(found.errors).max() <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("text", ["他在图书馆看书。", "我爱北京天安门。"])
def test_the_integral_takes_as_many_steps_as_its_sum_needs(text: str) -> None:
    """With 16 equal steps, the parts of <eos> missed their sum by 3.9 nat."""
    found = explorer.saliency(text)
    parts = np.sum([values.sum(axis=1) for values in found.integrated.values()], axis=0)

    assert np.abs(parts - (found.log_p - found.baseline_log_p)).max() <= 0.051  # rounded to float32
    assert found.n_steps > 16


def test_a_path_is_halved_where_its_value_bends() -> None:
    """The parts of both words come to what they should, and where steps are few, the error is told."""

    def walk(shares: Sequence[float], some: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        x = np.array(shares)[:, None]
        values = np.concatenate([np.sin(30 * x), np.exp(8 * x)], axis=1)[:, list(some)]
        slopes = np.concatenate([30 * np.cos(30 * x), 8 * np.exp(8 * x)], axis=1)[:, list(some)]
        return values, np.stack([0.25 * slopes, 0.75 * slopes], axis=-1)

    found = integral(walk, 2, 2000)
    assert np.abs(found.errors).max() <= 0.05 and 17 < found.n_steps < 1000
    assert found.parts.sum(axis=1) == pytest.approx([np.sin(30), np.exp(8) - 1], abs=0.05)
    assert found.parts[:, 0] * 3 == pytest.approx(found.parts[:, 1])
    few = integral(walk, 2, 20)
    assert few.n_steps == 17 and np.abs(few.errors).max() > 0.05
    assert few.parts.sum(axis=1) - few.errors == pytest.approx([np.sin(30), np.exp(8) - 1])


def stopped(given: Bench) -> Saliency:
    """As the engine makes it, which asks between layers whether to stop."""
    with stopping_between_layers(given.model, given.stop):
        return saliency(given)


def test_saliency_can_be_stopped() -> None:
    """Behind each layer of the batch, between two words, and at each layer on the way back of each word."""
    with pytest.raises(Superseded):
        stopped(bench("encoder-only", lambda: True))
    asked, last = 0, 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked == last

    given, found = bench("encoder-only", stop), saliency(bench("encoder-only"))
    stopped(given)
    assert asked == 2 * _SMALL.n_layers + len(found.words) * (1 + _SMALL.n_layers)
    for last in range(1, asked + 1):
        asked = 0
        with pytest.raises(Superseded):
            stopped(given)
        assert asked == last


def test_a_batch_has_as_many_threads_as_it_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each free core where a layer of it has enough to compute."""
    asked: list[int] = []
    monkeypatch.setattr("explorer.engine.speed.threads.free_cores", lambda: 2)
    monkeypatch.setattr("explorer.engine.experiments.saliency.torch.set_num_threads", asked.append)
    given = bench("encoder-only")
    saliency(attrs.evolve(given, card=card_of(load_preset("paper-base").config)))
    saliency(given)
    assert asked == [2, 1]


def test_a_norm_without_biases_turns_at_once_and_is_followed() -> None:
    """Its value bends at a millionth of the path, where its slope is a million."""
    small = 1e-6

    def walk(shares: Sequence[float], some: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        x = np.array(shares)[:, None]
        # f(x) = x / √(x² + ε²), f'(x) = ε² / (x² + ε²)^1.5
        return x / np.sqrt(x**2 + small**2), (small**2 / (x**2 + small**2) ** 1.5)[:, :, None]

    found = integral(walk, 1, 1024)
    assert np.abs(found.errors).max() <= 0.05 and found.n_steps < 600
    assert found.parts[0, 0] == pytest.approx(1, abs=0.05)
