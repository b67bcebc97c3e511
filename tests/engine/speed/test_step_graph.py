"""Graphs of steps give what the steps give, exact ones to the last bit, and step aside wherever they could not."""

import gc
from collections.abc import Callable
from types import SimpleNamespace
from weakref import ref

import pytest
import torch
from torch import Tensor, nn

from explorer.engine.speed import step_graph
from explorer.engine.speed.packed import Packed
from explorer.engine.speed.quick import QuickSteps
from explorer.engine.speed.quick_weights import quick_weights, round_weights
from explorer.engine.speed.rounded import CannotRoundError
from explorer.engine.speed.step_graph import make_exact_graphs, make_step_graph
from explorer.model.linear import Linear
from explorer.model.transformer import Transformer
from explorer.model.weights import with_knobs
from tests.engine.speed.orders import ORDERS, use_order
from tests.engine.speed.test_quick import model_of
from tests.model.models import assert_same
from tests.sweeps import sweep

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

    for rounded, n in ((False, 1), (True, 2)):  # The exact ones have graphs of their own, once they are worth it.
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


WRONG: dict[str, Callable[..., object]] = {
    "_register_attribute": lambda *_: None,
    "_create_method_from_trace": lambda *_: None,
    "_get_method": lambda _name: lambda *given: torch.zeros(len(given[0]), 50),
}
"""What torch's tracer makes a graph with, when the graph gives other numbers."""


@pytest.mark.parametrize("fault", ["tracer", "numbers", "nothing is rounded"])
@torch.inference_mode()
def test_without_it_steps_are_made_as_before(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch without the tracer, graphs that give other numbers, and a torch without rounded products."""
    if fault == "tracer":
        monkeypatch.delattr(torch._C, "ScriptModule")
    elif fault == "numbers":
        monkeypatch.setattr(torch._C, "ScriptModule", lambda *_: SimpleNamespace(**WRONG))
    else:

        def cannot(_self: object, _layer: Linear) -> None:
            raise CannotRoundError

        monkeypatch.setattr("explorer.engine.speed.rounded.Rounded.__init__", cannot)
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


# Exact steps


def exact(**knobs: object) -> Transformer:
    """A model with the graphs of its exact steps."""
    with torch.inference_mode(False):  # Weights made in this mode are never quick.
        model = model_of(**knobs)
        make_exact_graphs(model, worth=0)
    return model


def exactly(model: Transformer, n: int, sources: int, *, by_graph: bool = True) -> list[Tensor]:
    """Logits of steps of `n` rows which go on from as many `sources`: some, after some are forgotten, and beyond the room."""
    chance = torch.Generator().manual_seed(n)
    source, target = torch.randint(4, 30, (sources, 5), generator=chance), torch.randint(4, 30, (n, 60), generator=chance)
    steps = QuickSteps(model, model.encode(source))
    if not by_graph:
        steps._exact_graphs = [None, None]
    found = [steps.step(target[:sources, 0])]
    if sources == 1:
        steps.select(torch.zeros(n, dtype=torch.long))
    found += [steps.step(target[:, position]) for position in range(1, 6)]
    steps.back_to(2)
    found += [steps.extend(target[:, 10:13])[:, -1]]  # several tokens at once, which have no graph
    steps.select(torch.tensor([n - 1, *range(n - 1)]) if sources == n else torch.arange(n - 1, -1, -1))
    return found + [steps.step(target[:, position]) for position in range(13, 50)]


@pytest.mark.parametrize("order", sweep(ORDERS, telling=list(ORDERS)[:1]))
@pytest.mark.parametrize("knobs", [*KNOBS, {"d_model": 256, "d_ff": 512, "n_heads": 4}], ids=str)
@pytest.mark.parametrize(("n", "sources"), [(1, 1), (4, 1), (2, 2), (5, 5)])
@torch.inference_mode()
def test_exact_steps_by_graphs_are_those_of_a_step_to_the_last_bit(
    n: int, sources: int, knobs: dict[str, object], order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For one sentence, for the rows of a beam, and for several sentences; in both orders of packed weights."""
    use_order(monkeypatch, order)
    model = exact(**knobs)
    assert None not in quick_weights(model).exact_graphs

    for usual, quick in zip(exactly(model, n, sources, by_graph=False), exactly(model, n, sources), strict=True):
        assert torch.equal(quick, usual)


@pytest.mark.parametrize("n", [1, 3])
@torch.inference_mode()
def test_an_exact_step_is_made_by_its_graph(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing above proves it. Products of so many rows were made before and are known to be right."""
    model = exact()
    steps = QuickSteps(model, model.encode(torch.tensor([[5, 6, 7]] * n)))
    steps.step(torch.full((n,), 5))
    monkeypatch.setattr(QuickSteps, "logits", lambda *_: pytest.fail("made by Python"))

    steps.step(torch.full((n,), 6))
    with pytest.raises(pytest.fail.Exception):
        steps.extend(torch.full((n, 2), 6))


@torch.inference_mode()
def test_graphs_of_exact_steps_are_made_when_they_are_worth_it() -> None:
    """Not for a few steps, and for these weights and knobs alone."""
    with torch.inference_mode(False):
        model = model_of()
    steps = QuickSteps(model, model.encode(torch.tensor([[5, 6, 7]])))
    for position in range(9):
        make_exact_graphs(model, worth=9)
        assert quick_weights(model).exact_graphs == [None, None], position
        steps.step(torch.tensor([5]))
    make_exact_graphs(model, worth=9)
    first, of_several = quick_weights(model).exact_graphs
    assert first is not None
    assert of_several is None, "no such step was made"

    other = with_knobs(model, model.config.changed(residual=False))
    for usual, quick in zip(exactly(other, 1, 1, by_graph=False), exactly(other, 1, 1), strict=True):
        assert torch.equal(quick, usual)
    make_exact_graphs(other, worth=1)
    assert quick_weights(other).exact_graphs[0] not in (None, first)


@torch.inference_mode()
def test_guesses_do_not_count_as_exact_steps() -> None:
    """They have a graph of their own."""
    model = ready()
    told(model, by_graph=False)
    assert quick_weights(model).n_called == [0, 0]


@torch.inference_mode()
def test_no_graph_of_exact_steps_is_begun_once_something_else_is_wanted() -> None:
    """Each takes as long as a key."""
    with torch.inference_mode(False):
        model = model_of()
    exactly(model, 1, 1)
    exactly(model, 4, 1)
    answers = iter((False, True))
    make_exact_graphs(model, worth=1, stop=lambda: next(answers))
    assert [graph is None for graph in quick_weights(model).exact_graphs] == [False, True]

    make_exact_graphs(model, worth=1)
    assert None not in quick_weights(model).exact_graphs


@torch.inference_mode()
def test_edited_weights_have_other_graphs() -> None:
    """The state of the weights is looked at for each sentence."""
    model = exact()
    before = exactly(model, 1, 1)
    with torch.inference_mode(False), torch.no_grad():
        model.decoder.layers[0].feed_forward.expand.weight.mul_(1.5)  # type: ignore[union-attr]

    found = exactly(model, 1, 1)
    assert not torch.equal(found[0], before[0])
    for usual, quick in zip(exactly(model, 1, 1, by_graph=False), found, strict=True):
        assert torch.equal(quick, usual)


@pytest.mark.parametrize("fault", ["tracer", "one bit"])
@torch.inference_mode()
def test_without_graphs_exact_steps_are_made_as_before(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch without the tracer, and a graph that differs in the last bit of a number."""
    if fault == "tracer":
        monkeypatch.delattr(torch._C, "_create_graph_by_tracing")
    else:
        make = torch._C._create_function_from_graph

        def made(name: str, operations: torch.Graph) -> Callable[..., Tensor]:
            graph = make(name, operations)

            def run(*inputs: Tensor) -> Tensor:
                logits = graph(*inputs)
                logits[0, 0] = torch.nextafter(logits[0, 0], torch.tensor(torch.inf))
                return logits  # type: ignore[no-any-return]

            return run

        monkeypatch.setattr(torch._C, "_create_function_from_graph", made)
    model = exact()
    assert quick_weights(model).exact_graphs == [None, None]
    assert None not in quick_weights(model).exact_configs, "they are not tried again"
    exactly(model, 1, 1)


@torch.inference_mode()
def test_a_product_that_is_not_known_to_be_right_is_not_made_by_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one with so many rows is compared with torch's own (`packed.py`)."""
    use_order(monkeypatch, "oneDNN's")
    model = exact(d_model=256, d_ff=512, n_heads=4)
    steps = QuickSteps(model, model.encode(torch.tensor([[5, 6, 7]] * 7)))
    weights = quick_weights(model)
    assert weights.packed() and not weights.is_right(7)
    steps.step(torch.full((7,), 5))
    assert weights.is_right(7)


@torch.inference_mode()
def test_the_output_of_one_row_has_weights_of_its_own_in_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that nobody has to have tried the generator's own product with one row. A graph without that would never be used."""
    use_order(monkeypatch, "turned")
    model = exact(d_model=256, d_ff=512, n_heads=4, target_vocab_size=1100)
    steps = QuickSteps(model, model.encode(torch.tensor([[5, 6, 7]])))
    usual = steps.step(torch.tensor([5]))
    steps.back_to(0)
    monkeypatch.setattr("explorer.engine.speed.packed._right", {})
    monkeypatch.setattr(steps.weights, "_right", set())
    for linear in steps.weights.exact:
        if type(linear._packed) is Packed:
            linear._packed._right = {}
    monkeypatch.setattr(QuickSteps, "logits", lambda *_: pytest.fail("made by Python"))
    assert torch.equal(steps.step(torch.tensor([5])), usual)


def test_weights_of_exact_graphs_go_with_their_model() -> None:
    """They are inside of them, in C++, where only the memory that a weight lies in tells who still has it."""
    with torch.inference_mode(False):
        model = model_of()
        layer = model.decoder.layers[0].self_attn.project_output  # type: ignore[union-attr]
        memory = layer.weight.detach().numpy().copy()
        layer.weight = nn.Parameter(torch.from_numpy(memory), requires_grad=False)
        make_exact_graphs(model, worth=0)
    assert None not in quick_weights(model).exact_graphs
    gone = ref(memory)
    del model, layer, memory
    gc.collect()

    assert gone() is None
