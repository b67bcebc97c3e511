"""A long text under changes: blocks, poolings and close-ups are those of the changed pass, and the mask stays the mask."""

import itertools

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.recording.recorder import record
from explorer.engine.request import Request
from explorer.errors import NotKept
from explorer.model import blocks
from explorer.model.ids import ids_tensor
from explorer.model.weights import build
from explorer.trace.changes import Change
from explorer.trace.remake_heads import can_be_remade
from explorer.trace.trace import Trace
from tests.engine.recording.test_long_text import TEXT, computed_whole, plainly_pooled, request

pytestmark = pytest.mark.slow  # thousands of tokens

FIRST, SECOND = "decoder.layers.0.self_attn", "decoder.layers.1.self_attn"
ACROSS = "decoder.layers.1.cross_attn"
CHANGES = (
    Change(f"{FIRST}.masked", "close", head=0, rows=[70, 300, 402], columns=[0, 69]),
    Change(f"{FIRST}.weights", "set", head=2, rows=[65], columns=[3], value=0.5),
    Change(f"{SECOND}.scaled", "scale", head=3, rows=range(60, 200), value=3),
    Change(f"{ACROSS}.masked", "close", columns=[7]),
    Change(f"{SECOND}.mixed", "scale", head=1, rows=[128], value=0),
)


def changed(*changes: Change, **knobs: object) -> Request:
    return request(**knobs).wishing(changes=changes or CHANGES)


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 64 queries, as a much longer text has."""
    monkeypatch.setattr(blocks, "_WHOLE_CELLS", 0)
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 1)


def assert_close(actual: Trace, expected: Trace) -> None:
    assert actual.names() == expected.names()
    for tap in expected.names():
        np.testing.assert_allclose(actual[tap], expected[tap], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("knobs", [{}, {"position": "alibi"}, {"mask_value": "-1e9"}], ids=str)
def test_blocks_of_queries_are_changed_as_the_whole(knobs: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tap, to 1e-5 of the pass in one piece, which is what one's own hooks make of it."""
    at_once = computed_whole(changed(**knobs))
    monkeypatch.setattr(blocks, "_WHOLE_CELLS", 0)
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 1)

    assert_close(computed_whole(changed(**knobs)), at_once)
    assert (at_once[f"{FIRST}.weights"][0][np.ix_([70, 300, 402], [0, 69])] == 0).all()
    assert (at_once[f"{ACROSS}.weights"][..., 7] == 0).all()
    np.testing.assert_allclose(at_once[f"{FIRST}.weights"][0].sum(axis=-1), 1, atol=1e-5)


def test_a_pass_in_one_piece_is_what_ones_own_hooks_make_of_it() -> None:
    """The closed cells, by torch's own hook in a model of its own: every number, to the last bit."""
    asked = changed(CHANGES[0]).wishing(config=request().wish.config.changed(memory_budget=4096))
    model = build(asked.wish.config)

    def close(_tap: object, _args: object, output: object) -> object:
        output[0, 0, [[70], [300], [402]], [0, 69]] = -np.inf  # type: ignore[index]  # a tensor
        return output

    model.get_submodule(CHANGES[0].tap).register_forward_hook(close)  # type: ignore[arg-type]  # a tensor comes and goes
    trace = Computer()(asked).trace
    ids = ids_tensor(tuple(token.id for token in trace.tokens.source))
    with record(model) as recording:
        model(ids, ids)

    assert [tap for tap in trace.names() if not np.array_equal(trace[tap], recording.arrays[tap])] == []


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize("knobs", [{}, {"position": "alibi"}, {"mask_value": "-1e9", "position": "rotary"}], ids=str)
def test_pools_and_close_ups_are_those_of_the_changed_pass(knobs: dict[str, object]) -> None:
    """Of the changed attentions and of the others, to 1e-5 of a pass that kept everything."""
    full, computer = computed_whole(changed(**knobs)), Computer()
    for tap, head in (
        *((f"{FIRST}.{stage}", head) for stage in ("masked", "weights") for head in (0, 1)),
        (f"{FIRST}.dropped", 2),
        (f"{SECOND}.weights", 3),
        (f"{SECOND}.scores", 3),
        (f"{ACROSS}.weights", 2),
        ("encoder.layers.0.self_attn.weights", 1),
    ):
        trace = computer(changed(**knobs).asking(wanted=((tap, head),))).trace
        assert not trace.whole and trace.changes == CHANGES
        np.testing.assert_allclose(trace.head(tap, head), full.head(tap, head), atol=1e-5, rtol=1e-4)
    weights = trace.map(f"{FIRST}.weights").levels
    assert weights is not None
    everywhere_open = np.zeros(full[f"{FIRST}.weights"].shape[1:], bool)
    wanted = plainly_pooled(full[f"{FIRST}.weights"], everywhere_open, weights.block, signed=False)
    np.testing.assert_allclose(weights.arrays[0], wanted, atol=1e-5)


@pytest.mark.usefixtures("in_blocks")
def test_the_mask_of_all_heads_is_the_mask_without_the_changes() -> None:
    """What is closed in one head of the first layer is not closed in the others."""
    plain, trace = Computer()(request()).trace, Computer()(changed()).trace

    for stage, layer in itertools.product(("masked", "weights", "dropped"), (0, 1)):
        tap = f"decoder.layers.{layer}.self_attn.{stage}"
        levels, others = plain.map(tap).mask, trace.map(tap).mask
        assert all((one == other).all() for one, other in zip(levels.arrays, others.arrays, strict=True))  # type: ignore[union-attr]  # they are there
    assert plain.map(f"{ACROSS}.weights").mask is trace.map(f"{ACROSS}.weights").mask is None


def test_a_long_text_kept_whole_hatches_what_is_closed_everywhere() -> None:
    """Its levels are made from the recorded maps, of which some heads are changed."""
    plain, trace = computed_whole(request()), computed_whole(changed())

    for attention_ in (FIRST, SECOND):
        assert (plain.map(f"{attention_}.weights").closed == trace.map(f"{attention_}.weights").closed).all()
    everywhere = [Change(f"decoder.layers.{layer}.cross_attn.masked", "close", columns=[7]) for layer in range(2)]
    closed = computed_whole(changed(*everywhere)).map(f"{ACROSS}.masked").closed
    assert closed is not None
    assert closed[:, 7].all() and closed.sum() == len(closed)


def test_a_long_text_is_computed_anew_for_other_changes() -> None:
    """And not for a look at another head; taken back, it is to the last bit what it was."""
    computer = Computer()
    plain = computer(request()).trace
    trace = computer(changed()).trace
    looked = computer(changed().asking(wanted=((f"{FIRST}.weights", 1),))).trace
    again = computer(request()).trace

    tap = f"{SECOND}.key"
    assert looked.arrays is trace.arrays
    assert (trace[tap] != plain[tap]).any()
    assert [name for name in plain.arrays if not np.array_equal(plain[name], again[name])] == []


def test_files_do_not_guess_what_a_change_did() -> None:
    """A map that was changed is not made again without torch; the others are."""
    trace = Computer()(changed()).trace

    assert can_be_remade(trace, "encoder.layers.0.self_attn.weights")
    assert can_be_remade(trace, "decoder.layers.0.cross_attn.weights")
    assert not any(can_be_remade(trace, f"{base}.weights") for base in (FIRST, SECOND, ACROSS))
    assert can_be_remade(Computer()(changed(CHANGES[-1])).trace, f"{SECOND}.weights")  # at `mixed`, behind the maps


def test_a_stream_is_patched_and_a_map_is_not() -> None:
    """Of a text whose maps are not kept whole."""
    other = TEXT[::-1]
    stream = Change("encoder.layers.0.residual2", "patch", rows=[3, 399], text=other)
    trace, lent = Computer()(changed(stream)).trace, Computer()(request().wishing(text=other)).trace
    assert (trace[stream.tap][[3, 399]] == lent[stream.tap][[3, 399]]).all()
    assert (trace[stream.tap][4] == Computer()(request()).trace[stream.tap][4]).all()
    with pytest.raises(NotKept) as caught:
        Computer()(changed(Change(f"{FIRST}.weights", "patch", head=1, rows=[3], text=other)))
    assert str(caught.value).startswith(f"403 个词元时，{FIRST}.weights 超出内存预算。")
