"""One cell of a product as a sum: its terms against torch's own parameters in float64, and its total against the record."""

import attrs
import numpy as np
import pytest
import torch

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.picture.causal_kinds import Account
from explorer.picture.figure.kinds import tables
from explorer.picture.makers import attention_steps as steps
from explorer.picture.makers.cell_sum import PRODUCTS
from explorer.picture.sums import SumTerm
from explorer.state.focus import Focus
from explorer.state.look import Look
from explorer.trace.changes import Change
from explorer.trace.trace import Trace
from tests.picture.examples import example, words

EN = words("en")
CROSS = "decoder.cross_attn"


def looked_into(
    attention: str = CROSS, changes: tuple[Change, ...] = (), computer: Computer | None = None, **knobs: object
) -> Trace:
    """A pass of the small model with the parameters of an attention of layer 1."""
    request = Request.from_preset("tiny", "我爱北京天安门", **knobs).wishing(changes=changes)
    asking = request.asking(experiments=frozenset({"attention_weights"}), focus=Focus(attention=attention, layer=1))
    return (computer or Computer())(asking).trace


def opened(trace: Trace, part: str, row: int, column: int, attention: str = CROSS) -> Account:
    look = Look(attention=attention, layer=1, head=2, part=part, sum_row=row, sum_column=column)
    made = steps.opened_sum(trace, look, EN)
    assert isinstance(made, Account)
    return made


def figures(made: Account) -> list[float]:
    """The numbers in the line above the terms."""
    return [float(link.figure.replace("−", "-")) for link in made.sums.chain]


@pytest.mark.parametrize("part", PRODUCTS)
def test_the_terms_add_up_to_what_was_recorded(part: str) -> None:
    """The largest term first; of a product with a matrix of the model the bias is one of them."""
    trace = looked_into(seed=3)
    made = opened(trace, part, 1, 0)
    recorded = trace[f"decoder.layers.1.cross_attn.{part}"]
    cell = float(recorded[1, 0] if part == "output" else recorded[2, 1, 0])
    values = [term.value for term in made.sums.terms]

    assert made.sums.difference == cell
    assert sum(values) == pytest.approx(cell, abs=1e-5)
    assert sorted(values, key=abs, reverse=True) == values
    assert ("b_" in "".join(term.label for term in made.sums.terms)) is (part in ("query", "key", "value", "output"))
    assert made.sums.said == ""


def test_k_of_cross_attention_is_made_of_what_the_encoder_gives_out() -> None:
    """Each term is one number of the encoder's output times one of W_K, in float64; the bias is the last part of the sum."""
    computer = Computer()
    looked_into(computer=computer)
    module = computer.sources.own.last.decoder.layers[1].cross_attn.project_key
    with torch.no_grad():
        module.bias.copy_(torch.linspace(-1, 1, len(module.bias)))
    trace = looked_into(computer=computer)
    made, at = opened(trace, "key", 3, 5), 2 * 16 + 5  # feature 5 of head 2
    x, weight = trace["encoder.norm"][3].astype(np.float64), module.weight.detach().double().numpy()[at]
    bias = float(module.bias.detach().double()[at])
    expected = {f"feature {i}": float(x[i] * weight[i]) for i in range(64)} | {"b_K": bias}

    assert {term.label: term.value for term in made.sums.terms} == pytest.approx(expected, abs=1e-12)
    assert figures(made) == pytest.approx([float(x @ weight), bias, float(x @ weight) + bias, made.sums.difference], abs=1e-4)


def test_rotary_positions_turn_the_sum_before_it_is_recorded() -> None:
    """The map is that before rotation and says so; the line above the terms leads on to the recorded number."""
    trace = looked_into("decoder.self_attn", position="rotary")
    made = opened(trace, "key", 3, 5, "decoder.self_attn")
    look = Look(attention="decoder.self_attn", layer=1, head=2, part="key")
    result = steps.result(trace, look, EN)
    *_, total, turned, recorded = figures(made)

    assert "before rotation" in result.caption.title and result.caption.origin == "computed"
    assert result.values[3, 5] == pytest.approx(made.sums.total, abs=1e-5)
    assert total == pytest.approx(made.sums.total, abs=1e-4)
    assert turned == recorded == pytest.approx(float(trace["decoder.layers.1.self_attn.key"][2, 3, 5]), abs=1e-4)
    assert abs(total - turned) > 1e-2


def test_a_number_that_an_intervention_replaced_is_no_sum() -> None:
    """The sum stands beside the replaced number, and a sentence says why they differ; other cells have none."""
    trace = looked_into(changes=(Change("decoder.layers.1.cross_attn.query", "set", head=2, rows=(1,), value=5.0),))

    changed, other = opened(trace, "query", 1, 0), opened(trace, "query", 2, 0)
    assert changed.sums.difference == 5.0 and "intervention" in changed.sums.said
    assert other.sums.said == ""


def test_the_largest_cell_is_open_until_one_is_chosen() -> None:
    """Of a chosen row without the chosen column it is the largest of that row; the factors outline their row and column."""
    trace = looked_into()
    look = Look(attention=CROSS, layer=1, head=2, part="scores")
    first, inside = steps.result(trace, look, EN), attrs.evolve(look, sum_row=2, sum_column=50)
    values = np.abs(first.values)

    assert (first.chosen_row, first.chosen_column) == np.unravel_index(values.argmax(), values.shape)
    second = steps.result(trace, inside, EN)
    assert (second.chosen_row, second.chosen_column) == (2, int(values[2].argmax()))
    assert steps.first_operand(trace, inside, EN).chosen_row == 2
    key = steps.second_operand(trace, inside, EN)
    assert key is not None and key.chosen_row == second.chosen_column and "Kᵀ" in key.caption.note


def test_nothing_is_offered_to_be_opened_before_the_matrix_is_there() -> None:
    """Neither a hint nor an outline; the recorded result is there."""
    look = Look(attention=CROSS, layer=1, head=2, part="query")
    there, without = (steps.result(trace, look, EN) for trace in (looked_into(), example()))

    assert "Click" in there.caption.hint and there.chosen_row is not None
    assert without.caption.hint == "" and without.chosen_row is None
    assert without.values.size and steps.opened_sum(example(), look, EN) is None


def test_all_terms_go_into_a_file() -> None:
    """With both factors of each, under a name of their own."""
    trace = looked_into()
    made = opened(trace, "output", 0, 7)
    (table,) = tables(made)
    by_label = {term.label: term for term in made.sums.terms}

    assert table.name == "decoder.layers.1.cross_attn.output.sum.0.7"
    assert len(by_label) == 65 == len(table.values)
    for label, row in zip(table.rows.labels, table.values, strict=True):
        term: SumTerm = by_label[label]
        assert term.factors is not None and row[-1] * row[-2] == pytest.approx(term.value, rel=1e-5)
