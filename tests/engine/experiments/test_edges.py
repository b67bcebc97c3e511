"""One head's cells closed in turn: against a pass in NumPy, against single passes with the Change, and what comes first."""

from itertools import product

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.experiments import sweep, trials
from explorer.engine.request import Request
from explorer.model.weights import build
from explorer.state.focus import Focus
from explorer.stops import Superseded
from explorer.trace.changes import Change
from explorer.trace.found.effects import Edges, Effects
from explorer.trace.trace import Trace
from tests.engine.experiments.numpy_pass import NumpyPass
from tests.engine.experiments.test_effects import ARCHITECTURES, NORMS, assert_same, log_p, tiny


def edges_of(computer: Computer, asked: Request, focus: Focus) -> tuple[Trace, Edges]:
    trace = computer(asked.asking(experiments=frozenset({"edges"}), focus=focus)).trace
    found = trace.experiments["edges"]
    assert isinstance(found, Edges)
    return trace, found


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_all_edges_are_those_of_a_pass_in_numpy(computer: Computer, architecture: str, norm: str) -> None:
    """A second forward pass in float64 with the same cell closed before its softmax, in the first and the last layer."""
    asked = tiny(architecture, norm, d_model=16, n_heads=2, d_ff=32)
    ours = NumpyPass(build(asked.wish.config))
    attentions = computer(asked).trace.card.attentions
    for attention, layer in product(attentions, (0, asked.wish.config.n_layers - 1)):
        trace, found = edges_of(computer, asked, Focus(attention=attention, layer=layer, head=1))
        assert found.exact and found.is_of(attention, layer, 1)
        sides = [[token.id for token in side] or None for side in (trace.tokens.source, trace.tokens.target)]
        words = np.arange(len(found.word_ids)), list(found.word_ids)
        ours.cell = None
        usual = ours.log_p(*sides)[words]
        path = attention.replace(".", f".layers.{layer}.")
        for query, key in np.argwhere(~found.closed & ~found.alone):
            ours.cell = (path, 1, query, key)
            assert_same(found.values[query, key], ours.log_p(*sides)[words] - usual)
        assert np.isnan(found.values[found.closed | found.alone]).all()
        causal = attention == "decoder.self_attn"
        assert found.closed.sum() == (np.triu(np.ones_like(found.closed), 1).sum() if causal else 0)
        assert found.alone.sum() == causal and found.alone[0, 0] == causal


def test_a_wrong_cell_would_be_noticed(computer: Computer) -> None:
    """The comparison can fail: the effects of two cells differ by more than it lets pass."""
    _, found = edges_of(computer, Request.from_preset("translator", "她给了我一本书。"), Focus(attention="decoder.cross_attn"))

    with pytest.raises(AssertionError):
        assert_same(found.values[0, 0], found.values[0, 1].astype(np.float64))


def test_edges_are_those_of_the_changed_pass(computer: Computer) -> None:
    """With a head switched off elsewhere, and beside a cell that is closed already, which has nothing more to close."""
    off = Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0.0)
    shut = Change("decoder.layers.1.cross_attn.masked", "close", head=2, rows=(1,), columns=(0,))
    asked = tiny().wishing(changes=(off, shut))
    trace, found = edges_of(computer, asked, Focus(attention="decoder.cross_attn", layer=1, head=2))
    assert found.closed[1, 0] and np.isnan(found.values[1, 0]).all()
    more = Change("decoder.layers.1.cross_attn.masked", "close", head=2, rows=(1,), columns=(3,))
    other = computer(asked.wishing(changes=(off, shut, more))).trace
    assert_same(found.values[1, 3], log_p(other, found.word_ids) - log_p(trace, found.word_ids))


def test_the_only_key_of_a_query_stays_open(computer: Computer) -> None:
    """The first token of a causal text sees itself alone, so there is no such pass, and no error."""
    _, found = edges_of(computer, tiny("decoder-only"), Focus(attention="decoder.self_attn"))
    assert found.alone[0, 0] and np.isnan(found.values[0]).all() and np.isfinite(found.values[1, :2]).all()
    _, single = edges_of(computer, tiny("decoder-only").wishing(text="好"), Focus(attention="decoder.self_attn"))
    assert single.alone.all() and single.exact
    missing = tiny().asking(experiments=frozenset({"edges"}), focus=Focus(attention="decoder.cross_attn", layer=99))
    assert "edges" not in computer(missing).trace.experiments


def test_estimates_turn_exact_row_by_row(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimates lie near the exact effects; rows that are exact are those of the whole sweep and stay as they are."""
    asked, focus = Request.from_preset("translator", "她给了我一本书。"), Focus(attention="decoder.cross_attn", layer=2, head=5)
    _, whole = edges_of(Computer(computer.sources.tokenizers), asked, focus)
    monkeypatch.setattr(trials, "LONG_WORK", 0.0)
    _, rough = edges_of(computer, asked, focus)
    assert rough.exact_rows == 0 and not rough.exact
    there = np.isfinite(whole.values)
    assert (np.isfinite(rough.values) == there).all()
    assert np.corrcoef(rough.values[there], whole.values[there])[0, 1] > 0.9
    for rows in (3, 2, 99):
        _, found = edges_of(computer, asked, attrs.evolve(focus, edge_rows=rows))
        assert found.exact_rows == min(max(rows, 3), 7)
        np.testing.assert_allclose(found.values[: found.exact_rows], whole.values[: found.exact_rows], atol=1e-5)
        np.testing.assert_array_equal(found.values[found.exact_rows :], rough.values[found.exact_rows :])
    assert found.exact and "rows exact" in repr(rough) and len(repr(found).splitlines()) == 6


def test_heads_turn_exact_row_by_row(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the end they are the whole sweep, with the estimates beside them."""
    monkeypatch.setattr(trials, "LONG_WORK", 0.0)
    monkeypatch.setattr(sweep, "WORDS_FOR_A_HEAD", 0)
    asked = tiny()
    both = asked.asking(experiments=frozenset({"effects", "effects_exact"}))
    whole = Computer(computer.sources.tokenizers)(both).trace.experiments["effects_exact"]
    assert isinstance(whole, Effects) and whole.exact
    for rows in (1, 4, 6):
        trace = computer(both.asking(focus=Focus(head_rows=rows))).trace
        first, found = trace.experiments["effects"], trace.experiments["effects_exact"]
        assert isinstance(found, Effects) and isinstance(first, Effects)
        exact, expected, rough = (each.heads.reshape(6, 4, -1) for each in (found, whole, first))
        np.testing.assert_allclose(exact[:rows], expected[:rows], atol=1e-6)
        np.testing.assert_array_equal(exact[rows:], rough[rows:])
        assert found.exact_rows == rows and found.exact == (rows == 6)
    assert found.estimates is not None and found.correlation == pytest.approx(whole.correlation)
    again = computer(asked.asking(experiments=frozenset({"effects_exact"}))).trace.experiments["effects_exact"]
    assert again is found


def test_a_further_look_at_the_same_pass_computes_only_what_is_new(computer: Computer) -> None:
    """The effects stay while another head's cells are asked for; another sentence begins anew."""
    both = tiny().asking(experiments=frozenset({"effects", "edges"}))
    first = computer(both.asking(focus=Focus(attention="decoder.cross_attn"))).trace.experiments
    second = computer(both.asking(focus=Focus(attention="decoder.cross_attn", head=1))).trace.experiments
    third = computer(both.asking(focus=Focus(attention="decoder.cross_attn"))).trace.experiments
    assert second["effects"] is first["effects"] and third["edges"] is first["edges"] and second["edges"] is not first["edges"]
    assert computer(both.wishing(text="你好")).trace.experiments["effects"] is not first["effects"]


def test_the_sweep_gives_way_between_batches(computer: Computer) -> None:
    """A newer request stops it, and nothing half-done is kept."""
    asked = tiny().asking(experiments=frozenset({"edges"}))
    n_asked = 0

    def stop() -> bool:
        nonlocal n_asked
        n_asked += 1
        return n_asked > 200

    n_before = len(computer(asked).trace.experiments)
    computer(tiny("decoder-only"))
    with pytest.raises(Superseded):
        computer(asked.wishing(text="我爱北京天安门和长城我爱北京天安门和长城"), stop)
    assert n_before == 1
