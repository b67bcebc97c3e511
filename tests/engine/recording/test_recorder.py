"""Recording: copies that nobody can change, and no hook left behind."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from explorer.engine.recording.recorder import in_one_transfer, record
from explorer.model.hooks import hooked, n_hooks
from explorer.model.ids import ids_tensor
from explorer.model.tap import Tap, taps
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.stops import Superseded
from tests.trace.runs import SOURCE, TARGET, recorded, small


class Overwriting(nn.Module):
    """Shows a tensor and then changes it in place, as models do to save memory."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = Tap("batch position"), Tap("batch position")

    def forward(self, x: Tensor) -> Tensor:
        shown = self.before(x)
        shown.zero_()
        return self.after(shown)


def hooks(model: nn.Module) -> int:
    return sum(map(n_hooks, taps(model).values()))


@pytest.fixture(scope="module")
def model() -> Transformer:
    return build(small())


def run(model: Transformer) -> Tensor:
    return model(ids_tensor(SOURCE), ids_tensor(TARGET))


def test_a_tap_returns_the_very_tensor() -> None:
    """An identity: with or without recording the model computes the same."""
    x = torch.ones(1, 2)

    assert Tap("batch position")(x) is x


def test_recording_changes_no_number(model: Transformer) -> None:
    """To the last bit."""
    plain = run(model)
    with record(model):
        recorded = run(model)

    assert (plain == recorded).all()


def test_a_later_change_in_place_does_not_reach_the_record() -> None:
    """What is recorded is a copy."""
    model = Overwriting()
    with record(model) as recording:
        model(torch.ones(1, 3))

    assert recording.arrays["before"].tolist() == [1, 1, 1]
    assert recording.arrays["after"].tolist() == [0, 0, 0]


def test_arrays_are_contiguous_read_only_float32(model: Transformer) -> None:
    """Whatever the tensor's own layout was."""
    with record(model) as recording:
        run(model)

    for array in recording.arrays.values():
        assert array.dtype == np.float32
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"architecture": "encoder-only"},
        {"architecture": "decoder-only"},
        {"position": "learned", "max_len": 5},
        {"position": "rotary"},
        {"position": "alibi"},
        {"norm_placement": "post"},
        {"norm_kind": "std-eps"},
        {"dropout_active": True, "dropout": 0.5},
        {"tied_embeddings": True},
        {"activation": "gelu", "temperature": 0.5},
        {"mask_value": "-1e9", "causal_mask_encoder": True, "causal_mask_cross": True},
    ],
    ids=str,
)
def test_a_model_that_overwrites_nothing_need_not_be_copied(knobs: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays without a copy are to the last bit those with one."""
    itself = recorded(small(**knobs))
    monkeypatch.setattr(Transformer, "overwrites_nothing", False)
    copied = recorded(small(**knobs))

    assert list(itself.arrays) == list(copied.arrays)
    assert all(np.array_equal(itself.arrays[name], copied.arrays[name], equal_nan=True) for name in itself.arrays)


def test_a_model_that_lies_about_it_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above can fail."""
    monkeypatch.setattr(Overwriting, "overwrites_nothing", True, raising=False)
    model = Overwriting()
    with record(model) as recording:
        model(torch.ones(1, 3))

    assert recording.arrays["before"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("looks", [False, True])
def test_a_hook_of_somebody_else_makes_copies(looks: bool) -> None:
    """It may write to what it is shown, and keep it: then no array is the memory that the pass wrote."""
    model, shown = build(small()), list[Tensor]()
    handle = model.get_submodule("decoder.norm").register_forward_hook(lambda *_given: None) if looks else None
    with record(model) as recording:
        logits = run(model)
    shown.append(logits)
    if handle is not None:
        handle.remove()
    pointers = {array.__array_interface__["data"][0] for array in recording.arrays.values()}

    assert (logits.data_ptr() in pointers) is not looks


def test_no_array_is_a_parameters_own_memory() -> None:
    """Training or a new model must not reach what was recorded."""
    model = build(small(position="learned", max_len=5))
    with record(model) as recording:
        run(model)
    pointers = {parameter.data_ptr() for parameter in model.parameters()}

    assert not pointers & {array.__array_interface__["data"][0] for array in recording.arrays.values()}


def test_names_arrays_and_axes_are_those_that_a_hook_is_shown(model: Transformer) -> None:
    """In the same order."""
    shown: dict[str, Tensor] = {}
    axes: dict[str, tuple[str, ...]] = {}

    def hook(tap: Tap, _args: object, tensor: Tensor) -> None:
        shown[tap.name], axes[tap.name] = tensor, tap.axes[1:]

    with torch.inference_mode(), hooked(model, hook), record(model) as recording:
        run(model)
    assert list(recording.arrays) == list(shown) and dict(recording.axes) == axes
    for name, tensor in shown.items():
        np.testing.assert_array_equal(recording.arrays[name], tensor[0].numpy())


def test_other_types_become_float32() -> None:
    """float64, bfloat16, and tensors that want gradients."""
    model = Overwriting()
    for kind in (torch.float64, torch.bfloat16):
        with record(model) as recording:
            model(torch.ones(1, 3, dtype=kind))
        assert recording.arrays["before"].dtype == np.float32
    tap = nn.Sequential(Tap("batch position"))
    with record(tap) as recording:
        tap(torch.ones(1, 3, requires_grad=True))
    assert recording.arrays["0"].tolist() == [1, 1, 1]


def test_hooks_live_as_long_as_the_block(model: Transformer) -> None:
    """One on each tap inside, none before and after."""
    assert hooks(model) == 0
    with record(model):
        assert hooks(model) == len(taps(model))
    assert hooks(model) == 0


def test_an_exception_leaves_no_hook(model: Transformer) -> None:
    """Neither one in the block nor one in the pass."""
    with pytest.raises(RuntimeError, match="mine"), record(model):
        raise RuntimeError("mine")
    with pytest.raises(IndexError), record(model):
        model(ids_tensor((999,)), ids_tensor(TARGET))

    assert hooks(model) == 0


def test_stop_ends_the_pass_at_a_tap(model: Transformer) -> None:
    """Superseded comes out of the block, what was seen so far stays seen, and no hook is left."""
    asked: list[None] = []

    def stop() -> bool:
        asked.append(None)
        return len(asked) > 10

    with pytest.raises(Superseded), record(model, stop) as recording:
        run(model)

    assert len(recording.arrays) == 10
    assert hooks(model) == 0


def test_blocks_may_stand_in_each_other(model: Transformer) -> None:
    """Both see the pass inside; the outer one goes on alone."""
    with record(model) as outer:
        with record(model) as inner:
            run(model)
        assert hooks(model) == len(taps(model))
        seen = inner.arrays["generator.logits"]
        model(ids_tensor((5,)), ids_tensor((6,)))

    assert hooks(model) == 0
    assert inner.arrays["generator.logits"] is seen
    assert outer.arrays["generator.logits"].shape == (1, 50)


def test_a_part_may_be_recorded_by_itself_and_the_whole_again(model: Transformer) -> None:
    """Each under its own names."""
    assert model.encoder is not None
    for _ in range(2):
        with record(model) as whole:
            run(model)
        with record(model.encoder) as part:
            model.encode(ids_tensor(SOURCE))

        assert {"encoder.norm", "generator.logits"} <= whole.arrays.keys()
        assert {f"encoder.{name}" for name in part.arrays} == {n for n in whole.arrays if n.startswith("encoder.")}


def test_names_that_change_are_told_anew() -> None:
    """A tap is told its name when the taps of a model are listed."""
    tap, module = Tap("batch position"), nn.ModuleDict()
    for name in ("one", "two"):
        module[name] = tap
        with record(module) as recording:
            tap(torch.ones(1, 2))
        assert list(recording.arrays) == [name] and dict(recording.axes) == {name: ("position",)}
        del module[name]


def test_a_batch_of_two_is_refused(model: Transformer) -> None:
    """A Trace is of one sentence; two would be cut down to one silently."""
    with pytest.raises(ValueError, match="a batch of 2"), record(model):
        model(torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.long))


def test_one_transfer_brings_what_many_would() -> None:
    """Tensors of all shapes and layouts, one of them empty, of a single memory."""
    tensors = [torch.randn(1, 3, 4), torch.randn(1, 4, 5).transpose(1, 2), torch.zeros(1, 0, 7), torch.randn(1, 2).half()]
    arrays = in_one_transfer(tensors)

    for array, tensor in zip(arrays, tensors, strict=True):
        assert np.array_equal(array, tensor.float().numpy())
