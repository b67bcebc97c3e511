"""A key in a text of a causal model: only the rows behind the place are computed, and the Trace is that of the whole pass."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer import Change
from explorer.engine.compute import Computer
from explorer.engine.passes.pass_recorder import can_go_on
from explorer.engine.request import Request
from explorer.foreign.going_on import comes_to_the_same, parts_to_keep
from explorer.foreign.model import Foreign
from explorer.foreign.probing import tapped
from explorer.model.hooks import hooked
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from tests.foreign.models import ALL, families, opened, write_model

pytestmark = pytest.mark.slow  # To import transformers takes seconds.

GOING_ON = {
    *("gpt2", "llama", "qwen2", "qwen3", "gemma", "smollm3", "mixtral", "qwen2_moe", "qwen3_moe"),
    *("phi", "gpt_neox", "gpt_neox in turn", "olmo2"),
    *(ALL.keys() & {"gptj"}),
}
# Typed at the end, taken back, typed in the middle, a text that is wholly another, one that is a beginning of the last.
TYPED = ("the fox", "the fox l", "the fox lo", "the fox lov", "the fox l", "the dog fox l", "we are", "we ar", "we ar")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take most of the time of so small a model."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's tiny model."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = write_model(tmp_path_factory.mktemp("models") / name, name)
        return made[name]

    return of


Folder = Callable[[str], Path]


def wish(folder: Path, text: str, **knobs: object) -> Wish:
    return Wish.from_preset(str(folder), text, **knobs)


def read(computer: Computer, wish: Wish) -> tuple[Trace, int]:
    """The Trace of an answer, and how many rows the model itself computed for it."""
    rows: list[int] = []
    computer.sources.of(wish)  # Opening a model makes passes, too.
    forward, extend = Foreign.forward, Foreign.extend

    def counted_forward(foreign: Foreign, source: Tensor | None, target: Tensor, *given: Any) -> Any:
        rows.append(target.shape[1])
        return forward(foreign, source, target, *given)

    def counted_extend(foreign: Foreign, ids: Tensor, *given: Any) -> Any:
        rows.append(ids.shape[1])
        return extend(foreign, ids, *given)

    # A hook would have whole passes made.
    with patch.object(Foreign, "forward", counted_forward), patch.object(Foreign, "extend", counted_extend):
        trace = computer(Request(wish=wish)).trace
    return trace, sum(rows)


def apart(one: Trace, other: Trace) -> float:
    """The largest difference of any tap, as a share of its largest number; closed cells must be the same."""
    assert list(one.arrays) == list(other.arrays)
    assert {tap: one.axes(tap) for tap in one.arrays} == {tap: other.axes(tap) for tap in other.arrays}
    worst = 0.0
    for tap in one.arrays:
        ours, theirs = one[tap], other[tap]
        assert ours.shape == theirs.shape == one.shape(tap), tap
        assert not ours.flags.writeable
        assert ours.flags.c_contiguous
        closed = np.isneginf(theirs)
        assert (np.isneginf(ours) == closed).all(), tap
        largest = np.abs(np.where(closed, 0, theirs)).max()
        worst = max(worst, float(np.abs(np.where(closed, 0, ours - np.where(closed, 0, theirs))).max() / max(largest, 1e-30)))
    return worst


@pytest.mark.parametrize("name", families(sorted(GOING_ON)))
def test_rows_that_were_joined_are_those_of_the_whole_pass(name: str, folder: Folder) -> None:
    """Every tap of every key, to 1e-5 of its largest number; the whole pass is made by a program that has just begun."""
    computer, n_fewer, read_before = Computer(), 0, []
    for text in TYPED:
        asked = wish(folder(name), text)
        trace, n_rows = read(computer, asked)
        whole, n_all = read(Computer(folders=computer.sources.folders), asked)

        assert n_all == len(trace.tokens.target)
        assert apart(trace, whole) <= 1e-5
        n_fewer += n_rows < n_all
        read_before.append([token.id for token in trace.tokens.target])
    # [CLS] begins each text; the first one has nothing before it, and the same tokens once more are a whole pass.
    assert n_fewer == sum(one != other for one, other in pairwise(read_before)) > 3


def test_a_key_at_the_end_of_a_text_costs_its_own_row_and_that_of_the_symbol_behind(folder: Folder) -> None:
    """The row of [SEP], which stood in the new token's place, is made again."""
    computer = Computer()
    read(computer, wish(folder("gpt2"), "the fox and the dog"))
    trace, n_rows = read(computer, wish(folder("gpt2"), "the fox and the dog and"))

    assert len(trace.tokens.target) == 8
    assert n_rows == 2


def test_rows_of_another_text_would_be_seen(folder: Folder) -> None:
    """The comparison can fail: with another token before them, later rows are far away."""
    one, _ = read(Computer(), wish(folder("gpt2"), "the fox and"))
    other, _ = read(Computer(), wish(folder("gpt2"), "the dog and"))
    assert apart(one, other) > 1e-2


def test_whatever_acts_on_earlier_rows_makes_the_whole_pass(folder: Folder) -> None:
    """Another temperature, a Change, another model: all rows are computed, and so are those of the pass after a Change."""
    computer, changed = Computer(), Change("decoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)
    read(computer, wish(folder("gpt2"), "the fox"))
    warm, n_rows = read(computer, wish(folder("gpt2"), "the fox and", temperature=2.0))
    assert n_rows == len(warm.tokens.target)

    with_change = Request(wish=wish(folder("gpt2"), "the fox and the", temperature=2.0)).wishing(changes=(changed,)).wish
    trace, n_rows = read(computer, with_change)
    assert n_rows == len(trace.tokens.target)
    assert apart(trace, read(Computer(), with_change)[0]) == 0

    trace, n_rows = read(computer, wish(folder("gpt2"), "the fox and the dog", temperature=2.0))
    assert n_rows == len(trace.tokens.target)
    trace, n_rows = read(computer, wish(folder("llama"), "the fox and the dog", temperature=2.0))
    assert n_rows == len(trace.tokens.target)


def test_a_hook_makes_the_whole_pass(folder: Folder) -> None:
    """It may do anything to the rows that it is shown."""
    computer = Computer()
    asked = wish(folder("gpt2"), "the fox")
    source = computer.sources.of(asked)
    model = source.foreign  # type: ignore[attr-defined]  # a folder's source

    assert can_go_on(source, model)
    with hooked(model, lambda _tap, _args, tensor: tensor):
        assert not can_go_on(source, model)


@pytest.mark.parametrize("name", sorted(ALL.keys() - GOING_ON))
def test_models_that_look_ahead_or_only_some_rows_back_read_all_tokens(name: str) -> None:
    """Encoders, models with both sides, and those whose cache drops what lies too far back."""
    assert not opened(name).foreign.goes_on


def test_positions_that_turn_with_the_length_make_the_whole_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier keys would have to be turned again."""
    foreign = opened("llama").foreign
    assert parts_to_keep(foreign)
    monkeypatch.setattr(foreign.model.model.rotary_emb, "rope_type", "dynamic")
    assert parts_to_keep(foreign) == ()


def test_a_family_that_keeps_more_than_its_rows_would_be_seen() -> None:
    """Rows of another text stand for whatever else a family may keep; also what cannot be passed counts as no."""
    foreign = opened("llama").foreign
    whole = tapped(foreign)
    other = {name: tensor.flip(2) for name, tensor in whole.parts.items()}
    lacking = dict([*whole.parts.items()][:1])

    assert comes_to_the_same(foreign, whole.ids, whole.parts, whole.logits)
    assert not comes_to_the_same(foreign, whole.ids, other, whole.logits)
    assert not comes_to_the_same(foreign, whole.ids, lacking, whole.logits)


def test_a_pass_that_was_stopped_leaves_nothing_to_go_on_from(folder: Folder) -> None:
    """The next one is whole, and right."""
    from explorer.stops import Superseded

    computer = Computer()
    read(computer, wish(folder("gpt2"), "the fox"))
    asked = iter([False] * 20)
    with pytest.raises(Superseded):
        computer(Request(wish=wish(folder("gpt2"), "the fox and")), stop=lambda: next(asked, True))
    trace, n_rows = read(computer, wish(folder("gpt2"), "the fox and dog"))
    assert n_rows == len(trace.tokens.target)
    assert apart(trace, read(Computer(), wish(folder("gpt2"), "the fox and dog"))[0]) == 0
