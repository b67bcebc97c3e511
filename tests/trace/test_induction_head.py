"""A decoder-only model made by hand that goes on with what followed before: measures find the heads that do it.

Olsson et al. 2022: a head of the first layer writes down the token before, and one of the second looks for a token whose token
before is the present one. What they do is known here from the weights, and confirmed by switching heads off.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.config import Config
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.trace.measures.head_measures import MEASURES, Seen

_SYMBOLS, _PLACES, _SHARP = 16, 32, 3.0
_D = 2 * _SYMBOLS + _PLACES  # the token, the place, the token before: one feature for each of their values
_TOKEN, _PLACE, _BEFORE = 0, _SYMBOLS, _SYMBOLS + _PLACES
_AGAIN = (5, 9, 4, 10, 7, 8, 11, 6)
REPEATED = (*_AGAIN, *_AGAIN)
HEADS = [(layer, head) for layer in range(2) for head in range(2)]
BEFORE, INDUCTION = (0, 0), (1, 1)


@lru_cache(maxsize=1)
def made_by_hand() -> Transformer:
    """Two layers of two heads; head 0 of the first and head 1 of the second do something, the others look everywhere."""
    config = Config().changed(
        architecture="decoder-only", n_layers=2, n_heads=2, d_model=_D, d_ff=4, vocab_size=_SYMBOLS, max_len=_PLACES,
        position="learned", bias=False,
    )  # fmt: skip
    model = build(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if "norm" in name and name.endswith("weight") else 0.0)
        embedding = model.decoder.embedding
        embedding.look_up.weight[:, :_SYMBOLS] = torch.eye(_SYMBOLS) / _D**0.5  # It is multiplied by √d_model.
        embedding.learned.weight[:, _PLACE:_BEFORE] = torch.eye(_PLACES)
        d_head = _D // 2
        # Head 0 of the first layer: at place p it looks for place p − 1, and writes the token there into the last features.
        first = model.decoder.layers[0].self_attn
        for place in range(1, _PLACES):
            first.project_query.weight[place - 1, _PLACE + place] = _SHARP
            first.project_key.weight[place - 1, _PLACE + place - 1] = _SHARP
        # Head 1 of the second: it looks for places whose token before is the present token, and passes their token on.
        second = model.decoder.layers[1].self_attn
        for symbol in range(_SYMBOLS):
            first.project_value.weight[symbol, _TOKEN + symbol] = 0.2
            first.project_output.weight[_BEFORE + symbol, symbol] = 1.0
            second.project_query.weight[d_head + symbol, _TOKEN + symbol] = _SHARP
            second.project_key.weight[d_head + symbol, _BEFORE + symbol] = _SHARP
            second.project_value.weight[d_head + symbol, _TOKEN + symbol] = 1.0
            second.project_output.weight[_TOKEN + symbol, d_head + symbol] = 2.0
            model.generator.project.weight[symbol, _TOKEN + symbol] = 1.0
    return model


def passed(ids: tuple[int, ...]) -> tuple[np.ndarray, list[np.ndarray]]:
    """[position, vocab] log-probabilities, and the weights [head, query, key] of each layer."""
    model, seen = made_by_hand(), []
    taps = [layer.self_attn.weights for layer in model.decoder.layers]
    handles = [tap.register_forward_hook(lambda _tap, _given, made: seen.append(made[0].numpy().copy())) for tap in taps]
    with torch.inference_mode():
        logits = model(None, torch.tensor([ids]))[0]
    for handle in handles:
        handle.remove()
    return logits.double().log_softmax(-1).numpy(), seen


@contextmanager
def switched_off(layer: int, head: int) -> Iterator[None]:
    """What this head passes on is zero."""

    def silence(_tap: object, _given: object, made: Tensor) -> Tensor:
        made = made.clone()
        made[:, head] = 0
        return made

    handle = made_by_hand().decoder.layers[layer].self_attn.mixed.register_forward_hook(silence)
    yield
    handle.remove()


def sureness(ids: tuple[int, ...]) -> float:
    """The mean log-probability of the next token, where it has followed its token before (the first time, nobody can know)."""
    log_p = passed(ids)[0]
    places = range(len(ids) // 2, len(ids) - 1)
    return float(np.mean([log_p[place, ids[place + 1]] for place in places]))


def measured(key: str, ids: tuple[int, ...]) -> np.ndarray:
    """[layer, head]"""
    return np.stack([MEASURES[key].of(Seen(weights, np.array(ids), np.arange(len(ids)))) for weights in passed(ids)[1]])


def test_the_induction_measure_finds_the_head_that_ablation_confirms() -> None:
    """Without it (or without the head that it builds on) nothing repeated is foreseen, and the other heads are not missed."""
    usual = sureness(REPEATED)
    drop = {place: sureness_without(place) - usual for place in HEADS}
    induction = measured("induction", REPEATED)
    assert np.unravel_index(induction.argmax(), induction.shape) == INDUCTION
    assert induction[INDUCTION] > 0.9 and np.delete(induction.ravel(), 3).max() < 0.2
    assert usual > -0.7 and drop[INDUCTION] < -1.5
    assert drop[0, 1] == pytest.approx(0, abs=1e-6) == drop[1, 0]


def sureness_without(place: tuple[int, int]) -> float:
    with switched_off(*place):
        return sureness(REPEATED)


def test_the_measure_of_the_previous_token_finds_the_head_that_induction_builds_on() -> None:
    """It is that of the first layer, and induction is lost without it."""
    previous = measured("previous", REPEATED)
    assert np.unravel_index(previous.argmax(), previous.shape) == BEFORE and previous[BEFORE] > 0.95
    assert sureness_without(BEFORE) - sureness(REPEATED) < -1.5
    with switched_off(*BEFORE):
        assert measured("induction", REPEATED)[INDUCTION] < 0.5


def test_without_repetition_there_is_no_induction_to_find() -> None:
    """The check can fail: with all tokens different, the same head has no measure, and a shuffled half has a smaller one."""
    assert np.isnan(measured("induction", _AGAIN)).all()
    shuffled = (*_AGAIN, *_AGAIN[::-1])
    assert sureness(shuffled) < sureness(REPEATED) - 1
