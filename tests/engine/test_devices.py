"""Devices beside the processor. A stand-in for what this machine lacks: "meta" mixes with the processor no more than CUDA."""

import importlib
import pkgutil
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from explorer.config import Config
from explorer.engine import devices, experiments
from explorer.engine.changed_tensors import with_cells_set
from explorer.engine.changing import Changing
from explorer.engine.devices import chosen_device, seeded
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.kept import KeptFindings
from explorer.engine.experiments.patched_passes import Bed, PatchText
from explorer.engine.experiments.patching import each_place_patched
from explorer.engine.experiments.saliency import saliency
from explorer.engine.experiments.segmentations import maps_over
from explorer.engine.passes.second_model import SecondModel
from explorer.engine.recording import recorder
from explorer.engine.request import Request
from explorer.engine.sources.source import never, silent
from explorer.model.weights import build
from explorer.tokens.token import Token
from explorer.trace.found.experiments import EXPERIMENTS
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from tests.picture.examples import example

pytestmark = pytest.mark.slow

_ELSEWHERE = ("patching", "saliency", "segmentations", "jacobian", "unchanged", "without_part", "steering")
"""Saliency, patching and segmentations have tests of their own below; the others are made of passes of the engine."""
_SMALL = Config(n_layers=2, n_heads=2, d_model=8, d_ff=16, vocab_size=40, max_len=16)


def _tokens(*ids: int) -> tuple[Token, ...]:
    return tuple(Token(chr(ord("a") + place), number, place, place + 1, True) for place, number in enumerate(ids))


class _Source:
    """What experiments ask of a source: symbols, and the tokens of another sentence."""

    def symbols(self, config: Config, _tokens: Tokens, *, of_source: bool = False) -> tuple[str, ...]:
        return tuple(map(str, range(config.vocab_size if of_source else config.n_target_symbols)))

    def further(self, _wish: object, text: str) -> tuple[Token, ...]:
        return _tokens(*range(10, 10 + len(text)))


def _made(key: str, architecture: str) -> object:
    """What an experiment finds about a pass, with its model on "meta"."""
    trace = example(architecture)
    assert trace.config is not None
    inquiry = Inquiry(
        model=build(trace.config).to("meta"),
        tokens=trace.tokens,
        expected=trace.expected,
        stop=never,
        symbols=trace.symbols,
        card=trace.card,
        trace=trace,
        request=Request.from_preset("tiny", "x").wishing(config=trace.config, batch=("ab", "abcde")),
        origin=_Source(),
        lender=None,
        second=SecondModel(lambda: None),
        progress=silent,
        kept=KeptFindings(),
    )
    return importlib.import_module(f"explorer.engine.experiments.{key}").MAKE(inquiry)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[torch.device]:
    """Numbers come from "meta" as zeros; the devices they were fetched from."""
    seen: list[torch.device] = []

    def from_meta(tensor: torch.Tensor) -> torch.Tensor:
        seen.append(tensor.device)
        return torch.zeros(tensor.shape, dtype=tensor.dtype)

    # All are imported before one is patched: a module that is first imported later would keep the patched function for good.
    names = [f"{experiments.__name__}.{found.name}" for found in pkgutil.iter_modules(experiments.__path__)]
    for module in [importlib.import_module(name) for name in names]:
        if hasattr(module, "fetched"):
            monkeypatch.setattr(module, "fetched", from_meta)
    return seen


@pytest.mark.parametrize("key", [key for key in EXPERIMENTS if key not in _ELSEWHERE])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_experiments_work_on_the_models_device(key: str, architecture: str, fetched: list[torch.device]) -> None:
    """Ids on the processor, or an array made of a tensor elsewhere, would raise."""
    if EXPERIMENTS[key].decoder and architecture == "encoder-only":
        pytest.skip("It is about written words.")
    assert _made(key, architecture) is not None
    assert torch.device("meta") in fetched or key in ("variants", "norms")


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_the_cuts_of_a_sentence_are_read_on_the_models_device(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids go there, and the maps of all layers come back in one transfer."""
    seen: list[torch.device] = []

    def transferred(tensors: list[torch.Tensor]) -> list[np.ndarray]:
        seen.extend(tensor.device for tensor in tensors)
        return [np.zeros(tensor.shape, np.float32) for tensor in tensors]

    monkeypatch.setattr(recorder, "in_one_transfer", transferred)
    model = build(_SMALL.changed(architecture=architecture)).to("meta")
    weights = maps_over(model, _tokens(4, 5, 6), never)

    assert weights.shape == (model.config.n_layers, model.config.n_heads, 3, 3)
    assert set(seen) == {torch.device("meta")}


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_patching_works_on_the_models_device(architecture: str, fetched: list[torch.device]) -> None:
    """Both sentences' ids, and the words that are asked for."""
    model = build(_SMALL.changed(architecture=architecture)).to("meta")
    source = () if architecture == "decoder-only" else _tokens(4, 5, 6, 7)
    target = () if architecture == "encoder-only" else _tokens(2, 8, 9)
    text = PatchText("x", Tokens(source, target))
    each_place_patched(Bed(model, text, text, Changing(), never, card_of(model.config)))

    assert set(fetched) == {torch.device("meta")}


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_saliency_works_on_the_models_device(architecture: str, fetched: list[torch.device]) -> None:
    """Gradients are taken where the model is, and only what was found comes back."""
    model = build(_SMALL.changed(architecture=architecture)).to("meta")
    source = () if architecture == "decoder-only" else _tokens(4, 5, 6, 7)
    target = () if architecture == "encoder-only" else _tokens(2, 8, 9)
    saliency(Bench(model, Tokens(source, target), (5,) * len(target or source), never))

    assert set(fetched) == {torch.device("meta")}


def test_a_weight_is_set_on_the_models_device() -> None:
    """The mask is noted there, and the shares are made there."""
    weights = torch.rand(1, 2, 3, 3, device="meta")
    made = with_cells_set(weights, [1], 0.5, torch.zeros_like(weights, dtype=torch.bool))

    assert made.device == weights.device and made.shape == weights.shape and made.dtype == weights.dtype


def test_the_stand_in_refuses_what_cuda_refuses(fetched: list[torch.device], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids that stay on the processor."""
    monkeypatch.setattr(Bench, "device", torch.device("cpu"))
    with pytest.raises((RuntimeError, NotImplementedError)):
        _made("leak", "decoder-only")


@pytest.mark.parametrize(
    ("there", "chosen"),
    [(("cpu",), "cpu"), (("cpu", "mps"), "mps"), (("cpu", "cuda"), "cuda"), (("cpu", "cuda", "mps"), "cuda")],
)
def test_auto_knows_every_device(there: tuple[str, ...], chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA before MPS before the processor."""
    monkeypatch.setattr(devices, "devices", lambda: there)
    assert chosen_device("auto") == chosen


class _Generator:
    """A device's own."""

    def __init__(self) -> None:
        self.state = 7
        self.seeds: list[int] = []

    def get_rng_state(self) -> int:
        return self.state

    def set_rng_state(self, state: int) -> None:
        self.state = state

    def manual_seed(self, seed: int) -> None:
        self.state = seed
        self.seeds.append(seed)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Generator]:
    """The generator of MPS."""
    generator, really = _Generator(), torch.get_device_module
    monkeypatch.setattr(
        torch, "get_device_module", lambda kind: generator if torch.device(kind).type == "mps" else really(kind)
    )
    yield generator


def test_a_seed_is_taken_back_on_every_device(beside: _Generator) -> None:
    """Also when what was done raised; other devices are not seeded at all."""
    before = torch.get_rng_state()
    with pytest.raises(ZeroDivisionError), seeded(3, "mps"):
        assert beside.state == 3
        first = torch.rand(2)
        raise ZeroDivisionError
    assert (beside.state, beside.seeds) == (7, [3])
    assert torch.equal(torch.get_rng_state(), before)
    with seeded(3, "cpu"):
        assert torch.equal(first, torch.rand(2))
    assert (beside.state, beside.seeds) == (7, [3])


def test_a_checkpoint_remembers_the_devices_chance(beside: _Generator) -> None:
    """A training that goes on draws what it would have drawn."""
    from explorer.training.checkpoint import random_states, restore_random

    states = random_states(torch.device("mps"))
    assert states["mps"] == 7
    beside.state = 9
    restore_random(states, torch.device("mps"))
    assert beside.state == 7


def test_of_several_cards_the_one_that_trains_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one that happens to be current."""
    from explorer.training.checkpoint import random_states, restore_random

    asked: list[object] = []
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device: asked.append(device) or torch.zeros(1))
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda _state, device: asked.append(device))
    second = torch.device("cuda", 1)
    restore_random(random_states(second), second)
    assert asked == [second, second]
