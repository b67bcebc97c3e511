"""The Jacobian lens: its matrices against finite differences, its words against NumPy, and when a model has none."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.engine.compute import Computer
from explorer.engine.experiments import jacobian_sums as sums
from explorer.engine.experiments.jacobian import carried, jacobian_lens
from explorer.engine.experiments.jacobian_sums import jacobian_sums
from explorer.engine.experiments.lens_file import weights_hash
from explorer.engine.experiments.output_weights import lens_of, stream_taps
from explorer.engine.request import Request
from explorer.mathematics import layer_norm, softmax
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.stops import Superseded
from explorer.trace.found.findings import NotMade
from explorer.trace.trace import Trace
from tests.model.models import randomized, small

pytestmark = pytest.mark.slow  # many passes in float64

SOURCE, GIVEN = torch.tensor([[4, 9, 17, 3]]), torch.tensor([[1, 8, 30, 12, 7]])
STEP = 1e-5


def model_of(**knobs: object) -> Transformer:
    """A small model in float64 with every number random."""
    model = randomized(build(small(**knobs))).double()
    assert isinstance(model, Transformer)
    return model


def sum_of_last(model: Transformer, source: Tensor | None, tap: str, nudge: Tensor) -> Tensor:
    """[out feature] Σ_p' h_last[p'] of a pass in which `nudge` [feature] is added to the stream of every place at a tap."""
    assert model.decoder is not None
    seen: list[Tensor] = []

    def nudged(_tap: Tap, _args: Any, tensor: Tensor) -> Tensor:
        return tensor + nudge

    def keep(at: Tap, _args: Any, tensor: Tensor) -> None:
        if at.name == stream_taps(model.decoder)[-1]:
            seen.append(tensor)

    with torch.no_grad(), hooked(model, nudged, at=(tap,)), hooked(model, keep):
        model.decode(GIVEN, None if source is None else model.encode(source))
    return seen[-1].sum(dim=(0, 1))


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_the_matrices_are_what_finite_differences_give(placement: str, architecture: str) -> None:
    """In float64, at every tap of two layers, for six features that are moved at all places by a hundred-thousandth."""
    model = model_of(n_layers=2, norm_placement=placement, architecture=architecture)
    source = SOURCE if architecture == "encoder-decoder" else None
    sums = jacobian_sums(model, source, GIVEN, lambda: False)
    assert model.decoder is not None
    assert tuple(sums) == stream_taps(model.decoder)[:-1] and len(sums) == (6 if source is not None else 4)
    for tap, found in sums.items():
        assert found.dtype == torch.float64 and found.shape == (24, 24)
        for feature in (0, 5, 9, 14, 20, 23):
            nudge = torch.zeros(24, dtype=torch.float64)
            nudge[feature] = STEP
            up, down = (sum_of_last(model, source, tap, sign * nudge) for sign in (1, -1))
            expected = (up - down) / (2 * STEP)
            torch.testing.assert_close(found[:, feature], expected, atol=1e-5, rtol=1e-5)


def test_a_transposed_matrix_would_be_found() -> None:
    """Rows are what comes out, columns what is moved."""
    model = model_of(n_layers=2)
    sums = jacobian_sums(model, SOURCE, GIVEN, lambda: False)
    nudge = torch.zeros(24, dtype=torch.float64)
    nudge[5] = STEP
    tap = "decoder.layers.0.residual1"
    up, down = (sum_of_last(model, SOURCE, tap, sign * nudge) for sign in (1, -1))
    with pytest.raises(AssertionError):
        torch.testing.assert_close(sums[tap][5], (up - down) / (2 * STEP), atol=1e-3, rtol=1e-3)


def test_few_directions_at_a_time_are_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large model goes back in parts, with the same numbers."""
    model = model_of(n_layers=2)
    whole = jacobian_sums(model, SOURCE, GIVEN, lambda: False)
    monkeypatch.setattr(sums, "AT_ONCE", 7 * 5 * 24)
    for tap, found in jacobian_sums(model, SOURCE, GIVEN, lambda: False).items():
        torch.testing.assert_close(found, whole[tap], atol=1e-12, rtol=1e-12)


def test_fitting_stops_when_asked_and_leaves_no_gradients() -> None:
    """A request that waits is not kept waiting, and the model computes none afterwards."""
    model = model_of(n_layers=1)
    with pytest.raises(Superseded):
        jacobian_sums(model, SOURCE, GIVEN, lambda: True)
    assert not any(parameter.requires_grad for parameter in model.parameters())


def test_behind_the_last_addition_the_matrix_is_the_identity() -> None:
    """By autograd; so the lens leaves the stream of the last tap as it is."""
    model = model_of(n_layers=2)
    assert model.decoder is not None
    last = stream_taps(model.decoder)[-1]
    stream = torch.randn(5, 24, dtype=torch.float64, requires_grad=True)
    moved = torch.autograd.functional.jacobian(lambda h: carried(h, {"decoder.embedding.output": stream}, last).sum(0), stream)
    for position in range(5):
        torch.testing.assert_close(moved[:, position], torch.eye(24, dtype=torch.float64))


@pytest.fixture(scope="module")
def trace(tokenizers: object) -> Trace:
    """A pass of an untrained model over a sentence."""
    return Computer(tokenizers)(Request.from_preset("tiny", "她给了我一本书。")).trace  # type: ignore[arg-type]


def model_behind(trace: Trace) -> Transformer:
    assert trace.config is not None
    return build(trace.config)


def some_matrices(model: Transformer, n: int) -> dict[str, Tensor]:
    assert model.decoder is not None
    generator = torch.Generator().manual_seed(3)
    return {tap: torch.randn(n, n, generator=generator) for tap in stream_taps(model.decoder)[:-1]}


def test_its_words_are_those_of_numpy(trace: Trace) -> None:
    """softmax(norm(J·h)·W + b) with the final norm, in every row but the last."""
    model = model_behind(trace)
    n = trace.card.d_model
    matrices = some_matrices(model, n)
    found = jacobian_lens(model, trace, matrices, None, lambda: False)
    assert model.decoder is not None
    norm, generator = model.decoder.normalize, model.generator.project
    for row, tap in enumerate(found.taps[:-1]):
        h = trace[tap].astype(np.float64) @ matrices[tap].numpy().astype(np.float64).T
        z = layer_norm(h) * norm.weight.numpy() + norm.bias.numpy()
        p = softmax(z @ generator.weight.numpy().T.astype(np.float64) + generator.bias.numpy())
        np.testing.assert_allclose(found.probabilities[row], -np.sort(-p, axis=-1)[:, :10], rtol=2e-4)


def test_its_last_row_is_the_output_itself(trace: Trace) -> None:
    """To the last bit that of the lens without matrices; the rows above are others."""
    model = model_behind(trace)
    plain = lens_of(model, trace, lambda: False)
    found = jacobian_lens(model, trace, some_matrices(model, trace.card.d_model), None, lambda: False)
    np.testing.assert_array_equal(found.probabilities[-1], plain.probabilities[-1])
    np.testing.assert_array_equal(found.ids[-1], plain.ids[-1])
    assert np.abs(found.written_p[:-1] - plain.written_p[:-1]).max() > 1e-6


def test_one_changed_weight_is_another_hash() -> None:
    """Also one that is changed in place after the model was hashed, and one that is put back."""
    model = model_of(n_layers=1)
    first = weights_hash(model)
    assert weights_hash(model) == first
    weight = model.generator.project.weight
    with torch.no_grad():
        before = weight[3, 2].item()
        weight[3, 2] = before + 1e-6
        assert weights_hash(model) != first
        weight[3, 2] = before
    assert weights_hash(model) == first
    assert weights_hash(model_of(n_layers=1)) == first
    assert weights_hash(model_of(n_layers=2)) != first


def test_a_model_without_a_fitted_lens_says_so(tokenizers: object) -> None:
    """The lens without matrices is there all the same."""
    asked = Request.from_preset("tiny", "你好").asking(experiments=frozenset({"lens", "jacobian"}))
    found = Computer(tokenizers)(asked).trace  # type: ignore[arg-type]  # The fixture is typed in conftest.
    none = found.experiments["jacobian"]
    assert isinstance(none, NotMade) and "fit-lens" in str(none.error)
    assert found.lens().taps
    with pytest.raises(type(none.error)):
        found.lens(jacobian=True)
