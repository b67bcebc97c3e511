"""Graphs of layers give every tap bit for bit what the layers give, and step aside wherever they could not."""

import gc
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from weakref import ref

import attrs
import pytest
import torch
from torch import Tensor

from explorer.config import KNOBS as ALL_KNOBS
from explorer.engine.recording.recorder import record
from explorer.model import layer_graph, layer_segment
from explorer.model.hooks import hooked, watched
from explorer.model.layer_graph import Graph, forget_graphs, in_graphs, make_wanted
from explorer.model.layers import EncoderLayer
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.model.weights import build, pack, redrawn, with_knobs
from tests.model.models import ORDERS, randomized, small, use_order

KNOBS: list[dict[str, object]] = [
    {},
    {"norm_placement": "post", "activation": "gelu", "position": "learned", "n_layers": 1},
    {"norm_kind": "std-eps", "bias": False, "residual": False},
    {"score_scaling": False, "temperature": 2.5, "mask_value": "-1e9", "masking": "zeros"},
    {"causal_mask_encoder": True, "causal_mask_cross": True, "causal_mask": False, "n_layers": 6},
    {"architecture": "encoder-only", "n_layers": 5},
    {"architecture": "decoder-only", "tied_embeddings": True},
    {"d_model": 256, "n_heads": 4, "d_ff": 300},  # large enough to be packed
]
CASES = [*((knobs, ORDERS[0]) for knobs in KNOBS), (KNOBS[-1], ORDERS[1])]


@pytest.fixture(autouse=True)
def no_graphs() -> Iterator[None]:
    """Each test begins without graphs, and leaves none behind."""
    forget_graphs()
    yield
    forget_graphs()


def model_of(**knobs: object) -> Transformer:
    model = randomized(build(small(**knobs)))
    pack(model)
    return model  # type: ignore[return-value]


def ids(n: int) -> Tensor:
    return torch.arange(4, 4 + n)[None]


def sides(model: Transformer, n: int, n_target: int) -> tuple[Tensor | None, Tensor | None]:
    return (None if model.encoder is None else ids(n)), (None if model.decoder is None else ids(n_target))


@torch.inference_mode()
def recorded(model: Transformer, n: int = 7, n_target: int = 5, *, by_graphs: bool = True) -> dict[str, Tensor]:
    """All taps of a pass."""
    with record(model) as recording:
        if by_graphs:
            with in_graphs(model):
                model(*sides(model, n, n_target))
        else:
            model(*sides(model, n, n_target))
    return {name: torch.from_numpy(recording.arrays[name].copy()) for name in recording.arrays}


def made(model: Transformer) -> list[Graph | None]:
    """The graphs after three passes and a rest; before packed products are compared, nothing is wanted."""
    for _ in range(3):
        recorded(model)
    make_wanted()
    return list(layer_graph._graphs.values())


def count_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A name for each call of an encoder's layer."""
    calls: list[str] = []
    forward = EncoderLayer.forward

    def counted(self: EncoderLayer, *given: Tensor) -> Tensor:
        calls.append("layer")
        return forward(self, *given)

    monkeypatch.setattr(EncoderLayer, "forward", counted)
    return calls


@pytest.mark.parametrize(("knobs", "order"), CASES, ids=str)
def test_every_tap_is_the_same_to_the_bit(monkeypatch: pytest.MonkeyPatch, knobs: dict[str, object], order: str) -> None:
    """The same taps in the same order, for sentences of other lengths than the graphs were made with, and other weights."""
    use_order(monkeypatch, order)
    model = model_of(**knobs)
    assert None not in made(model) and layer_graph._graphs
    for seed, n, n_target in ((0, 7, 5), (0, 3, 12), (1, 13, 2)):
        randomized(model, seed)
        recorded(model, n, n_target, by_graphs=False)  # the first products with so many rows
        usual, quick = (recorded(model, n, n_target, by_graphs=by) for by in (False, True))

        assert list(usual) == list(quick)
        for name in usual:
            assert torch.equal(usual[name].nan_to_num(9.0), quick[name].nan_to_num(9.0)), name


def test_layers_are_not_called_where_there_is_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing above proves that a graph was used."""
    model, calls = model_of(), count_calls(monkeypatch)
    recorded(model)
    assert len(calls) == 2

    made(model)
    calls.clear()
    recorded(model)
    assert not calls
    recorded(model, by_graphs=False)
    assert len(calls) == 2


def test_a_graph_is_made_after_a_second_pass_alone() -> None:
    """While a slider changes the shape of a model, each pass wants other graphs."""
    recorded(model := model_of())
    make_wanted()
    assert not layer_graph._graphs

    recorded(model)
    make_wanted()
    assert layer_graph._graphs


def test_a_hook_anywhere_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of ours and one of torch's; afterwards graphs go on."""
    model, calls = model_of(), count_calls(monkeypatch)
    made(model)
    plain = recorded(model)

    def louder(_tap: Tap, tensor: Tensor, _first: int | None) -> Tensor:
        return tensor * 2

    with hooked(model, louder, at=["encoder.layers.1.self_attn.mixed"]):
        changed = recorded(model)
    assert not torch.equal(plain["encoder.norm"], changed["encoder.norm"])
    seen: list[object] = []
    handle = model.encoder.layers[0].feed_forward.register_forward_hook(lambda *_: seen.append(1))  # type: ignore[union-attr]
    recorded(model)
    handle.remove()
    assert seen
    calls.clear()
    assert torch.equal(plain["encoder.norm"], recorded(model)["encoder.norm"]) and not calls


@torch.inference_mode()
def test_every_watcher_is_shown_every_tap() -> None:
    """One that knows nothing of graphs is called for each tap in its order, as without them."""
    model, told = model_of(), []
    made(model)

    def watcher(tap: Tap, tensor: Tensor, first: int | None) -> None:
        told.append((tap.name, float(tensor.nan_to_num(0, 0, 0).sum()), first))

    for graphs in (in_graphs(model), nullcontext()):
        with graphs, watched(model, watcher):
            model(*sides(model, 7, 5))
    assert told[: len(told) // 2] == told[len(told) // 2 :]


@pytest.mark.parametrize(("knobs", "order"), [CASES[0], *CASES[-2:]], ids=str)
@pytest.mark.parametrize("way", ["in place", "another", "another bias", "through .data"])
def test_an_edited_weight_takes_effect(monkeypatch: pytest.MonkeyPatch, way: str, knobs: dict[str, object], order: str) -> None:
    """As in a call of the layers, packed or not."""
    use_order(monkeypatch, order)
    model = model_of(**knobs)
    made(model)
    linear = model.encoder.layers[1].feed_forward.expand  # type: ignore[union-attr]
    with torch.no_grad():
        if way == "in place":
            linear.weight.mul_(2)
        elif way == "another":
            linear.weight = torch.nn.Parameter(linear.weight * 2, requires_grad=False)
        elif way == "another bias":
            linear.bias = torch.nn.Parameter(linear.bias * 2, requires_grad=False)
        else:
            linear.weight.data *= 2
            linear.unpack()
    quick, usual = recorded(model), recorded(model, by_graphs=False)

    assert all(torch.equal(quick[name], usual[name]) for name in usual)


@pytest.mark.parametrize("knobs", [{"residual": False}, {"mask_value": "-1e9"}, {"norm_placement": "post"}], ids=str)
def test_a_changed_knob_takes_effect(knobs: dict[str, object]) -> None:
    """The graphs of the last knobs are not used."""
    model = model_of()
    made(model)
    before = recorded(model)
    model = with_knobs(model, model.config.changed(**knobs))
    after = recorded(model)

    name = "decoder.layers.1.self_attn.masked"
    assert not torch.equal(before[name], after[name])
    assert torch.equal(after[name], recorded(model, by_graphs=False)[name])


def test_the_temperature_is_given_to_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its slider makes no graph anew, and neither does the switch of √d_head."""
    model, calls = model_of(), count_calls(monkeypatch)
    made(model)
    for knobs in ({"temperature": 0.3}, {"temperature": 1.7, "score_scaling": False}):
        model = with_knobs(model, model.config.changed(**knobs))
        calls.clear()
        quick = recorded(model)
        assert not calls
        usual = recorded(model, by_graphs=False)
        assert all(torch.equal(quick[name], usual[name]) for name in usual)


def test_models_of_one_shape_share_their_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of the seed nothing is made anew."""
    model, calls = model_of(), count_calls(monkeypatch)
    made(model)
    model = redrawn(model, model.config.changed(seed=5))
    calls.clear()
    quick = recorded(model)
    assert not calls
    usual = recorded(model, by_graphs=False)
    assert all(torch.equal(quick[name], usual[name]) for name in usual)


@pytest.mark.parametrize("knobs", [{"position": "rotary"}, {"position": "alibi"}, {"dropout_active": True, "dropout": 0.5}])
def test_what_depends_on_places_or_chance_is_called(knobs: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """No graph is wanted."""
    model = with_knobs(model_of(**knobs), small(**knobs))
    calls = count_calls(monkeypatch)
    assert not made(model)
    calls.clear()
    recorded(model)
    assert calls


def test_one_row_and_many_cells_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row is multiplied in another way, and a graph would keep all maps of a long text at once."""
    model, calls = model_of(architecture="encoder-only"), count_calls(monkeypatch)
    made(model)
    for n in (1, 10):
        monkeypatch.setattr(layer_segment, "_MOST_CELLS", 50)
        calls.clear()
        recorded(model, n)
        assert calls


@pytest.mark.parametrize("fault", ["tracer", "numbers"])
def test_where_torch_cannot_make_one_layers_are_called(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch without the tracer, and one whose graphs give other numbers; it is tried once."""
    model = model_of()
    if fault == "tracer":
        monkeypatch.delattr(torch.jit, "trace")
    else:
        run = layer_graph._traced

        def wrong(*given: object) -> Graph:
            right = run(*given)  # type: ignore[arg-type]
            return attrs.evolve(right, run=lambda *more: tuple(each + 1e-6 for each in right.run(*more)))

        monkeypatch.setattr(layer_graph, "_traced", wrong)

    assert set(made(model)) == {None}
    assert torch.equal(recorded(model)["encoder.norm"], recorded(model, by_graphs=False)["encoder.norm"])
    monkeypatch.setattr(layer_graph, "_made", lambda *_: pytest.fail("tried again"))
    make_wanted()


def test_making_one_gives_way_to_a_request_and_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    """It is made in the next rest; torch's words for developers stay with them."""
    model = model_of()
    for _ in range(2):
        recorded(model)
    make_wanted(lambda: True)
    assert not layer_graph._graphs

    make_wanted()
    with warnings.catch_warnings():
        assert None not in layer_graph._graphs.values() and layer_graph._graphs
    assert not recwarn.list


@pytest.mark.parametrize("rests", [False, True], ids=["wanted", "made"])
def test_weights_go_with_their_model(rests: bool) -> None:
    """Neither a graph that is wanted nor one that was made holds them: a large model must make room for the next."""
    model = model_of()
    for _ in range(3):
        recorded(model)
    if rests:
        make_wanted()
        assert layer_graph._graphs
    gone = ref(model.encoder.layers[0].self_attn.project_query.weight)  # type: ignore[union-attr]
    del model
    gc.collect()

    assert gone() is None
    make_wanted()  # What is gone is no longer wanted.
    assert not layer_graph._wanted


def test_few_graphs_are_kept() -> None:
    """The oldest goes first; a pass that finds none calls the layers."""
    models = [model_of(n_layers=1, architecture="encoder-only", d_ff=40 + 4 * turn) for turn in range(20)]
    for model in models:
        made(model)

    assert len(layer_graph._graphs) == layer_graph._MOST_GRAPHS
    quick, usual = (recorded(models[0], by_graphs=by) for by in (True, False))
    assert torch.equal(quick["encoder.norm"], usual["encoder.norm"])


def test_every_knob_is_in_the_key_or_known_not_to_be_read() -> None:
    """A new knob belongs to the key by itself; a name that no knob has is a mistake."""
    names = {knob.name for knob in ALL_KNOBS}

    assert names >= layer_graph._ELSEWHERE
    assert {name for name, _ in layer_graph._knobs(small())} == names - layer_graph._ELSEWHERE
