"""Devices beside the processor. A stand-in for what this machine lacks: "meta" mixes with the processor no more than CUDA."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from explorer.config import Config
from explorer.engine import devices
from explorer.engine.changing import Changing
from explorer.engine.devices import chosen_device, seeded
from explorer.engine.experiments import bench, output_weights, patching, saliency, segmentations, trials, vectors
from explorer.engine.experiments import experiment as experiments
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.experiment import experiment, focused
from explorer.engine.experiments.patching import Reading
from explorer.engine.recording import recorder
from explorer.engine.row_sums import with_cells_set
from explorer.model.weights import build
from explorer.state.focus import NOWHERE
from explorer.tokens.token import Token
from explorer.trace.found.findings import EXPERIMENTS
from explorer.trace.recorded_pass import Tokens

pytestmark = pytest.mark.slow
from tests.picture.examples import example

_OF_A_TRACE = (
    "norms",
    "patching",
    "saliency",
    "vectors",
    "segmentations",
    "why",
    "readers",
    "lens",
    "jacobian",
    "edges",
    "costs",
)  # These need a second sentence, or what the pass recorded.
_SMALL = Config(n_layers=2, n_heads=2, d_model=8, d_ff=16, vocab_size=40, max_len=16)


def _tokens(*ids: int) -> tuple[Token, ...]:
    return tuple(Token(chr(ord("a") + place), number, place, place + 1, True) for place, number in enumerate(ids))


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[torch.device]:
    """Numbers come from "meta" as zeros; the devices they were fetched from."""
    seen: list[torch.device] = []

    def from_meta(tensor: torch.Tensor) -> torch.Tensor:
        seen.append(tensor.device)
        return torch.zeros(tensor.shape, dtype=tensor.dtype)

    for module in (bench, experiments, trials, output_weights):
        monkeypatch.setattr(module, "fetched", from_meta)
    return seen


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in _OF_A_TRACE])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_experiments_work_on_the_models_device(name: str, architecture: str, fetched: list[torch.device]) -> None:
    """Ids on the processor, or an array made of a tensor elsewhere, would raise."""
    model = build(_SMALL.changed(architecture=architecture)).to("meta")
    source = () if architecture == "decoder-only" else _tokens(4, 5, 6, 7)
    target = () if architecture == "encoder-only" else _tokens(2, 8, 9)
    others = (_tokens(10, 11), _tokens(12, 13, 14, 15, 16))
    experiment(name, Bench(model, Tokens(source, target), (), others, lambda: False))
    assert torch.device("meta") in fetched or name == "variants"


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_the_cuts_of_a_sentence_are_read_on_the_models_device(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids go there, and the maps of all layers come back in one transfer."""
    seen: list[torch.device] = []

    def transferred(tensors: list[torch.Tensor]) -> list[np.ndarray]:
        seen.extend(tensor.device for tensor in tensors)
        return [np.zeros(tensor.shape, np.float32) for tensor in tensors]

    monkeypatch.setattr(recorder, "in_one_transfer", transferred)
    model = build(_SMALL.changed(architecture=architecture)).to("meta")
    weights = segmentations._weights(model, _tokens(4, 5, 6), lambda: False)

    assert weights.shape == (model.config.n_layers, model.config.n_heads, 3, 3)
    assert set(seen) == {torch.device("meta")}


@pytest.mark.parametrize("name", ["why", "readers", "lens"])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_what_reads_a_trace_works_on_the_models_device(name: str, architecture: str, fetched: list[torch.device]) -> None:
    """Recorded arrays go to the model's device, and weights and logits come back from it."""
    trace = example(architecture)
    assert trace.config is not None
    model = build(trace.config).to("meta")
    experiment(name, Bench(model, trace.tokens, trace.expected, (), lambda: False, trace=trace))
    assert set(fetched) == {torch.device("meta")}


@pytest.mark.parametrize("name", ["edges", "costs"])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_what_looks_at_a_place_works_on_the_models_device(name: str, architecture: str, fetched: list[torch.device]) -> None:
    """Passes are made there, and their numbers come back."""
    trace = example(architecture)
    assert trace.config is not None
    model = build(trace.config).to("meta")
    bench = Bench(model, trace.tokens, trace.expected, (), lambda: False, trace=trace)
    assert focused(name, bench, NOWHERE, None) is not None and torch.device("meta") in fetched


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_patching_works_on_the_models_device(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sentences' ids, and the words that are asked for."""
    seen: list[torch.device] = []

    def from_meta(tensor: torch.Tensor) -> torch.Tensor:
        seen.append(tensor.device)
        return torch.zeros(tensor.shape, dtype=tensor.dtype)

    monkeypatch.setattr(patching, "_fetched", from_meta)
    model = build(_SMALL.changed(architecture=architecture)).to("meta")
    source = () if architecture == "decoder-only" else _tokens(4, 5, 6, 7)
    target = () if architecture == "encoder-only" else _tokens(2, 8, 9)
    reading = Reading("x", Tokens(source, target))
    patching.patching(patching.Bed(model, reading, reading, Changing(), lambda: False))

    assert set(seen) == {torch.device("meta")}


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_saliency_works_on_the_models_device(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients are taken where the model is, and only what was found comes back."""
    seen: list[torch.device] = []

    def from_meta(tensor: torch.Tensor) -> np.ndarray:
        seen.append(tensor.device)
        return np.zeros(tensor.shape)

    monkeypatch.setattr(saliency, "_double", from_meta)
    model = build(_SMALL.changed(architecture=architecture)).to("meta")
    source = () if architecture == "decoder-only" else _tokens(4, 5, 6, 7)
    target = () if architecture == "encoder-only" else _tokens(2, 8, 9)
    bench = Bench(model, Tokens(source, target), (), (), lambda: False)
    rows = {"encoder": source, "decoder": target}
    tokens = {side: row for side, row in rows.items() if row}
    words = (5,) * len(target or source)
    saliency.saliency(model, tokens, (bench.source(), bench.target()), words, (), lambda: False)

    assert set(seen) == {torch.device("meta")}


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_the_table_of_vectors_comes_from_the_models_device(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is compared on the processor, with streams that were recorded."""
    seen: list[torch.device] = []

    def from_meta(tensor: torch.Tensor) -> torch.Tensor:
        seen.append(tensor.device)
        return torch.ones(tensor.shape, dtype=tensor.dtype)

    monkeypatch.setattr(vectors, "fetched", from_meta)
    trace = example(architecture)
    assert trace.config is not None
    model = build(trace.config).to("meta")
    symbols = tuple(map(str, range(trace.card.vocab_size)))
    found = vectors.vectors(Bench(model, trace.tokens, trace.expected, (), lambda: False, symbols, trace=trace), symbols)
    assert set(seen) == {torch.device("meta")} and found.sides


def test_a_weight_is_set_on_the_models_device() -> None:
    """The mask is noted there, and the shares are made there."""
    weights = torch.rand(1, 2, 3, 3, device="meta")
    made = with_cells_set(weights, [1], 0.5, torch.zeros_like(weights, dtype=torch.bool))

    assert made.device == weights.device and made.shape == weights.shape and made.dtype == weights.dtype


def test_the_stand_in_refuses_what_cuda_refuses(fetched: list[torch.device], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids that stay on the processor."""
    model = build(_SMALL.changed(architecture="decoder-only")).to("meta")
    bench = Bench(model, Tokens((), _tokens(2, 8, 9)), (), (), lambda: False)
    monkeypatch.setattr(Bench, "device", torch.device("cpu"))
    with pytest.raises((RuntimeError, NotImplementedError)):
        experiment("leak", bench)


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
