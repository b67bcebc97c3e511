"""Packed weights of somebody's model: the same numbers, and never those of weights that are no more."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from explorer.engine.recording.recorder import record
from explorer.engine.speed import foreign_packing as packing_room
from explorer.engine.speed.foreign_packing import PackedLayer, PackedLayers
from explorer.foreign.attention import register
from explorer.foreign.opening import with_taps

pytestmark = pytest.mark.slow  # To import transformers takes seconds.

WIDE = {"vocab_size": 600, "n_embd": 512, "n_layer": 2, "n_head": 4, "n_positions": 32, "bos_token_id": 0, "eos_token_id": 0}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def wide() -> Any:
    """A GPT-2 whose matrices are large enough to be packed."""
    import transformers

    torch.manual_seed(1)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**WIDE)).eval()


def layers() -> tuple[nn.Module, ...]:
    """A layer of each kind, with fixed weights."""
    from transformers.pytorch_utils import Conv1D

    torch.manual_seed(2)
    made = nn.Linear(512, 640), nn.Linear(512, 640, bias=False), Conv1D(640, 512)
    return tuple(each.requires_grad_(False) for each in made)


def told(layer: nn.Module, x: Tensor) -> Tensor:
    """W·x + b by a plain product, whichever way the weights lie."""
    weight: Tensor = layer.weight if isinstance(layer, nn.Linear) else layer.weight.t()  # type: ignore[operator,assignment]
    return x @ weight.t() + (0 if layer.bias is None else layer.bias)  # type: ignore[operator]


def packed(layer: nn.Module) -> PackedLayer:
    made = PackedLayers(layer)
    assert made.begin()
    return made.layers[0]


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("rows", [1, 2, 4, 8, 17])
def test_a_packed_product_is_the_layers_own(which: int, rows: int) -> None:
    """To the last bits, for any number of rows, with and without a bias, whichever way the weights lie."""
    layer, x = layers()[which], torch.randn(1, rows, 512)
    made = packed(layer)
    with torch.inference_mode():
        assert torch.allclose(layer(x), told(layer, x), atol=1e-4)
    assert made.is_packed


@pytest.mark.parametrize("which", range(3))
def test_weights_that_have_changed_are_packed_again(which: int) -> None:
    """Edited in place, replaced by others, or made of another type."""
    layer, x = layers()[which], torch.randn(1, 9, 512)
    packed(layer)

    def is_right() -> bool:
        with torch.inference_mode():
            return torch.allclose(layer(x), told(layer, x), atol=1e-4)

    assert is_right()
    layer.weight.mul_(-2)  # type: ignore[operator]
    assert is_right()
    layer.weight = nn.Parameter(torch.randn_like(layer.weight), requires_grad=False)  # type: ignore[arg-type]
    assert is_right()
    layer.double()
    with torch.inference_mode():
        assert torch.allclose(layer(x.double()), told(layer, x.double()))
    layer.float()
    assert is_right()


def test_gradients_go_the_plain_way() -> None:
    """A packed product has none."""
    layer, x = layers()[0], torch.randn(1, 9, 512, requires_grad=True)
    packed(layer)
    layer(x).sum().backward()

    assert x.grad is not None
    assert torch.allclose(x.grad, layer.weight.sum(0).expand(1, 9, 512), atol=1e-5)  # type: ignore[operator,arg-type]


def test_little_memory_packs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copies are as large as the weights."""
    memory = type("Memory", (), {"available": 2**19})
    monkeypatch.setattr(packing_room.psutil, "virtual_memory", lambda: memory)
    made = PackedLayers(layers()[0])

    assert not made.begin()
    assert not made.layers[0].is_packed


def test_packing_that_is_stopped_leaves_nothing_packed() -> None:
    """Half a model would be no use."""
    made = PackedLayers(nn.Sequential(*layers()[:2]))
    answers = iter([False, True])

    assert not made.begin(lambda: next(answers))
    assert not any(each.is_packed for each in made.layers)


def test_a_packed_model_says_what_it_said() -> None:
    """All its layers are packed, and what is recorded is that of the plain model to the last bits."""
    register()
    plain, found = wide(), with_taps(wide(), "wide", faster=PackedLayers)
    made = [module.forward for module in found.foreign.model.modules() if isinstance(own(module), PackedLayer)]
    ids = torch.arange(12)[None] * 7
    with torch.inference_mode(), record(found.foreign) as recording:
        logits = found.foreign(None, ids)
        wanted = plain(input_ids=ids, output_hidden_states=True, use_cache=False)

    assert len(made) == 2 * 4 + 1
    assert all(own(module).is_packed for module in found.foreign.model.modules() if isinstance(own(module), PackedLayer))
    assert (logits - wanted.logits).abs().max() <= 1e-5 * wanted.logits.abs().max()
    stream = torch.from_numpy(recording.arrays["decoder.layers.0.residual2"].copy())
    assert (stream - wanted.hidden_states[1][0]).abs().max() <= 1e-5 * stream.abs().max()


def own(module: nn.Module) -> Any:
    """What computes in the place of a module, inside the taps that stand around it."""
    found = module.__dict__.get("forward")
    while found is not None and not isinstance(found, PackedLayer):
        cells = [cell.cell_contents for cell in getattr(found, "__closure__", None) or ()]
        found = next((each for each in cells if isinstance(each, PackedLayer) or hasattr(each, "__closure__")), None)
    return found


def test_packed_weights_that_are_wrong_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check at opening compares the packed model with the model's own pass, too."""
    register()
    right, calls = packing_room.Packed.product, []

    def wrong(self: Any, x: Tensor, bias: Tensor | None) -> Tensor:
        calls.append(1)
        return right(self, x, bias) * 1.01

    monkeypatch.setattr(packing_room.Packed, "product", wrong)
    found = with_taps(wide(), "wide", faster=PackedLayers)
    n_before = len(calls)
    with torch.inference_mode():
        found.foreign(None, torch.arange(9)[None])

    assert n_before > 0
    assert len(calls) == n_before
