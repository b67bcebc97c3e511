"""A checkpoint is compared with its course's model tensor by tensor."""

import pytest
import torch

from explorer.checkpoints.courses.courses import LAYOUTS
from explorer.checkpoints.courses.gpt import NANO_GPT
from explorer.checkpoints.layout import fit
from explorer.config import Config
from explorer.errors import LacksKeys, OtherShape, UnknownTensors
from explorer.model.transformer import Transformer
from tests.checkpoints import gpts
from tests.checkpoints.translators import TutorialA, TutorialB

Shapes = dict[str, tuple[int, ...]]


def shapes(model: torch.nn.Module) -> Shapes:
    return {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}


REFUSALS: dict[str, tuple[Shapes, type[Exception], dict[str, object]]] = {
    "one more": ({"transformer.h.0.gate": (3,)}, UnknownTensors, {"tensors": "transformer.h.0.gate"}),
    "one less": ({"transformer.h.1.ln_2.weight": ()}, LacksKeys, {"tensors": "transformer.h.1.ln_2.weight"}),
    "one bias less": ({"transformer.h.1.ln_2.bias": ()}, LacksKeys, {"tensors": "transformer.h.1.ln_2.bias"}),
    "a whole layer less": (
        {"transformer.h.3.ln_2.bias": (24,)},
        LacksKeys,
        {"tensors": "transformer.h.2.ln_1.weight, transformer.h.3.ln_1.weight, transformer.h.2.ln_1.bias, … (23)"},
    ),
    "another size": (
        {"transformer.h.1.mlp.c_fc.weight": (95, 24)},
        OtherShape,
        {"tensor": "transformer.h.1.mlp.c_fc.weight", "got": "95 × 24", "wanted": "96 × 24"},
    ),
    "an axis less": ({"transformer.ln_f.bias": (24, 1)}, OtherShape, {"got": "24 × 1", "wanted": "24"}),
    "a size that is no multiple": (
        {"transformer.h.0.attn.c_attn.weight": (71, 24)},
        OtherShape,
        {"got": "71 × 24", "wanted": "72 × 24"},
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_differs_is_named(name: str) -> None:
    """Every tensor of the file has to be used, every one of the model has to be there, and their sizes have to agree."""
    others, kind, values = REFUSALS[name]
    given = {key: shape for key, shape in (shapes(gpts.Gpt()) | others).items() if shape}
    with pytest.raises(kind) as caught:
        fit(NANO_GPT, given, "ckpt.pt")
    assert caught.value.values | values == caught.value.values  # type: ignore[attr-defined]


def test_a_class_without_biases_fits_with_zeros() -> None:
    """nanoGPT's bias=False."""
    found = fit(NANO_GPT, shapes(gpts.Gpt(bias=False)), "ckpt.pt")
    zeros = {each.name for each in found.placed if not each.sources}
    assert zeros == {name for name in shapes(gpts.Gpt()) if name.endswith("bias")}
    assert found.sizes == {"V": 13, "d": 24, "T": 16, "F": 96}


@pytest.mark.parametrize(("model", "course"), [(TutorialA(), "tutorial-a"), (TutorialB(), "tutorial-b")])
def test_every_parameter_of_our_own_model_is_filled(model: torch.nn.Module, course: str) -> None:
    """With its shape, of a Config of these sizes."""
    (layout,) = (each for each in LAYOUTS if each.course == course)
    found = fit(layout, shapes(model), "ckpt.pt")
    config = Config(
        n_layers=2, d_model=16, d_ff=32, vocab_size=20, target_vocab_size=23, bias=course == "tutorial-a", norm_kind="std-eps"
    )
    wanted = {name: tuple(parameter.shape) for name, parameter in Transformer(config).named_parameters()}
    assert {each.name: each.shape for each in found.placed} == wanted
