"""A long text: what is pooled is the pooling of the whole, what is looked at is the whole, and the budget is kept."""

from pathlib import Path

import attrs
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file

from explorer.engine.compute import Computer
from explorer.engine.passes import pass_recorder
from explorer.engine.recording.long_text import plan_for
from explorer.engine.request import Request
from explorer.errors import NotKept, UnknownTap
from explorer.export.choice import Choice
from explorer.export.job import Export
from explorer.export.numbers import selection, write_npz, write_safetensors
from explorer.lang import Words
from explorer.model import blocks
from explorer.trace.kept_map import KeptMap, closed_cells
from explorer.trace.own_card import card_of
from explorer.trace.remake_heads import can_be_remade, remade
from explorer.trace.tap_names import ATTENTION_MAP
from explorer.trace.trace import Trace

pytestmark = pytest.mark.slow  # thousands of tokens

TEXT = "".join(chr(0x4E00 + 7 * place % 500) for place in range(403))  # no multiple of any block
STAGES = ("scores", "scaled", "masked", "weights")


def request(**knobs: object) -> Request:
    return Request.from_preset("tiny", TEXT, **{"tokenizer": "characters", "n_layers": 2, "memory_budget": 16, **knobs})


def computed_whole(asked: Request) -> Trace:
    """The same with room for everything."""
    return Computer()(asked.wishing(config=asked.wish.config.changed(memory_budget=4096))).trace


def pooled_by_hand(maps: NDArray[np.float32], closed: NDArray[np.bool_], block: int, signed: bool) -> NDArray[np.float32]:
    """[head, row, column] block by block, as one would by hand; NaN where all of it is closed."""
    heads, n_rows, n_columns = maps.shape
    made = np.full((heads, -(-n_rows // block), -(-n_columns // block)), np.nan, np.float32)
    for row, column in np.ndindex(made.shape[1:]):
        cut = np.s_[row * block : (row + 1) * block, column * block : (column + 1) * block]
        if closed[cut].all():
            continue
        for head in range(heads):
            cells = maps[head][cut][~closed[cut]]
            made[head, row, column] = cells[np.abs(cells).argmax()] if signed else cells.max()
    return made


def plainly_pooled(maps: NDArray[np.float32], closed: NDArray[np.bool_], block: int, signed: bool) -> NDArray[np.float32]:
    """The same all at once: by hand it takes seconds for a map of a long text."""
    heads, n_rows, n_columns = maps.shape
    rows, columns = -(-n_rows // block), -(-n_columns // block)
    cells = np.full((heads, rows * block, columns * block), np.nan, np.float32)
    cells[:, :n_rows, :n_columns] = np.where(closed, np.nan, maps)
    cells = cells.reshape(heads, rows, block, columns, block).swapaxes(2, 3).reshape(heads, rows, columns, block * block)
    size = np.where(np.isnan(cells), -1 if signed else -np.inf, np.abs(cells) if signed else cells)
    made: NDArray[np.float32] = np.take_along_axis(cells, size.argmax(-1)[..., None], -1)[..., 0]
    return made


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("block", [1, 2, 3, 8])
def test_pooling_all_at_once_is_pooling_by_hand(block: int, signed: bool) -> None:
    """To the bit, with blocks that reach over the edge, blocks that are closed altogether, and equal sizes of both signs."""
    random = np.random.default_rng(block)
    maps = random.integers(-3, 4, size=(2, 13, 17)).astype(np.float32)
    closed = random.random((13, 17)) < 0.4
    closed[:8, :8] = True
    by_hand = pooled_by_hand(maps, closed, block, signed)

    assert np.isnan(by_hand).any()
    np.testing.assert_array_equal(plainly_pooled(maps, closed, block, signed), by_hand)


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_pooled_maps_are_the_pooling_of_the_whole_ones(architecture: str) -> None:
    """Of every stage, attention, layer and head, to 1e-5; what is closed altogether is closed in the mask's levels."""
    asked, computer = request(architecture=architecture), Computer()
    full = computed_whole(asked)
    for stage in STAGES:
        assert_pooled(asked, computer, full, stage)


def assert_pooled(asked: Request, computer: Computer, full: Trace, stage: str) -> None:
    maps = [tap for tap in full.names() if ATTENTION_MAP.search(tap) and tap.endswith(f".{stage}")]
    trace = computer(asked.asking(wanted=((maps[0], -1),))).trace

    assert not trace.whole
    for tap in maps:
        found = trace.map(tap).levels
        assert found is not None
        closed = (
            np.zeros(full[tap].shape[1:], bool)
            if ".cross_attn." in tap or tap.startswith("encoder.")
            else closed_cells(full[tap.replace(f".{stage}", ".masked")][0])
        )
        if stage in ("scores", "scaled"):  # before the mask every cell counts
            closed[...] = False
        wanted = plainly_pooled(full[tap], closed, found.block, stage != "weights")
        open_ = ~np.isnan(wanted)
        assert found.shape == (403, 403)
        assert found.block > 1
        np.testing.assert_allclose(found.arrays[0][open_], wanted[open_], atol=1e-5, rtol=1e-5)
        if found.closed is not None:
            assert (found.closed[0] == ~open_[0]).all()


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"position": "rotary"},
        {"position": "alibi", "temperature": 0.5},
        {"mask_value": "-1e9", "causal_mask_encoder": True},
        {"architecture": "decoder-only", "position": "learned", "score_scaling": False},
        {"masking": "zeros-decoder", "mask_value": "-1e9"},
    ],
    ids=str,
)
def test_a_close_up_is_the_recorded_map(knobs: dict[str, object]) -> None:
    """Made again from queries and keys, it is what the pass computed, at each stage and across: to 1e-5."""
    asked = request(**knobs)
    full = computed_whole(asked)
    taps = [tap for tap in full.names() if ATTENTION_MAP.search(tap) and ".layers.1." in tap]
    computer = Computer()
    for tap in taps:
        trace = computer(asked.asking(wanted=((tap, 3),))).trace
        np.testing.assert_allclose(trace.head(tap, 3), full.head(tap, 3), atol=1e-5, rtol=1e-5)
        np.testing.assert_allclose(trace.map(tap).close_ups[3].arrays[1], pairs(full[tap][3], trace, tap), atol=1e-5, rtol=1e-5)


def pairs(array: NDArray[np.float32], trace: Trace, tap: str) -> NDArray[np.float32]:
    """The second level of one map, plainly; closed blocks as they are there."""
    levels = trace.map(tap).close_ups[3]
    closed = np.zeros(array.shape, bool) if levels.closed is None else levels.closed[0]
    signed = not tap.endswith((".weights", ".dropped"))
    if not signed:
        closed = np.zeros(array.shape, bool)
    made = plainly_pooled(array[None], closed, 2, signed)[0]
    return np.where(np.isnan(made), levels.arrays[1], made)


@pytest.mark.parametrize("knobs", [{}, {"position": "alibi"}, {"position": "rotary", "architecture": "decoder-only"}], ids=str)
def test_blocks_of_queries_change_no_number(knobs: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tap of a pass in blocks, to 1e-5 of the pass in one piece."""
    asked = request(**knobs)
    at_once = computed_whole(asked)
    monkeypatch.setattr(blocks, "_WHOLE_CELLS", 0)
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 1)
    in_blocks = computed_whole(asked)

    assert blocks.rows_at_once(4, 403, 403) == 64
    assert at_once.names() == in_blocks.names()
    for tap in at_once.names():
        np.testing.assert_allclose(in_blocks[tap], at_once[tap], atol=1e-5, rtol=1e-4)


def test_pooling_in_blocks_is_pooling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the maps come in parts, the parts' pools are put together."""
    asked = request()
    at_once = Computer()(asked).trace
    monkeypatch.setattr(blocks, "_WHOLE_CELLS", 0)
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 1)
    in_blocks = Computer()(asked).trace

    assert at_once.maps.keys() == in_blocks.maps.keys()
    for tap, kept in at_once.maps.items():
        assert kept.shape == in_blocks.map(tap).shape
        for one, other in zip(arrays_of(kept), arrays_of(in_blocks.map(tap)), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)


def arrays_of(kept: KeptMap) -> list[NDArray[np.float32]]:
    """All that was kept of a tap beside its array, the mask left out."""
    levels = [*kept.close_ups.values(), *([] if kept.levels is None else [kept.levels])]
    return [array for each in levels for array in each.arrays]


@pytest.mark.parametrize("budget", [16, 24, 40, 60, 200])
def test_the_budget_is_kept(budget: int) -> None:
    """By all arrays together, close-ups included; with more of it more is kept."""
    taps = [(f"decoder.layers.{layer}.self_attn.weights", head) for layer in range(2) for head in range(4)]
    trace = Computer()(request(memory_budget=budget).asking(wanted=tuple(taps))).trace
    arrays = [*trace.arrays.values(), *(array for kept in trace.maps.values() for array in arrays_of(kept))]

    owned = {array.__array_interface__["data"][0]: array.nbytes for array in arrays}
    assert sum(owned.values()) <= budget * 2**20
    assert trace.whole == (budget == 200)


def test_what_is_not_kept_is_named_all_the_same() -> None:
    """Its axes and shape are known, its array is refused with a sentence."""
    trace = Computer()(request()).trace
    tap = "decoder.layers.1.self_attn.scaled"
    assert tap in trace
    assert tap in trace.names()
    assert trace.axes(tap) == ("head", "query", "key")
    assert trace.shape(tap) == (4, 403, 403)
    for ask in (lambda: trace[tap], lambda: trace.head(tap, 2)):
        with pytest.raises(NotKept) as caught:
            ask()
        assert tap in Words.load("zh").error(caught.value)
    with pytest.raises(UnknownTap):
        trace["decoder.layers.9.self_attn.scaled"]


def test_looking_at_another_head_makes_no_other_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made from what the first one kept; the oldest close-ups give way to the budget."""
    computer, passes = Computer(), []
    made = pass_recorder.recorded_pass
    monkeypatch.setattr(pass_recorder, "recorded_pass", lambda *given: passes.append(1) or made(*given))
    tap = "decoder.layers.0.self_attn.weights"
    wanted: tuple[tuple[str, int], ...] = ()
    for head in range(4):
        wanted = (*wanted, (tap, head))
        trace = computer(attrs.evolve(request().asking(wanted=wanted), serial=head)).trace
        assert head in trace.map(tap).close_ups

    assert len(passes) == 1
    assert 1 <= len(trace.map(tap).close_ups) < 5
    computer(request(temperature=2).asking(wanted=wanted))
    assert len(passes) == 2


def test_a_tap_that_is_looked_at_is_kept_if_it_fits() -> None:
    """Of the rest as much as there is room for; what is another model's is not minded."""
    tap = "encoder.layers.0.feed_forward.hidden"
    asked = request(memory_budget=16, d_ff=1024)
    without = Computer()(asked).trace
    wished = Computer()(asked.asking(wanted=(("encoder.layers.7.norm1", -1), (tap, -1), ("no.tap", 5)))).trace

    assert without.map(tap).array is None
    assert tap in wished.arrays


def test_dropped_weights_cannot_be_made_again() -> None:
    """Chance does not come twice."""
    tap = "encoder.layers.0.self_attn.dropped"
    trace = Computer()(request(dropout_active=True).asking(wanted=((tap, 0),))).trace

    assert 0 not in trace.map(tap).close_ups
    with pytest.raises(NotKept):
        trace.head(tap, 0)


def test_a_saved_trace_has_what_was_kept(tmp_path: object) -> None:
    """And says no more than that."""
    trace = Computer()(request()).trace
    path = tmp_path / "long.npz"  # type: ignore[operator]  # a Path
    trace.save(path)
    again = Trace.load(path)

    assert set(again.names()) == set(trace.arrays)
    assert all((again[tap] == trace[tap]).all() for tap in again.names())


def test_a_short_text_keeps_everything() -> None:
    """Whatever the budget allows is never thinned out."""
    config = Request.from_preset("tiny").wish.config

    assert plan_for(card_of(config), config.memory_budget, 16, 16).everything
    assert not plan_for(card_of(config), 16, 600, 600).everything


def test_progress_is_told_and_a_stop_is_heard() -> None:
    """While a long pass runs."""
    shares: list[float] = []
    computer = Computer()
    computer(request())
    computer(request(temperature=2), progress=shares.append)

    assert shares == sorted(shares)
    assert 0.5 < shares[-1] <= 1
    assert torch.is_inference_mode_enabled() is False


@pytest.mark.parametrize(
    "knobs",
    [{}, {"position": "alibi", "temperature": 0.5}, {"mask_value": "-1e9", "score_scaling": False, "position": "rotary"}],
    ids=str,
)
def test_what_is_made_again_for_a_file_is_what_was_computed(knobs: dict[str, object]) -> None:
    """Without torch, from queries and keys: every step of attention, across and within, to 1e-5."""
    full, trace = computed_whole(request(**knobs)), Computer()(request(**knobs)).trace
    for tap in full.names():
        if ATTENTION_MAP.search(tap) and ".layers.1." in tap:
            assert can_be_remade(trace, tap)
            np.testing.assert_allclose(remade(trace, tap, 2), full.head(tap, 2), atol=1e-5, rtol=1e-5)


def test_files_of_what_was_not_kept(tmp_path: Path) -> None:
    """All heads of a tap, streamed into each format, are read back by the formats' own readers."""
    trace = Computer()(request()).trace
    tap, norm = "decoder.layers.1.self_attn.weights", "encoder.embedding.output"
    chosen = selection(trace, (tap, norm), None, Words.load("en"))
    write_npz(tmp_path / "a.npz", chosen)
    write_safetensors(tmp_path / "a.safetensors", chosen)
    one = selection(trace, (tap,), 3, Words.load("en"))[0].values
    with np.load(tmp_path / "a.npz") as npz:
        tensors = load_file(tmp_path / "a.safetensors")
        for found in (npz, tensors):
            assert set(found) == {tap, norm}
            assert found[tap].shape == (4, 403, 403)
            assert np.array_equal(found[tap][3], one)
            assert np.array_equal(found[norm], trace[norm])


def test_the_figure_of_a_head_that_was_not_kept(tmp_path: Path) -> None:
    """Each of a folder's heads is made when its file is written."""
    trace = Computer()(request()).trace
    choice = Choice("decoder.layers.1.self_attn.weights")
    list(Export(trace=trace, out=tmp_path, format="svg", words=Words.load("en"), choice=choice, one_each=True).run())

    assert len(list(tmp_path.glob("*.svg"))) == 4
