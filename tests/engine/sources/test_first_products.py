"""First products with each number of rows: made at rest, each once, until a request comes."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.engine.sources.first_products import near, try_rows
from explorer.engine.sources.source import never
from explorer.model import packed
from explorer.model.ids import ids_tensor
from explorer.model.packed import Packed, can_pack
from explorer.model.transformer import Transformer
from explorer.model.weights import build, pack
from tests.model.models import ORDERS, use_order

pytestmark = pytest.mark.skipif(not can_pack(torch.ones(300, 300)), reason="this torch has no packed product")


@pytest.fixture(autouse=True)
def in_onednns_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other order has no first products."""
    use_order(monkeypatch, ORDERS[0])


def packed_model(d_model: int) -> Transformer:
    """A model of a shape that no other test has: first products are those of the whole process."""
    model = build(Config(d_model=d_model, n_heads=8, n_layers=1, d_ff=d_model + 8))
    pack(model)
    return model


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    """How many threads torch takes is told for the whole process."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each first product."""
    rows: list[int] = []
    is_right = Packed._is_right

    def noted(self: Packed, x: Tensor, bias: Tensor | None) -> bool:
        rows.append(x.numel() // x.shape[-1])
        return is_right(self, x, bias)

    monkeypatch.setattr(Packed, "_is_right", noted)
    return rows


def translate(model: Transformer, n: int) -> None:
    """A pass over so many tokens on both sides."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        model(ids_tensor(tuple(range(4, 4 + n))), ids_tensor(tuple(range(4, 4 + n))))


def test_no_pass_waits_for_a_first_product_after_a_rest(compared: list[int]) -> None:
    """As it does before one. A second rest has nothing to do."""
    model, rows = packed_model(264), near((7, 12))
    translate(model, 7)
    assert set(compared) == {7}
    try_rows(model, rows, never)
    assert sorted(set(compared)) == [*rows] == [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    compared.clear()
    for n in (5, 8, 15):
        translate(model, n)
    try_rows(model, rows, never)
    assert not compared


def test_a_request_ends_it(compared: list[int]) -> None:
    """After the product that is being made; the next rest goes on from there."""
    model, rows, asked = packed_model(272), near((7, 0)), []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 3

    try_rows(model, rows, stop)
    assert len(compared) == 3
    try_rows(model, rows, never)
    assert sorted(set(compared)) == [*rows] and len(compared) % len(rows) == 0


def test_weights_that_were_edited_are_packed_again_and_not_taken_for_wrong(compared: list[int]) -> None:
    """A product of the old numbers would tell every model of this shape that packed products are wrong."""
    model, right = packed_model(288), packed._right.setdefault((288, 288), {})
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(2)
    try_rows(model, near((7,)), never)
    assert set(compared) == set(near((7,)))
    assert right and all(right.values())


def test_sides_that_are_absent_short_or_long_ask_for_nothing() -> None:
    """One row has a way of its own, and a long text takes longer than a first product."""
    assert near((0, 1)) == (2, 3, 4)
    assert near((46, 300)) == (44, 45, 46, 47, 48)


def test_the_next_key_finds_its_products_made(compared: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The compute thread rests between two answers; only trained weights are packed, and their products compared."""
    monkeypatch.setattr(packed, "_right", {})
    computer = Computer()
    computer(Request.from_preset("translator", "我爱北京天安门"))
    computer.rest(never)
    assert compared
    compared.clear()
    computer(Request.from_preset("translator", "我爱北京天安门吗？"))
    assert not compared
