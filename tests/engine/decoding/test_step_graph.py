"""The graph of a step of guesses gives what the step gives, and steps aside wherever it could not."""

import gc
from weakref import ref

import pytest
import torch
from torch import Tensor

from explorer.engine.decoding import step_graph
from explorer.engine.decoding.quick import QuickSteps
from explorer.engine.decoding.quick_weights import quick_weights, round_weights
from explorer.engine.decoding.step_graph import make_step_graph
from explorer.model.linear import Linear
from explorer.model.rounded import CannotRoundError
from explorer.model.transformer import Transformer
from explorer.model.weights import with_knobs
from tests.engine.decoding.test_quick import model_of
from tests.model.models import assert_same

KNOBS: list[dict[str, object]] = [
    {},
    {"norm_placement": "post", "position": "learned", "activation": "gelu", "n_layers": 1},
    {"norm_kind": "std-eps", "bias": False, "residual": False, "temperature": 0.4},
    {"target_vocab_size": 30, "tied_embeddings": True, "score_scaling": False},
]


def ready(**knobs: object) -> Transformer:
    """A model with the graph of its steps."""
    with torch.inference_mode(False):  # Weights made in this mode are never quick.
        model = model_of(**knobs)
        round_weights(model)
        make_step_graph(model)
    return model


def told(model: Transformer, *, by_graph: bool = True) -> list[Tensor]:
    """Logits of several guesses, of one, after some are forgotten, and beyond the room at first."""
    chance = torch.Generator().manual_seed(3)
    source, target = (torch.randint(4, 30, (1, length), generator=chance) for length in (5, 60))
    steps = QuickSteps(model, model.encode(source), rounded=True)
    if not by_graph:
        steps._graph = None
    found = [steps.extend(target[:, :6]), steps.step(target[:, 6])]
    steps.back_to(3)
    return [*found, steps.extend(target[:, 20:23]), steps.extend(target[:, 23:60]), steps.step(target[:, 0])]


@pytest.mark.parametrize("knobs", KNOBS, ids=str)
@torch.inference_mode()
def test_guesses_by_a_graph_are_those_of_a_step(knobs: dict[str, object]) -> None:
    """For one row and many, behind any number of rows."""
    model = ready(**knobs)
    assert quick_weights(model).graph is not None

    for usual, quick in zip(told(model, by_graph=False), told(model), strict=True):
        assert_same(quick, usual)


@torch.inference_mode()
def test_a_step_is_made_by_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing above proves it; exact steps and batches never are."""
    model = ready()
    monkeypatch.setattr(QuickSteps, "logits", lambda *_: pytest.fail("made by Python"))
    told(model)

    for rounded, n in ((False, 1), (True, 2)):
        steps = QuickSteps(model, model.encode(torch.tensor([[5, 6, 7]] * n)), rounded=rounded)
        with pytest.raises(pytest.fail.Exception):
            steps.extend(torch.tensor([[5, 6]] * n))


@torch.inference_mode()
def test_with_another_knob_a_graph_is_made_anew() -> None:
    """The one of before has the other knob inside."""
    model = ready()
    first = quick_weights(model).graph
    model = with_knobs(model, model.config.changed(residual=False))
    for usual, quick in zip(told(model, by_graph=False), told(model), strict=True):
        assert_same(quick, usual)

    make_step_graph(model)
    assert quick_weights(model).graph not in (None, first)
    for usual, quick in zip(told(model, by_graph=False), told(model), strict=True):
        assert_same(quick, usual)


@torch.inference_mode()
def test_the_temperature_is_given_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its slider needs no other graph."""
    model = ready()
    first = told(model)
    model = with_knobs(model, model.config.changed(temperature=0.3))
    usual = told(model, by_graph=False)
    monkeypatch.setattr(QuickSteps, "logits", lambda *_: pytest.fail("made by Python"))

    assert not torch.equal(first[0], usual[0])
    for slow, quick in zip(usual, told(model), strict=True):
        torch.testing.assert_close(quick, slow, atol=2e-2, rtol=2e-2)  # Products round what they are given.


def test_it_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rest without news costs nothing."""
    model = ready()
    monkeypatch.setattr(torch.jit, "trace", lambda *_, **__: pytest.fail("made again"))

    make_step_graph(model)


@pytest.mark.parametrize("knobs", [{"position": "rotary"}, {"position": "alibi"}, {"architecture": "decoder-only"}], ids=str)
def test_where_places_are_turned_there_is_none(knobs: dict[str, object]) -> None:
    """Nor where there are no quick steps at all."""
    model = model_of(**knobs)
    if model.config.architecture == "encoder-decoder":
        round_weights(model)
    make_step_graph(model)

    if model.config.architecture == "encoder-decoder":
        assert quick_weights(model).graph is None


@pytest.mark.parametrize("fault", ["tracer", "numbers", "nothing is rounded"])
@torch.inference_mode()
def test_without_it_steps_are_made_as_before(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch without the tracer, graphs that give other numbers, and a torch without rounded products."""
    if fault == "tracer":
        monkeypatch.delattr(torch.jit, "trace")
    elif fault == "numbers":
        monkeypatch.setattr(torch.jit, "trace", lambda *_, **__: lambda *given: torch.zeros(len(given[0]), 50))
    else:

        def cannot(_self: object, _layer: Linear) -> None:
            raise CannotRoundError

        monkeypatch.setattr("explorer.model.rounded.Rounded.__init__", cannot)
    model = ready()
    if fault != "nothing is rounded":
        assert quick_weights(model).graph is None

    for usual, quick in zip(told(model, by_graph=False), told(model), strict=True):
        assert_same(quick, usual)


def test_weights_go_with_their_model() -> None:
    """The graph of steps is kept for as long as its model lives."""
    model = ready()
    gone = ref(model.decoder.layers[0].self_attn.project_query.weight)  # type: ignore[union-attr]
    del model
    gc.collect()

    assert gone() is None


def test_making_it_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    """torch's words for developers stay with them."""
    ready()

    assert step_graph and not recwarn.list
