"""torch's contract on every module, and hooks of taps that replace."""

import copy
import pickle
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.nn.utils import prune

from explorer.engine.recording.recorder import record
from explorer.engine.speed.packed_linear import pack
from explorer.errors import BadReplacement
from explorer.lang import Words
from explorer.model.hooks import hooked, is_hooked
from explorer.model.ids import ids_tensor
from explorer.model.tap import Hook, Tap, taps
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from tests.trace.runs import SOURCE, TARGET, small

Ids = tuple[int, ...]


@pytest.fixture
def model() -> Transformer:
    return build(small(d_model=256, d_ff=512))


def run(model: nn.Module) -> Tensor:
    with torch.inference_mode():
        return model(ids_tensor(SOURCE), ids_tensor(TARGET))


def called(model: Transformer) -> set[str]:
    """What a pass calls: all but the lists, which hold modules, and the final norms of another placement."""
    return {name for name, module in model.named_modules() if not isinstance(module, nn.ModuleList)}


@pytest.mark.parametrize("packed", [False, True])
def test_every_module_fires_torchs_hooks(model: Transformer, packed: bool) -> None:
    """Forward, pre, with kwargs and always_call; nothing fires any more when they are removed."""
    if packed:
        pack(model)
    plain = run(model)
    seen: dict[str, list[str]] = {kind: [] for kind in ("forward", "pre", "forward kwargs", "pre kwargs")}

    def note(kind: str, name: str) -> Callable[..., None]:
        return lambda *_given: seen[kind].append(name)

    handles = []
    for name, module in model.named_modules():
        handles += [
            module.register_forward_hook(note("forward", name)),
            module.register_forward_pre_hook(note("pre", name)),
            module.register_forward_hook(note("forward kwargs", name), with_kwargs=True, always_call=True),
            module.register_forward_pre_hook(note("pre kwargs", name), with_kwargs=True),
        ]
    observed = run(model)

    assert {kind: called(model) for kind in seen} == {kind: set(names) for kind, names in seen.items()}
    assert torch.equal(plain, observed)
    for handle in handles:
        handle.remove()
    for names in seen.values():
        names.clear()
    assert torch.equal(plain, run(model))
    assert all(not names for names in seen.values())


@pytest.fixture
def global_hooks() -> Iterator[list[nn.Module]]:
    seen: list[nn.Module] = []
    handles = [
        register_module_forward_hook(lambda module, _args, _output: seen.append(module)),
        register_module_forward_pre_hook(lambda module, _args: seen.append(module)),
    ]
    yield seen
    for handle in handles:
        handle.remove()


def test_hooks_of_all_modules_fire_too(model: Transformer, global_hooks: list[nn.Module]) -> None:
    """Before and after each module that a pass calls."""
    run(model)

    names = {module: name for name, module in model.named_modules()}
    assert called(model) == {names[module] for module in global_hooks}
    assert all(global_hooks.count(module) >= 2 for module in set(global_hooks))


def test_always_call_is_called_when_the_pass_fails(model: Transformer) -> None:
    """As torch promises, of a linear layer and of a tap."""
    seen: list[nn.Module] = []

    def fail(_module: nn.Module, _args: object) -> None:
        raise RuntimeError("stop")

    for module in (model.generator.project, model.generator.logits):
        watching = module.register_forward_hook(lambda module, _args, _output: seen.append(module), always_call=True)
        failing = module.register_forward_pre_hook(fail)
        with pytest.raises(RuntimeError, match="stop"):
            run(model)
        failing.remove()
        watching.remove()

    assert seen == [model.generator.project, model.generator.logits]


@pytest.mark.parametrize(
    "name",
    [
        "decoder.layers.1.cross_attn.project_value",
        "decoder.layers.1.feed_forward.drop",
        "decoder.layers.1.norm2",
        "decoder.layers.0.self_attn.weights",
    ],
)
def test_what_a_forward_hook_returns_replaces(model: Transformer, name: str) -> None:
    """An ablation by hand changes the logits, as the same ablation from outside does."""
    plain = run(model)
    handle = model.get_submodule(name).register_forward_hook(lambda _module, _args, output: output * 0)
    changed = run(model)
    handle.remove()
    pre = model.get_submodule(name).register_forward_pre_hook(lambda _module, args: (args[0] * 0, *args[1:]))
    changed_before = run(model)
    pre.remove()

    assert (plain - changed).abs().max() > 1e-3
    assert (plain - changed_before).abs().max() > 1e-3
    assert torch.equal(plain, run(model))


def test_backward_hooks_fire(model: Transformer) -> None:
    """On taps and linear layers as on torch's own."""
    seen: list[str] = []
    for name in ("generator.logits", "decoder.layers.0.self_attn.weights", "decoder.layers.0.feed_forward.expand"):
        model.get_submodule(name).register_full_backward_hook(lambda _m, _gi, _go, name=name: seen.append(name))
    model.requires_grad_(True)
    model(ids_tensor(SOURCE), ids_tensor(TARGET)).sum().backward()

    assert seen == ["generator.logits", "decoder.layers.0.feed_forward.expand", "decoder.layers.0.self_attn.weights"]


@pytest.mark.parametrize("way", ["torch", "ours"])
def test_a_taps_hook_replaces_what_the_recorder_sees_and_all_that_follows(model: Transformer, way: str) -> None:
    """A head that is switched off is zero in the Trace; the output is W_o of the rest, computed apart."""
    mixed = taps(model)["encoder.layers.0.self_attn.mixed"]

    def off(tensor: Tensor) -> Tensor:
        changed = tensor.clone()
        changed[:, 0] = 0
        return changed

    with record(model) as plain:
        run(model)
    if way == "torch":
        handle = mixed.register_forward_hook(lambda _tap, _args, output: off(output))
        with record(model) as changed:
            run(model)
        handle.remove()
    else:
        with hooked(model, lambda tap, _args, tensor: off(tensor) if tap is mixed else None), record(model) as changed:
            run(model)

    assert (changed.arrays[mixed.name][0] == 0).all()
    assert (changed.arrays[mixed.name][1:] == plain.arrays[mixed.name][1:]).all()
    together = torch.from_numpy(changed.arrays[mixed.name].copy()).transpose(0, 1).flatten(1)
    linear = model.get_submodule("encoder.layers.0.self_attn.project_output")
    wanted = (together.double() @ linear.weight.double().T + linear.bias.double()).float()
    torch.testing.assert_close(
        torch.from_numpy(changed.arrays["encoder.layers.0.self_attn.output"].copy()), wanted, atol=1e-5, rtol=1e-5
    )
    assert (changed.arrays["generator.logits"] != plain.arrays["generator.logits"]).any()


def test_hooks_run_in_the_order_in_which_they_were_registered(model: Transformer) -> None:
    """Each is given what the one before it returned, and a recording shows what came out of those before it."""
    name, seen = "encoder.norm", list[float]()
    own = taps(model)[name].register_forward_hook(lambda _tap, _args, tensor: torch.ones_like(tensor))
    with (
        hooked(model, lambda _tap, _args, tensor: tensor * 2, lambda _tap, _args, tensor: tensor + 1, at=[name]),
        record(model) as recording,
        hooked(model, lambda _tap, _args, tensor: seen.append(float(tensor.max())), at=[name]),
    ):
        run(model)
    own.remove()

    assert [3.0] == seen
    assert (recording.arrays[name] == 3).all()


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("encoder.norm", lambda x: x[:, :1]),
        ("encoder.norm", lambda x: x.double()),
        ("encoder.norm", lambda x: x * float("nan")),
        ("encoder.norm", lambda x: x - float("inf")),
        ("encoder.norm", lambda x: 0.5),
        ("encoder.layers.0.self_attn.masked", lambda x: x * 0 + float("inf")),
        ("decoder.layers.0.self_attn.masked", lambda x: x * 0),
    ],
    ids=["shape", "type", "NaN", "-inf", "no tensor", "+inf where masked", "0 times -inf"],
)
def test_what_cannot_stand_in_is_refused_by_name(model: Transformer, name: str, make: Callable[[Tensor], object]) -> None:
    """Another shape or type, and numbers that are not finite; the pass ends and no hook is left."""
    tap = taps(model)[name]
    handle = tap.register_forward_hook(lambda _tap, _args, output: make(output))
    with pytest.raises(BadReplacement) as caught, record(model):
        run(model)
    handle.remove()

    assert name in Words.load("en").error(caught.value)
    assert not is_hooked(model)


def test_minus_infinity_closes_a_cell_where_masks_do(model: Transformer) -> None:
    """A closed cell has no weight."""
    closed = "encoder.layers.0.self_attn.masked"

    def close(tap: Tap, _args: object, tensor: Tensor) -> Tensor | None:
        return tensor.index_fill(-1, torch.tensor([0]), -torch.inf) if tap.name == closed else None

    with hooked(model, close), record(model) as recording:
        run(model)

    assert (recording.arrays["encoder.layers.0.self_attn.weights"][..., 0] == 0).all()


def test_what_was_recorded_does_not_change_with_a_hooks_own_tensor(model: Transformer) -> None:
    """A hook may return the same memory at each pass, and torch's hooks may write to what they are shown."""
    own = torch.ones(1, len(SOURCE), 256)
    with hooked(model, lambda tap, _tensor, _first: own if tap.name == "encoder.norm" else None), record(model) as recording:
        run(model)
    own.zero_()
    assert (recording.arrays["encoder.norm"] == 1).all()

    with record(model) as plain:
        run(model)
    handle = model.get_submodule("decoder.layers.0.norm1").register_forward_hook(lambda _tap, _args, output: output.zero_())
    assert is_hooked(model)
    with record(model) as changed:
        run(model)
    handle.remove()
    assert not is_hooked(model)
    assert (changed.arrays["decoder.layers.0.norm1"] == 0).all()
    assert (changed.arrays["decoder.embedding.output"] == plain.arrays["decoder.embedding.output"]).all()


@pytest.mark.parametrize("way", ["torch", "ours"])
def test_a_hook_that_writes_to_what_it_is_shown_reaches_no_other_pass(model: Transformer, way: str) -> None:
    """The table of positions is made once for all passes: what a tap shows of it is a copy."""
    plain, other = run(model), run(build(small(d_model=256, d_ff=512)))
    tap = taps(model)["encoder.embedding.positions"]
    if way == "torch":
        handle = tap.register_forward_hook(lambda _tap, _args, output: output.zero_())
        changed = run(model)
        handle.remove()
    else:
        with hooked(model, lambda seen, _args, tensor: tensor.zero_() if seen is tap else None):
            changed = run(model)

    assert (changed - plain).abs().max() > 1e-3
    assert torch.equal(plain, run(model))
    assert torch.equal(other, run(build(small(d_model=256, d_ff=512))))


def test_hooks_set_inside_the_block_change_nothing_that_was_recorded(model: Transformer) -> None:
    """A hook that writes in place, set after recording began: what stood before it in the pass is as without."""
    with record(model) as plain:
        run(model)
    with record(model) as recording:
        handle = model.get_submodule("decoder.layers.0.feed_forward.contract").register_forward_pre_hook(
            lambda _module, args: (args[0].zero_(), None)[1]
        )
        run(model)
        handle.remove()

    name = "decoder.layers.0.feed_forward.activated"
    assert (recording.arrays[name] == plain.arrays[name]).all() and plain.arrays[name].any()


def test_packed_layers_can_be_pruned_parametrized_copied_and_written(model: Transformer) -> None:
    """As torch's own: with the weights that they then have."""
    pack(model)
    plain = run(model)
    again = pickle.loads(pickle.dumps(copy.deepcopy(model)))
    assert torch.allclose(plain, run(again), atol=1e-5)
    layer = model.get_submodule("encoder.layers.0.feed_forward.expand")
    prune.random_unstructured(layer, "weight", amount=0.5)
    x = torch.randn(3, 256)
    with torch.inference_mode():
        torch.testing.assert_close(layer(x), nn.functional.linear(x, layer.weight, layer.bias))
    assert (plain - run(model)).abs().max() > 1e-3
    assert not layer.pack()


def test_hooks_at_some_taps_are_called_there_alone(model: Transformer) -> None:
    """They go with their block, whatever happens in it; a name that no tap has is refused before any hook is put in."""
    seen: list[tuple[str, str]] = []

    def note(who: str) -> Hook:
        return lambda tap, _args, _tensor: seen.append((who, tap.name))

    with (
        hooked(model, note("first"), note("second"), at=["encoder.norm", "generator.logits"]),
        pytest.raises(ZeroDivisionError),
    ):
        run(model)
        raise ZeroDivisionError

    assert [(who, name) for name in ("encoder.norm", "generator.logits") for who in ("first", "second")] == seen
    with pytest.raises(KeyError), hooked(model, note("none"), at=["encoder.norm", "encoder.nor"]):
        run(model)
    assert not is_hooked(model)


def test_hooks_of_any_kind_and_place_are_noticed(model: Transformer) -> None:
    """Of a tap, of a layer, before and after it, on the way back, and of all modules of the process."""
    layer, tap = model.get_submodule("decoder.layers.0"), taps(model)["encoder.norm"]
    for register in (
        tap.register_forward_hook,
        layer.register_forward_hook,
        layer.register_forward_pre_hook,
        layer.register_full_backward_hook,
        layer.register_full_backward_pre_hook,
        register_module_forward_hook,
        register_module_forward_pre_hook,
    ):
        assert not is_hooked(model)
        handle = register(lambda *_given: None)  # type: ignore[operator]  # each takes a hook
        assert is_hooked(model)
        handle.remove()
    assert not is_hooked(model)
