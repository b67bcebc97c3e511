"""A cell of attention weights that is set: the row goes on summing to 1, and the rest of it shares what is left."""

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

import explorer
from explorer.model import blocks
from explorer.trace.changes import Change
from explorer.trace.trace import Trace

TEXT, ATTENTION, ACROSS = "我爱北京天安门", "decoder.layers.0.self_attn", "decoder.layers.1.cross_attn"
TIGHT = {"atol": 1e-6, "rtol": 1e-5}


def explored(*changes: Change, **knobs: object) -> Trace:
    return explorer.explore(TEXT, preset="tiny", tokenizer="characters", changes=changes, **knobs)


def cell(row: int, column: int, value: float, attention: str = ATTENTION, head: int | None = 1) -> Change:
    return Change(f"{attention}.weights", "set", head=head, rows=(row,), columns=(column,), value=value)


def by_hand(row: NDArray[np.floating], column: int, value: float, may_look: NDArray[np.bool_]) -> NDArray[np.float64]:
    """One row after one cell was set, in float64 and cell by cell."""
    a = float(row[column])
    made = []
    for key, weight in enumerate(row.astype(np.float64)):
        if key == column:
            made.append(value)
        elif a < 1:
            made.append(weight * (1 - value) / (1 - a))
        else:
            others = sum(open_ for other, open_ in enumerate(may_look) if other != column)
            made.append((1 - value) / others if may_look[key] else 0.0)
    return np.array(made)


@pytest.mark.parametrize("value", [0.0, 0.25, 0.9, 1.0])
@pytest.mark.parametrize(("attention", "row", "column"), [(ATTENTION, 5, 2), (ATTENTION, 3, 3), (ACROSS, 0, 6)])
def test_the_rest_of_the_row_is_scaled_to_what_is_left(attention: str, row: int, column: int, value: float) -> None:
    """× (1 - v)/(1 - a), against float64; masked keys stay 0, and no other row or head of the layer is touched."""
    plain, trace = explored(), explored(cell(row, column, value, attention))
    before, after = plain[f"{attention}.weights"], trace[f"{attention}.weights"]
    may_look = np.isfinite(plain[f"{attention}.masked"][1, row])

    np.testing.assert_allclose(after[1, row], by_hand(before[1, row], column, value, may_look), **TIGHT)
    np.testing.assert_allclose(after.sum(axis=-1), 1, atol=1e-6)
    assert (after[1, row, ~may_look] == 0).all() and after[1, row, column] == np.float32(value)
    untouched = np.ones(before.shape[:2], bool)
    untouched[1, row] = False
    assert (after[untouched] == before[untouched]).all()
    assert (trace["generator.logits"] != plain["generator.logits"]).any()


def test_a_wrong_share_would_be_found() -> None:
    """The comparison can fail: an even share is not the proportional one."""
    row = explored()[f"{ATTENTION}.weights"][1, 5]
    after = explored(cell(5, 2, 0.5))[f"{ATTENTION}.weights"][1, 5]
    even = by_hand(np.eye(len(row), dtype=np.float32)[2], 2, 0.5, np.arange(len(row)) <= 5)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(after, even, **TIGHT)


def test_several_cells_of_a_row_are_set_one_after_the_other() -> None:
    """Each scales what the ones before it have left, the cell that was set before it too."""
    may_look = np.arange(len(TEXT)) <= 5
    row: NDArray[np.floating] = explored()[f"{ATTENTION}.weights"][1, 5]
    changes = [cell(5, 2, 0.5), cell(5, 0, 0.25), cell(5, 4, 0.1), cell(5, 2, 0.3)]
    for change in changes:
        assert change.columns is not None and isinstance(change.value, float)
        row = by_hand(row, change.columns[0], change.value, may_look)
    after = explored(*changes)[f"{ATTENTION}.weights"][1, 5]

    np.testing.assert_allclose(after, row, **TIGHT)
    assert after[2] == np.float32(0.3) and after[0] != np.float32(0.25)


@pytest.mark.parametrize("mask_value", ["-inf", "-1e9"])
def test_where_the_others_had_nothing_the_open_keys_share_evenly(mask_value: str) -> None:
    """a = 1: only the keys that the mask leaves open, and that no change has closed."""
    closed = Change(f"{ATTENTION}.masked", "close", head=1, rows=(5,), columns=(4,))
    after = explored(closed, cell(5, 2, 1.0), cell(5, 2, 0.4), mask_value=mask_value)[f"{ATTENTION}.weights"][1, 5]

    np.testing.assert_allclose(after[:6], [0.15, 0.15, 0.4, 0.15, 0, 0.15], **TIGHT)
    assert (after[6:] == 0).all()


def test_a_row_with_one_open_key_has_nobody_to_share_with() -> None:
    """The first row of a causal decoder: the cell becomes what was asked for, and nothing looks into the future."""
    after = explored(cell(0, 0, 0.4))[f"{ATTENTION}.weights"][1, 0]

    assert after[0] == np.float32(0.4) and (after[1:] == 0).all()


def test_all_heads_all_rows_and_several_columns_at_once() -> None:
    """One number in two columns: both have it, and the others share 1 - 2·v."""
    plain = explored()[f"{ACROSS}.weights"].astype(np.float64)
    after = explored(Change(f"{ACROSS}.weights", "set", columns=(1, 3), value=0.2))[f"{ACROSS}.weights"]
    wanted = plain * 0.6 / (1 - plain[..., [1, 3]].sum(axis=-1, keepdims=True))
    wanted[..., [1, 3]] = 0.2

    np.testing.assert_allclose(after, wanted, **TIGHT)


@pytest.mark.parametrize(
    "more",
    [
        {"columns": tuple(range(7)), "value": (0.5, 0, 0, 0, 0, 0, 0)},
        {"columns": (0, 2), "value": (0.5, 0.7)},
        {"value": 0.25},
        {"columns": (1,), "value": 2.0},
        {"columns": (1,), "value": -0.5},
        {"columns": (0, 1, 2), "value": 0.5},
    ],
    ids=str,
)
def test_a_row_that_is_written_out_becomes_exactly_that(more: dict[str, object]) -> None:
    """A list of numbers, a number for all keys, and numbers that leave nothing to share: the other cells keep their weights."""
    change = attrs.evolve(Change(f"{ATTENTION}.weights", "set", head=1, rows=(5,), value=0.0), **more)
    wanted = explored()[f"{ATTENTION}.weights"][1, 5].copy()
    wanted[slice(None) if change.columns is None else list(change.columns)] = change.value

    assert not change.keeps_sums
    assert (explored(change)[f"{ATTENTION}.weights"][1, 5] == wanted).all()


def test_what_is_no_weight_is_set_as_it_is() -> None:
    """At every other tap, and by every other kind."""
    assert not Change(f"{ATTENTION}.dropped", "set", columns=(1,), value=0.5).keeps_sums
    assert not Change(f"{ATTENTION}.weights", "scale", columns=(1,), value=0.5).keeps_sums
    assert not Change("encoder.norm", "set", columns=(1,), value=0.5).keeps_sums


def test_a_pass_in_blocks_of_queries_is_changed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mask of each block is noted before its weights."""
    text = TEXT * 20
    changes = (cell(70, 3, 0.5), cell(70, 3, 1.0), cell(70, 3, 0.25), cell(120, 7, 0.5))
    made = {"preset": "tiny", "tokenizer": "characters", "architecture": "decoder-only", "changes": changes}
    whole = explorer.explore(text, **made)
    monkeypatch.setattr(blocks, "_WHOLE_CELLS", 0)
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 1)
    in_blocks = explorer.explore(text, **made)

    for tap in (f"{ATTENTION}.weights", "generator.logits"):
        np.testing.assert_allclose(in_blocks[tap], whole[tap], atol=1e-5)
    np.testing.assert_allclose(in_blocks[f"{ATTENTION}.weights"][1, 70, [0, 3, 70]], [0.75 / 70, 0.25, 0.75 / 70], rtol=1e-4)


def test_the_translator_writes_under_a_weight_that_was_set() -> None:
    """Every step of decoding sees the row whole: the sums hold in the Trace of the translation that came out."""
    changes = [Change(f"decoder.layers.{layer}.cross_attn.weights", "set", columns=(0,), value=1.0) for layer in range(3)]
    trace = explorer.explore("她给了我一本书。", changes=changes)

    for layer in range(3):
        weights = trace[f"decoder.layers.{layer}.cross_attn.weights"]
        assert (weights[..., 0] == 1).all() and (weights[..., 1:] == 0).all()
