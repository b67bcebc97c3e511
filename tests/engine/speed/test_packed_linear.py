"""Packed weights give the same numbers, for one row and for many, and are noticed when they change."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from explorer.engine.speed.packed import Packed, Turned
from explorer.engine.speed.packed import packed as arranged
from explorer.engine.speed.packed_linear import PackedLinear, pack, unpack
from explorer.model.linear import Linear
from tests.engine.speed.orders import ORDERS, use_order
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # processes with other numbers of threads

needs_packs = pytest.mark.skipif(not hasattr(torch.ops.mkldnn, "_linear_pointwise"), reason="this torch has no packed product")


@needs_packs
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(250,), (1, 1, 250), (1, 2, 250), (1, 17, 250), (3, 40, 250), (1, 300, 250)])
def test_packed_weights_give_the_same_numbers(
    monkeypatch: pytest.MonkeyPatch, bias: bool, shape: tuple[int, ...], order: str
) -> None:
    """To 1e-5 of a float64 recomputation, for one row and for many, from memory in any order."""
    use_order(monkeypatch, order)
    ours = PackedLinear(250, 500, bias=bias).requires_grad_(False)
    x = torch.randn(shape)
    wanted = (x.double() @ ours.weight.double().T + (ours.bias.double() if bias else 0)).float()

    assert ours.pack()
    assert not ours.pack()  # it is done
    with torch.inference_mode():
        torch.testing.assert_close(ours(x), wanted, atol=1e-5, rtol=1e-5)
        if x.dim() == 3:
            crossed = x.transpose(0, 1).contiguous().transpose(0, 1)
            torch.testing.assert_close(ours(crossed), wanted, atol=1e-5, rtol=1e-5)


def test_weights_that_may_change_are_never_packed() -> None:
    """While they are learned, when they become another type, and when others are loaded."""
    learning = PackedLinear(250, 500)
    assert not learning.pack()

    settled = PackedLinear(250, 500).requires_grad_(False)
    x, other = torch.randn(2, 250), PackedLinear(250, 500).requires_grad_(False)
    settled.pack()
    settled.load_state_dict(other.state_dict())
    with torch.inference_mode():
        torch.testing.assert_close(settled(x), other(x))

    settled.pack()
    with torch.inference_mode():
        torch.testing.assert_close(settled.double()(x.double()).float(), other(x))


def test_gradients_go_through_packed_weights() -> None:
    """The experiment on depth asks for them."""
    layer = PackedLinear(250, 500).requires_grad_(False)
    layer.pack()
    x = torch.randn(2, 250, requires_grad=True)
    layer(x).sum().backward()

    torch.testing.assert_close(x.grad, layer.weight.sum(0).expand(2, -1))


def test_small_matrices_are_left_as_they_are() -> None:
    """A packed call costs more than their product."""
    assert not PackedLinear(12, 7).requires_grad_(False).pack()


def packed(n_in: int = 250, n_out: int = 500) -> PackedLinear:
    layer = PackedLinear(n_in, n_out).requires_grad_(False)
    assert layer.pack()
    return layer


EDITS: dict[str, Callable[[PackedLinear], object]] = {
    "zero_": lambda layer: layer.weight.zero_(),
    "a row": lambda layer: layer.weight.__setitem__(3, 0.5),
    "a view": lambda layer: layer.weight.detach()[:, 7].fill_(2),
    "another parameter": lambda layer: setattr(layer, "weight", nn.Parameter(torch.ones(500, 250), requires_grad=False)),
    "other data": lambda layer: setattr(layer.weight, "data", torch.ones(500, 250)),
    "within inference mode": lambda layer: in_inference_mode(layer.weight.mul_, -1),
    "copied": lambda layer: layer.weight.copy_(torch.ones(500, 250)),
    "another bias": lambda layer: layer.bias.fill_(3),
    "to be learned": lambda layer: layer.requires_grad_(True),
    "to be learned, edited": lambda layer: in_no_grad(layer.requires_grad_(True).weight.zero_),
}


def in_inference_mode(edit: Callable[..., object], *given: object) -> None:
    with torch.inference_mode():
        edit(*given)


def in_no_grad(edit: Callable[..., object]) -> None:
    with torch.no_grad():
        edit()


@needs_packs
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edited_weights_are_noticed(
    monkeypatch: pytest.MonkeyPatch, edit: Callable[[PackedLinear], object], order: str
) -> None:
    """The next product is of the weights as they are now."""
    use_order(monkeypatch, order)
    layer, x = packed(), torch.randn(5, 250)
    with torch.inference_mode():
        layer(x)
    edit(layer)
    with torch.inference_mode():
        # Sums of 250 products in another order; an edit that is not noticed is off by one or more.
        torch.testing.assert_close(layer(x), nn.functional.linear(x, layer.weight, layer.bias), atol=1e-4, rtol=1e-5)


@needs_packs
def test_a_packed_product_that_is_wrong_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once per shape and number of threads it is held against torch's own; so the comparison can fail."""
    asked: list[tuple[int, ...]] = []

    def wrong(x: Tensor, *_rest: object) -> Tensor:
        asked.append(tuple(x.shape))
        return torch.full((*x.shape[:-1], 500), float("nan"))

    use_order(monkeypatch, ORDERS[0])
    monkeypatch.setattr("explorer.engine.speed.packed._right", {})
    layer = packed()
    monkeypatch.setattr("explorer.engine.speed.packed.Packed._product", lambda _self, x, bias: wrong(x, bias))
    with torch.inference_mode():
        for rows in (5, 5, 6):
            x = torch.randn(rows, 250)
            torch.testing.assert_close(layer(x), nn.functional.linear(x, layer.weight, layer.bias))

    assert [(5, 250), (6, 250)] == asked


def test_the_order_follows_from_size_and_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so the same model gives the same bits in each process."""
    small, long, wide = torch.ones(1024, 256), torch.ones(1025, 256), torch.ones(257, 257)
    use_order(monkeypatch, "turned")
    assert [type(arranged(each)) for each in (small, long, wide)] == [Turned, Packed, Packed]
    assert arranged(small).tensor.stride() == (1, 1024)
    use_order(monkeypatch, "oneDNN's")
    assert type(arranged(small)) is Packed


@pytest.mark.parametrize(
    ("has_mkl", "widest", "processor", "turns"),
    [
        (True, "AVX512", "vendor_id\t: GenuineIntel", True),
        (True, "AVX2", "vendor_id\t: AuthenticAMD", True),
        (True, "AVX512", "vendor_id\t: AuthenticAMD", False),
        (True, "AVX512", "", False),
        (False, "DEFAULT", "", False),
    ],
)
def test_small_matrices_are_turned_where_intels_library_reads_them_faster(
    monkeypatch: pytest.MonkeyPatch, has_mkl: bool, widest: str, processor: str, turns: bool
) -> None:
    """On ARM torch has none. On other makers' processors it does not use the widest instructions, which oneDNN does."""
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: has_mkl)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: widest)
    monkeypatch.setattr("explorer.engine.speed.packed._processor", lambda: processor)
    made = arranged(torch.ones(1024, 256))
    assert type(made) is (Turned if turns else Packed)


@pytest.mark.parametrize(
    ("order", "n_out", "by_copy"), [(ORDERS[0], 1024, False), (ORDERS[0], 1028, True), ("turned", 1024, True)]
)
def test_one_row_reads_a_copy_where_that_is_faster(
    monkeypatch: pytest.MonkeyPatch, order: str, n_out: int, by_copy: bool
) -> None:
    """oneDNN's order is slower for it up to 2¹⁸ numbers."""
    use_order(monkeypatch, order)
    layer = PackedLinear(256, n_out).requires_grad_(False)
    assert layer.pack()
    asked: list[Tensor] = []
    kind = Turned if order == "turned" else Packed
    made = kind.product
    monkeypatch.setattr(kind, "product", lambda self, x, bias: (asked.append(x), made(self, x, bias))[1])
    with torch.inference_mode():
        x = torch.randn(1, 256)
        torch.testing.assert_close(layer(x), nn.functional.linear(x, layer.weight, layer.bias))
    assert bool(asked) == by_copy


@pytest.mark.parametrize("order", ORDERS)
def test_a_model_with_other_knobs_takes_over_the_copies_of_the_same_weights(
    monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    """The same bits, without packing again; what was edited meanwhile, or lies elsewhere, is packed by itself."""
    use_order(monkeypatch, order)
    first, second, third = (PackedLinear(256, 300).requires_grad_(False) for _each in range(3))
    assert first.pack()
    second.weight = nn.Parameter(first.weight.detach(), requires_grad=False)  # the same memory
    assert second.pack_as(first)
    ours, theirs = second.current(), first.current()
    assert ours is not None and theirs is not None and ours.tensor is theirs.tensor is not first.weight
    assert not third.pack_as(first)  # other memory
    with torch.inference_mode():
        x = torch.randn(5, 256)
        torch.testing.assert_close(second(x), nn.functional.linear(x, first.weight, second.bias))
    with torch.no_grad():
        first.weight += 1.0
    third.weight = nn.Parameter(first.weight.detach(), requires_grad=False)
    assert not third.pack_as(first)  # The copy is older than the weights.
    with torch.no_grad():
        torch.testing.assert_close(third(x), nn.functional.linear(x, third.weight, third.bias))


def test_a_model_is_packed_and_unpacked_with_its_own_parameters() -> None:
    """Each linear layer stands where it stood, under its name; tied weights stay tied."""
    model = nn.Sequential(Linear(256, 300), nn.ReLU(), nn.Sequential(Linear(300, 256, bias=False))).requires_grad_(False).eval()
    tied = nn.ModuleList([model, Linear(256, 300)]).requires_grad_(False)
    tied[1].weight = model[0].weight
    named, plain = dict(tied.named_parameters(remove_duplicate=False)), model(torch.ones(2, 256))
    pack(tied)
    packed_kinds = [type(each) for each in tied.modules() if isinstance(each, nn.Linear)]
    assert packed_kinds == [PackedLinear] * 3 and not any(each.training for each in model.modules())
    again = dict(tied.named_parameters(remove_duplicate=False))
    assert again.keys() == named.keys() and all(again[name] is named[name] for name in named)
    with torch.inference_mode():
        torch.testing.assert_close(model(torch.ones(2, 256)), plain)
    unpack(tied)
    assert [type(each) for each in tied.modules() if isinstance(each, nn.Linear)] == [Linear] * 3
    assert torch.equal(model(torch.ones(2, 256)), plain)


PRODUCTS = """
import gc
gc.disable()  # A third of the time to load torch and to end is the collector's.
import torch
from explorer.engine.speed.packed_linear import PackedLinear
torch.manual_seed(0)
for n_threads in (1, 2, 4):
    torch.set_num_threads(n_threads)
    for shape in ((300,), (1, 16, 256), (1, 64, 256), (1, 256, 256), (1, 1, 1024)):
        layer = PackedLinear(shape[-1], 1024).requires_grad_(False)
        layer.pack()
        x = torch.randn(shape)
        with torch.inference_mode():
            torch.testing.assert_close(layer(x), torch.nn.functional.linear(x, layer.weight, layer.bias), rtol=1e-4, atol=1e-4)
gc.freeze()
"""


GRANTED = ("OMP_THREAD_LIMIT=1", "OMP_DYNAMIC=true", "OMP_DYNAMIC=TRUE ", "OMP_NUM_THREADS=1")


@needs_packs
@pytest.mark.parametrize("variable", sweep(GRANTED, telling=["OMP_THREAD_LIMIT=1"]))
def test_products_are_right_where_fewer_threads_are_granted(variable: str) -> None:
    """OpenMP reads its variables when torch is loaded, so in a process of its own."""
    name, _, value = variable.partition("=")
    ran = subprocess.run(
        [sys.executable, "-c", PRODUCTS], env={**os.environ, name: value}, capture_output=True, text=True, check=False
    )

    assert (0, "") == (ran.returncode, ran.stderr)
