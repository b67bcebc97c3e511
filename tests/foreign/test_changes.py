"""Every kind of change at every tap of every family, held against torch's hooks on the model's own modules."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.recording.recorder import record
from explorer.foreign.opening import Opened
from explorer.model.tap import taps
from explorer.trace.changes import Change
from tests.foreign.by_hand import changed_by_hand
from tests.foreign.models import ALL, FURTHER, WHOLE, families, fresh, ids_of, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
Arrays = dict[str, NDArray[np.float32]]
GGUF_FAMILIES, COLUMNS = [1, 3], [0, 2]
_FLOOR = torch.finfo(torch.float32).min / 2  # Eager attention writes the least number of its type into closed cells.


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take most of the time of so small a model."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def passed(found: Opened, *changes: Change, lent: dict[Change, NDArray[np.float32]] | None = None) -> Arrays:
    """The arrays of a pass with these changes."""
    changing = Changing(changes, lent)
    with torch.inference_mode(), changing.inside(found.foreign), record(found.foreign) as recording:
        found.foreign(*ids_of(found))
    changing.check_reached()
    return dict(recording.arrays)


def of_another_text(found: Opened) -> Arrays:
    """The arrays of a pass over other ids."""
    ids = tuple(None if row is None else (row * 3 + 1) % 38 for row in ids_of(found))
    with torch.inference_mode(), record(found.foreign) as recording:
        found.foreign(*ids)
    return dict(recording.arrays)


def eager(name: str) -> Any:
    """The model without taps and with its own attention."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    return model


def by_hand(model: Any, found: Opened, tap: str, step: Callable[[Tensor], Tensor]) -> NDArray[np.float32]:
    """[position, vocab or feature] what the model's own eager pass gives out with one tensor changed."""
    source, target = ids_of(found)
    both = {"decoder_input_ids": target} if source is not None and target is not None else {}
    with torch.inference_mode(), changed_by_hand(model, found, tap, step):
        made: Tensor = model(input_ids=target if source is None else source, use_cache=False, **both)[0]
    return made[0].numpy()


def output(found: Opened, arrays: Arrays) -> NDArray[np.float32]:
    """What a pass gives out: logits, or the last vectors of a model that has none."""
    last = "generator.logits" if found.foreign.has_output else list(arrays)[-1]
    return arrays[last]


def head_of(found: Opened, tap: str) -> int | None:
    """The last head of a tap that has heads."""
    block, _, part = tap.rpartition(".")
    if block not in found.attentions or part in ("output", "normed"):
        return None
    about = found.attentions[block]
    return (about.n_kv_heads if part in ("key", "value") else about.n_heads) - 1


def made_by_hand(change: Change, lent: NDArray[np.float32] | None = None) -> Callable[[Tensor], Tensor]:
    """What a change does to a tensor, cell by cell."""

    def step(tensor: Tensor) -> Tensor:
        made = tensor.clone()
        grid = made[0] if change.head is None else made[0, change.head]  # [row, column]
        before = grid.clone()
        for row in change.rows or ():
            for column in change.columns or ():
                cell = before[row, column]
                if change.kind == "scale" and cell > _FLOOR:
                    grid[row, column] = cell * change.value
                elif change.kind == "add" and cell > _FLOOR:
                    grid[row, column] = cell + change.value
                elif change.kind == "set":
                    grid[row, column] = change.value
                elif change.kind == "close":
                    grid[row, column] = torch.finfo(torch.float32).min
                elif change.kind == "mean":
                    grid[row, column] = sum(before[each, column] for each in change.rows or ()) / len(change.rows or ())
                elif change.kind == "patch" and lent is not None:
                    grid[row, column] = float((lent if change.head is None else lent[change.head])[row, column])
            if change.keeps_sums:
                others = [column for column in range(grid.shape[-1]) if column not in (change.columns or ())]
                grid[row, others] *= (1 - change.value * len(change.columns or ())) / before[row, others].sum()
        return made

    return step


def kinds_at(tap: str) -> list[str]:
    """The kinds of changes that can be made at a tap."""
    at_mask = tap.endswith("_attn.masked")
    return ["scale", "set", "add", "patch", "close" if at_mask else "mean"]


def change_at(found: Opened, tap: str, kind: str) -> Change:
    values = {"scale": {"value": -0.5}, "set": {"value": 0.3}, "add": {"value": 0.7}, "patch": {"text": "other"}}
    rows, columns = (GGUF_FAMILIES, [1]) if kind == "close" or tap.endswith(".masked") else (GGUF_FAMILIES, COLUMNS)
    return Change(tap, kind, head=head_of(found, tap), rows=rows, columns=columns, **values.get(kind, {}))  # type: ignore[arg-type]


def has_a_module(found: Opened, tap: str) -> bool:
    """Whether the place of a tap can be reached in the model itself; the stream between two sublayers cannot."""
    side, *_, part = tap.split(".")
    if tap == "generator.probabilities":
        return False
    if not part.startswith("residual") or found.foreign.sides[side].post:
        return True
    return int(part[8:]) == len(found.foreign.sides[side].each[0].blocks)


@pytest.mark.parametrize("name", families([each for each in ALL if each != "gpt_oss"]))
def test_every_change_does_what_hooks_on_the_models_own_modules_do(name: str) -> None:
    """In the first layer, before it and behind the last one; sinks, which other rows lack, are left out."""
    found, model = opened(name), eager(name)
    own, other = passed(found), of_another_text(found)
    compared = moved = 0
    for tap in taps(found.foreign):
        if ".layers.1." in tap or not has_a_module(found, tap):
            continue
        for kind in kinds_at(tap):
            change = change_at(found, tap, kind)
            lent = {change: other[tap]} if kind == "patch" else None
            ours = output(found, passed(found, change, lent=lent))
            theirs = by_hand(model, found, tap, made_by_hand(change, other[tap]))
            largest = abs(output(found, own)).max()
            assert abs(ours - theirs).max() <= 2e-5 * largest, (tap, kind)
            compared += 1
            moved += bool(abs(ours - output(found, own)).max() > 1e-4 * largest)
    assert moved > 0.75 * compared
    assert compared >= 50  # Sublayers that share a norm have a tap less.


def test_a_change_that_differs_would_be_found() -> None:
    """A tenth more of a head in the other pass."""
    found, tap = opened("llama"), "decoder.layers.0.self_attn.mixed"
    change = change_at(found, tap, "scale")
    ours = output(found, passed(found, change))
    theirs = by_hand(
        eager("llama"), found, tap, made_by_hand(Change(tap, "scale", head=3, rows=GGUF_FAMILIES, columns=COLUMNS, value=-0.55))
    )
    assert abs(ours - theirs).max() > 2e-4 * abs(ours).max()


@pytest.mark.parametrize("name", families(ALL))
def test_a_change_that_changes_nothing_leaves_every_bit(name: str) -> None:
    """Times 1, plus 0, the same number once more, and the numbers of the same text, at all taps at once."""
    found = opened(name)
    before = passed(found)
    once = [Change(tap, "scale", value=1.0) for tap in before]
    added = [Change(tap, "add", value=0.0) for tap in before]
    same = [
        Change(tap, "set", head=0 if before[tap].ndim == 3 else None, rows=[2], value=tuple(row))
        for tap, row in ((tap, (array[0] if array.ndim == 3 else array)[2]) for tap, array in before.items())
        if np.isfinite(row).all()
    ]
    patched = {Change(tap, "patch", text="the same"): array for tap, array in before.items()}
    for changes, lent in ((once, {}), (added, {}), (same, {}), (list(patched), patched)):
        after = passed(found, *changes, lent=lent)
        assert all(np.array_equal(after[tap], before[tap]) for tap in before)
    assert len(same) > len(before) / 2


@pytest.mark.parametrize("name", families(ALL))
def test_a_closed_cell_has_no_weight_and_its_row_goes_on_summing_to_1(name: str) -> None:
    """In every attention; the other rows and heads of that layer keep every bit."""
    found = opened(name)
    before = passed(found)
    for block in found.attentions:
        head, row, column = head_of(found, f"{block}.masked"), 3, 2
        after = passed(found, Change(f"{block}.masked", "close", head=head, rows=[row], columns=[column]))
        weights, own = after[f"{block}.weights"], before[f"{block}.weights"]

        assert weights[head, row, column] == 0 < own[head, row, column]
        if name != "gpt_oss":  # There, a sink takes a share.
            assert abs(weights[head, row].sum() - 1) <= 1e-6
        touched = np.zeros(weights.shape, bool)
        touched[head, row] = True
        assert (weights[~touched] == own[~touched]).all()


@pytest.mark.parametrize("name", families(ALL))
def test_a_head_that_is_switched_off_leaves_the_others_alone(name: str) -> None:
    """It gives zeros, and no other head of its layer changes a bit."""
    found = opened(name)
    before = passed(found)
    for block in found.attentions:
        after = passed(found, Change(f"{block}.mixed", "scale", head=1, value=0.0))
        mixed, own = after[f"{block}.mixed"], before[f"{block}.mixed"]
        assert not mixed[1].any()
        others = [head for head in range(len(mixed)) if head != 1]
        assert (mixed[others] == own[others]).all()
        assert own[1].any()


@pytest.mark.parametrize("name", families(["llama", "qwen2", "qwen3", "mistral", "gemma", "smollm3", "gemma2", "gpt_oss"]))
def test_a_head_of_keys_is_that_of_several_heads_of_queries(name: str) -> None:
    """Four heads of queries share two of keys and values: a change at the second acts in the last two."""
    found, block = opened(name), "decoder.layers.0.self_attn"
    assert (found.attentions[block].n_heads, found.attentions[block].n_kv_heads) == (4, 2)
    before = passed(found)
    for part, seen_in in (("key", "weights"), ("value", "mixed")):
        after = passed(found, Change(f"{block}.{part}", "scale", head=1, value=0.0))
        moved = abs(after[f"{block}.{seen_in}"] - before[f"{block}.{seen_in}"]).max(axis=(1, 2))  # [head]
        assert (moved[:2] == 0).all()
        assert (moved[2:] > 1e-4).all()


def test_the_tables_of_families_are_both_gone_through() -> None:
    """Usual families, and those that are not like them."""
    assert set(ALL) == {*WHOLE, *FURTHER}


@pytest.mark.parametrize("name", families(["gpt2", "llama", "bert", "t5", "bart"]))
def test_a_change_of_what_enters_the_layers_is_in_the_stream_of_the_first_one(name: str) -> None:
    """What is put in at the tap is what the first layer begins with, so its first sum has it, too."""
    found = opened(name)
    for side in found.foreign.sides:
        at = f"{side}.embedding.output"
        arrays = passed(found, Change(at, "scale", value=0.5))
        first = f"{side}.layers.0"
        added = arrays[at] + arrays[f"{first}.self_attn.output"]
        assert np.allclose(added, arrays[f"{first}.residual1"], atol=1e-6)
        assert not np.allclose(added + arrays[at], arrays[f"{first}.residual1"], atol=1e-3)
