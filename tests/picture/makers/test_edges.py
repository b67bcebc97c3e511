"""The map of one head's cells: its colours' meaning, what it says where nothing matters, and what cannot be closed."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.picture.cell_text import cell, cell_tip, changeable
from explorer.picture.figure.kinds import kind_of, tables
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.edges import edge_map
from explorer.picture.makers.why import part_removals
from explorer.state.focus import Focus
from explorer.state.look import Look
from explorer.trace.found.costs import Costs
from explorer.trace.found.effects import Edges
from explorer.trace.trace import Trace
from tests.picture.examples import words

HEAD = Look(attention="decoder.self_attn", layer=1, head=2)


@pytest.fixture(scope="module")
def trace() -> Trace:
    focus = Focus(attention=HEAD.attention, layer=HEAD.layer, head=HEAD.head, position=1)
    asked = Request.from_preset("tiny", "我爱北京天安门").asking(experiments=frozenset({"edges", "why", "costs"}), focus=focus)
    return Computer()(asked).trace


def drawn(trace: Trace, look: Look = HEAD, **more: object) -> Heatmap:
    found = trace.experiments["edges"]
    assert isinstance(found, Edges)
    made = edge_map(attrs.evolve(trace, experiments={"edges": attrs.evolve(found, **more)}), look, words("en"))
    assert made is not None
    return made


def test_a_word_is_a_slice_and_the_sentence_their_sum(trace: Trace) -> None:
    """On one scale, so that another word changes no colour's meaning; it never ends below 0.1."""
    found = trace.experiments["edges"]
    assert isinstance(found, Edges)
    whole, word = drawn(trace), drawn(trace, attrs.evolve(HEAD, position=1))
    np.testing.assert_allclose(whole.values, found.values.sum(-1), atol=1e-6)
    np.testing.assert_array_equal(word.values, found.values[..., 1])
    assert whole.scale == word.scale and whole.scale.high == 0.1
    assert "No single cell has an effect" in whole.caption.note
    strong = found.values.copy()
    strong[2, 1] = -0.3
    assert "Largest effect: 北京 → 爱" in drawn(trace, attrs.evolve(HEAD, position=0), values=strong).caption.note


def test_what_a_click_does_is_said_in_the_window_alone(trace: Trace) -> None:
    """And not before there are numbers, when no cell can be closed yet."""
    click = words("en")("effects.click_cell")
    made = drawn(trace)
    assert made.caption.hint == click and click in made.caption.told and click not in made.caption.note
    assert click not in render(made, words("en")) and made.caption.note in render(made, words("en"))
    pending = edge_map(attrs.evolve(trace, experiments={}), HEAD, words("en"))
    assert pending is not None and pending.caption.hint == ""


def test_a_cell_says_its_value_its_weight_and_its_tap(trace: Trace) -> None:
    """An estimate says about; what cannot be closed says why; the menu of changes is that of every attention map."""
    made = drawn(trace)
    weight = trace["decoder.layers.1.self_attn.weights"][2, 2, 1]
    for said in (cell(made, 2, 1, words("en")), cell_tip(made, 2, 1, words("en"), follows=True)):
        assert f"weight {weight:.4g}"[:10] in said and "decoder.layers.1.self_attn.masked" in said
    assert words("en")("effects.alone") in cell(made, 0, 0, words("en"))
    assert words("en")("effects.closed_already") in cell(made, 0, 2, words("en"))
    place = changeable(made, 2, 1)
    assert place is not None and place.cell is not None and (place.head, place.cell.key) == (2, 1)
    rough = drawn(trace, exact_rows=1)
    assert rough.estimated is not None and rough.estimated[2, 1] and not rough.estimated[0].any()
    assert "≈" in cell(rough, 2, 1, words("en")) and "estimates" in rough.caption.note
    assert tables(made)[0].values.shape == made.values.shape


def test_until_the_cells_have_come_there_are_outlines(trace: Trace) -> None:
    """Also while those of another head are still on screen; a single token has nothing to close."""
    other = edge_map(trace, attrs.evolve(HEAD, head=3), words("en"))
    assert other is not None and other.pending and not tables(other)
    alone = explorer.explore("好", preset="tiny", architecture="decoder-only", experiments=("edges",))
    made = edge_map(alone, Look(attention="decoder.self_attn"), words("en"))
    assert made is not None and made.caption.note == words("en")("effects.nothing_to_close")
    assert edge_map(alone, Look(attention="encoder.self_attn"), words("en")) is None


def test_shares_stand_beside_costs(trace: Trace) -> None:
    """The same parts as in the engine; without rings until they have come, or for another step; none where there is no sum."""
    look = Look(position=1)
    costs = trace.experiments["costs"]
    assert isinstance(costs, Costs)
    made = part_removals(trace, look, words("en"))
    assert made is not None and len(made.names) == 9 and made.taps == tuple(part.tap for part in costs.parts)
    np.testing.assert_allclose(made.costs, costs.values)
    sizes = np.abs(made.shares)
    assert (sizes[:-1] >= sizes[1:]).all()
    (table,) = tables(made)
    np.testing.assert_array_equal(table.values, np.stack([made.shares, made.costs], axis=1))
    assert "Ablated:" in kind_of(made).describe(made, words("en"))
    other = part_removals(trace, Look(position=0), words("en"))
    assert other is not None and np.isnan(other.costs).all() and "Ablated:" not in kind_of(other).describe(other, words("en"))
    assert part_removals(attrs.evolve(trace, experiments={}), look, words("en")) is None
