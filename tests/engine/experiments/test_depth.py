"""Lengths and gradients through the layers against a pass and gradients by hand."""

import math

import numpy as np
import pytest
import torch

from explorer.engine.compute import Computer
from explorer.model.transformer import Transformer
from explorer.trace.found.findings import Depth
from tests.engine.experiments.asking import ids, looked_into

pytestmark = pytest.mark.slow  # each experiment makes passes of its own


@pytest.mark.parametrize("residual", [True, False])
def test_lengths_and_gradients_are_those_of_a_pass_by_hand(computer: Computer, residual: bool) -> None:
    """Vectors recorded with that knob, and autograd from a leaf that takes the embedding's place."""
    trace = looked_into(computer, "depth", architecture="encoder-only", residual=residual)
    found: Depth = trace.experiments["depth"]
    model: Transformer = computer.sources.own.last
    lengths, gradients = (found.lengths, found.gradients) if residual else (found.lengths_without, found.gradients_without)
    x = model.encoder.embedding(ids(trace)).clone().requires_grad_(True)
    h = x
    for layer in model.encoder.layers:
        h = layer(h, None)
    log_p = model.generator(model.encoder.normalized(h)).log_softmax(-1)
    loss = -torch.stack([log_p[0, place, token] for place, token in enumerate(ids(trace)[0])]).mean()
    loss.backward()

    assert found.taps == (
        "encoder.embedding.output",
        *(f"encoder.layers.{layer}.residual{k}" for layer in (0, 1) for k in (1, 2)),
    )
    assert lengths == pytest.approx([np.linalg.norm(trace[tap], axis=-1).mean() for tap in found.taps], rel=1e-5)
    assert gradients[0] == pytest.approx(float(x.grad.norm(dim=-1).mean()), rel=1e-4)
    assert not any(weight.requires_grad for weight in model.parameters())


def test_the_loss_is_about_the_next_token(computer: Computer) -> None:
    """The gradient at the last addition is that of softmax and cross-entropy: (p - 1)·W for the token that follows."""
    trace = looked_into(computer, "depth", "你好吗", architecture="decoder-only", norm_placement="post")
    found: Depth = trace.experiments["depth"]
    model: Transformer = computer.sources.own.last
    x = torch.tensor(trace["decoder.norm"][:-1]).requires_grad_(True)
    logits = model.generator.project(x)
    loss = torch.nn.functional.cross_entropy(logits, ids(trace)[0, 1:])
    loss.backward()
    by_hand = ((logits.softmax(-1) - torch.eye(8000)[ids(trace)[0, 1:]]) @ model.generator.project.weight / 2).detach()

    assert x.grad.numpy() == pytest.approx(by_hand.numpy(), abs=1e-6)
    assert math.isfinite(found.gradients[-1])
