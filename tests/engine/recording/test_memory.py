"""How much memory a pass takes, told before it is begun and measured afterwards."""

from types import SimpleNamespace

import psutil
import pytest
import torch

from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.recording.memory import check_memory, trace_bytes
from explorer.engine.request import Request
from explorer.errors import NotEnoughMemory
from explorer.lang import Words
from explorer.model.transformer import Transformer
from explorer.presets import load_preset
from explorer.trace.own_card import card_of, parameter_bytes
from tests.model.models import parameter_count

LONG = "我爱北京天安门，天安门上太阳升。" * 8


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
@pytest.mark.parametrize(
    ("text", "knobs"),
    [
        ("我", {}),
        ("我爱北京天安门", {"vocab_size": 16, "n_layers": 1}),
        (LONG, {"n_heads": 8, "n_layers": 6}),
        (LONG, {"d_model": 256, "d_ff": 8, "vocab_size": 100}),
    ],
)
def test_the_estimate_is_what_a_trace_takes(computer: Computer, text: str, knobs: dict[str, object], architecture: str) -> None:
    """Within a hundredth, though a tenth would do: one token and a hundred, wide and narrow."""
    request = Request.from_preset("tiny", text, architecture=architecture, **knobs)
    trace = computer(request).trace
    taken = sum(array.nbytes for array in trace.arrays.values())

    guessed = trace_bytes(trace.card, len(trace.tokens.source), len(trace.tokens.target))
    assert guessed == pytest.approx(taken, rel=0.01)


def test_the_estimate_holds_for_two_texts_of_other_lengths(computer: Computer) -> None:
    """Cross-attention is target by source, and the logits are the target's."""
    request = Request(text=LONG, target="我", config=Config(), preset="tiny")
    trace = computer(request).trace
    taken = sum(array.nbytes for array in trace.arrays.values())

    assert trace_bytes(card_of(Config()), len(trace.tokens.source), 1) == pytest.approx(taken, rel=0.01)


@pytest.mark.parametrize(
    "config",
    [
        load_preset("paper-base").config,
        load_preset("tutorial-a").config,
        load_preset("tutorial-e").config,
        Config(architecture="decoder-only"),
        Config(position="learned", max_len=8192),
    ],
    ids=["paper-base", "tutorial-a", "tutorial-e", "decoder-only", "learned"],
)
def test_the_weights_estimate_is_close(config: Config) -> None:
    """Within a tenth of four bytes for each parameter."""
    with torch.device("meta"):
        taken = 4 * parameter_count(Transformer(config))

    assert parameter_bytes(config) == pytest.approx(taken, rel=0.1)


def free(monkeypatch: pytest.MonkeyPatch, n_bytes: float) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=n_bytes))


def test_what_does_not_fit_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 layers of 32 heads over 1024 tokens are 125 GiB of attention; the sentence says how much in megabytes."""
    config = load_preset("tutorial-a").config.changed(max_len=1024)
    free(monkeypatch, 16 * 2**30)
    with pytest.raises(NotEnoughMemory) as caught:
        check_memory(card_of(config), trace_bytes(card_of(config), 1024, 1024), held=0)

    attention = 4 * 5 * 64 * 32 * 3 * 1024**2
    assert caught.value.values["need_mb"] > attention / 2**20
    assert str(caught.value.values["need_mb"]) in Words.load("zh").error(caught.value)


def test_a_tenth_of_what_is_free_stays_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """At nine tenths it fits, below it does not."""
    need = trace_bytes(card_of(Config()), 4, 4) + parameter_bytes(Config())
    free(monkeypatch, need / 0.9 + 1)
    check_memory(card_of(Config()), trace_bytes(card_of(Config()), 4, 4), held=0)

    free(monkeypatch, need / 0.9 - 2)
    with pytest.raises(NotEnoughMemory):
        check_memory(card_of(Config()), trace_bytes(card_of(Config()), 4, 4), held=0)


def test_the_model_that_goes_first_makes_room(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new seed needs no second place for the weights; from nothing the same model does not fit."""
    request = Request.from_preset("tiny", "我")
    again = Request.from_preset("tiny", "我", seed=1)
    computer(request)
    free(monkeypatch, parameter_bytes(request.config))

    assert computer(again).trace.config.seed == 1
    with pytest.raises(NotEnoughMemory):
        Computer()(request)


def test_after_a_refusal_the_last_model_still_serves(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A too long sentence costs nothing but itself."""
    request = Request.from_preset("tiny", "我")
    weights = computer(request).trace["generator.logits"]
    free(monkeypatch, 0)
    with pytest.raises(NotEnoughMemory):
        computer(request)
    monkeypatch.undo()

    assert (computer(request).trace["generator.logits"] == weights).all()
