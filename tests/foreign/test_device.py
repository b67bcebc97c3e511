"""Foreign models on another device, for which `tests.elsewhere` stands in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch

import explorer
from explorer.engine import devices
from explorer.engine.sources import foreign
from explorer.errors import NoSuchDevice
from explorer.foreign import thin
from explorer.foreign.folder import check_folder
from explorer.foreign.held import home_of, twin_of
from explorer.foreign.opening import open_model, with_taps
from explorer.foreign.where import move
from tests.elsewhere import NAME, elsewhere
from tests.foreign.models import fresh, ids_of, opened_anew, write_model

pytestmark = pytest.mark.slow

TEXT, OTHER = "the fox and the dog", "a fox and the dog"


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine has a second device. The program knows it as MPS; torch takes no such name without one."""
    monkeypatch.setattr(devices, "devices", lambda: ("cpu", "mps"))
    monkeypatch.setattr(foreign, "move", lambda model, device: move(model, NAME if device == "mps" else device))


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert", "bart", "t5", "gptj", "lfm2", "phi3"])
def test_a_pass_is_made_there(name: str) -> None:
    """Its logits are those of the CPU, to the last bit, and it comes back; ids may be anywhere."""
    opened = opened_anew(name)
    model, ids = opened.foreign, ids_of(opened)
    with torch.inference_mode():
        wanted = model(*ids)
        with elsewhere():
            move(model.model, NAME)
            found = model(*ids)
            assert model.device.type == found.device.type == NAME
            assert torch.equal(found.cpu(), wanted)
            move(model.model, "cpu")
        assert torch.equal(model(*ids), wanted)


@pytest.mark.parametrize("held", ["bfloat16", "streamed"])
@pytest.mark.parametrize("name", ["gpt2", "llama", "bart"])
def test_lent_weights_go_there_layer_by_layer(name: str, held: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is larger than memory computes there, and its weights stay where they are."""
    monkeypatch.setattr(thin, "SMALL", 64)  # Tiny models have no large tensors.
    opened = open_model(attrs.evolve(check_folder(write_model(tmp_path / name, name)), held=held))
    model, ids = opened.foreign, ids_of(opened)
    with torch.inference_mode():
        wanted = model(*ids)
        with elsewhere():
            move(model.model, NAME)
            assert torch.equal(model(*ids).cpu(), wanted)
            assert sum("borrower" in module.__dict__ for module in model.model.modules()) > 4
            move(model.model, "cpu")
        assert torch.equal(model(*ids), wanted)


def test_a_model_in_memory_computes_where_it_is() -> None:
    """Its weights are shared there, not copied; one on two devices computes on the CPU."""
    held, ids = fresh("gpt2"), torch.tensor([[5, 9, 30]])
    with elsewhere(), torch.no_grad():
        wanted = held(ids).logits
        held.to(NAME)
        assert home_of(held) == NAME
        opened = with_taps(twin_of(held, NAME), "twin")
        np.testing.assert_allclose(opened.foreign(None, ids).cpu(), wanted, atol=1e-5)
        held.transformer.wte.weight.mul_(2)
        assert torch.equal(opened.foreign.model.transformer.wte.weight.cpu(), held.transformer.wte.weight.cpu())
        held.lm_head.to("cpu")
    assert home_of(held) == "cpu"


def test_two_devices_never_meet_in_an_operation() -> None:
    """What the stand-in refuses, as a device does."""
    with elsewhere(), pytest.raises(RuntimeError, match="same device"):
        torch.ones(2).to(NAME) + torch.ones(2)


def test_an_id_without_a_vector_is_refused_before_the_device_sees_it() -> None:
    """CUDA would stop for good."""
    opened = opened_anew("gpt2")
    with torch.inference_mode(), elsewhere():
        move(opened.foreign.model, NAME)
        with pytest.raises(IndexError):
            opened.foreign(None, torch.tensor([[5, 40]]))


Make = Callable[..., Any]


def _pass(text: str, **given: Any) -> Any:
    trace = explorer.explore(text, **given)
    return np.concatenate([np.nan_to_num(trace[name], neginf=-9).ravel() for name in trace.names()])


def _gradients(text: str, **given: Any) -> Any:
    found = explorer.explore(text, gradients=0, **given).gradients
    return np.concatenate([found[name].ravel() for name in found.names()])


def _table(make: Make) -> Make:
    return lambda text, **given: make(text, **given).to_pandas().select_dtypes("number").to_numpy()


ASKED: dict[str, Make] = {
    "pass": _pass,
    "gradients": _gradients,
    "saliency": _table(explorer.saliency),
    "ablate": _table(explorer.ablate),
    "attribute": _table(explorer.attribute),
    "lens": _table(explorer.lens),
    "patching": lambda text, **given: _table(explorer.patching)(text, other=OTHER, **given),
    "generate": lambda text, **given: [each.id for each in explorer.generate(text, tokens=4, **given).tokens],
    "many": lambda text, **given: np.nan_to_num(explorer.many([text, OTHER], **given).logits),
}
DECODERS = ("generate",)


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", ["gpt2", "bart", "mistral"])
def test_what_is_asked_of_a_model_is_computed_there(name: str, asked: str, tmp_path: Path) -> None:
    """The pass with a change and each experiment: their numbers are those of the CPU to 1e-4."""
    if name == "bart" and asked in DECODERS:
        pytest.skip("It translates, and goes on with no text.")
    folder, make = str(write_model(tmp_path / name, name)), ASKED[asked]
    changes = [explorer.Change("decoder.layers.1.self_attn.mixed", "scale", head=1, value=0.5)]
    wanted = make(TEXT, preset=folder, changes=changes)
    with elsewhere():
        found = make(TEXT, preset=folder, changes=changes, device="mps")
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_a_machine_without_the_device_says_so(tmp_path: Path) -> None:
    """One sentence, before the pass."""
    with pytest.raises(NoSuchDevice):
        explorer.explore(TEXT, preset=str(write_model(tmp_path, "gpt2")), device="mps")
