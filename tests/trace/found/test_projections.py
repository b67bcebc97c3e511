"""Q, K, V and the output of an attention as products: against what torch's own modules read and gave out in the same pass."""

import itertools

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from explorer.engine.experiments.output_weights import attention_weights
from explorer.model.ids import ids_tensor
from explorer.trace.found.projections import MADE, projection
from tests.trace.found.test_reading import made as made_with
from tests.trace.runs import SOURCE, TARGET

KNOBS: list[dict[str, object]] = [
    {"architecture": architecture, "norm_placement": placement, "position": position}
    for architecture, placement, position in itertools.product(
        ("encoder-decoder", "decoder-only", "encoder-only"), ("pre", "post"), ("sinusoidal", "rotary")
    )
]
MORE: list[dict[str, object]] = [{"bias": False, "position": "alibi"}, {"residual": False}, {"norm_kind": "std-eps"}]


@pytest.mark.parametrize("knobs", [*KNOBS, *MORE], ids=str)
def test_x_times_w_is_what_the_modules_read_and_made(knobs: dict[str, object]) -> None:
    """Rows and product in float64, of every attention, head and matrix; and the recorded tap is what is said to arrive."""
    model, trace = made_with(**knobs)
    config = model.config
    seen: dict[str, tuple[Tensor, Tensor]] = {}

    def watch(name: str) -> object:
        def hook(_module: nn.Module, args: tuple[Tensor, ...], _out: Tensor) -> None:
            seen[name] = (
                args[0][0].double(),
                nn.functional.linear(
                    args[0][0].double(), _module.weight.double(), None if _module.bias is None else _module.bias.double()
                ),
            )

        return hook

    linear = [name for name, _module in model.named_modules() if "_attn.project_" in name]
    source = None if model.encoder is None else ids_tensor(SOURCE)
    target = None if model.decoder is None else ids_tensor(TARGET)
    handles = [model.get_submodule(name).register_forward_hook(watch(name)) for name in linear]  # type: ignore[arg-type]
    with torch.inference_mode():
        model(source, target)
    for handle in handles:
        handle.remove()

    assert linear
    for block in {name.partition(".project_")[0] for name in linear}:
        weights = attention_weights(model, config, block, max(len(SOURCE), len(TARGET)))
        for made, head in itertools.product(MADE, range(config.n_heads)):
            found = projection(trace, weights, made, head)
            read, product = (each.numpy() for each in seen[f"{block}.project_{made}"])
            own = slice(None) if made == "output" else slice(head * config.d_head, (head + 1) * config.d_head)
            np.testing.assert_allclose(found.x, read, atol=2e-6)
            np.testing.assert_allclose(found.product, product[:, own], atol=2e-5)
            recorded = trace[f"{block}.{made}"]
            np.testing.assert_allclose(found.arrived, recorded if made == "output" else recorded[head], atol=2e-5)
            turns = config.position == "rotary" and block.endswith("self_attn") and made in ("query", "key")
            assert found.direct is not turns
