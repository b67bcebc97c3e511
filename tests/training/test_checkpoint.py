"""One file with everything a training needs to go on, and a clear word for any other file."""

import json
import pickle
from pathlib import Path

import attrs
import pytest
import torch
from safetensors.torch import save_file

from explorer.errors import BadCheckpoint
from explorer.lang import LANGUAGES, Words
from explorer.training.checkpoint import Checkpoint, Memory, TrainingHistory, load, random_states, restore_random, save
from tests.mapped import is_mapped
from tests.training.runs import assert_equal

STATE = Checkpoint(
    step=7,
    epoch=1,
    batch=3,
    loss_sum=0.1 + 0.2,
    token_sum=40,
    seconds=1.5,
    history=(TrainingHistory(1, 1 / 3, 2 / 3, 0.25, 1.0),),
    about={"recipe": {"epochs": 3, "rate": 1e-3}, "data": "中文"},
)


def a_memory() -> Memory:
    def group(seed: int) -> dict[str, torch.Tensor]:
        torch.manual_seed(seed)
        return {"a.weight": torch.randn(3, 4).T, "a.bias": torch.randn(5)}  # one of them not contiguous

    return Memory(group(1), group(2), group(3), random_states(torch.device("cpu")))


def test_everything_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    """Sums that are no round numbers too."""
    memory = a_memory()
    save(tmp_path / "c", STATE, memory)
    state, again = load(tmp_path / "c")

    assert state == STATE
    for group in ("weights", "first", "second", "random"):
        assert_equal(getattr(again, group), getattr(memory, group))


def test_random_numbers_go_on_where_they_were(tmp_path: Path) -> None:
    """Those of torch, which dropout draws from."""
    save(tmp_path / "c", STATE, a_memory())
    expected = torch.rand(3)
    torch.rand(100)
    restore_random(load(tmp_path / "c")[1].random, torch.device("cpu"))

    assert torch.equal(torch.rand(3), expected)


def test_a_loaded_checkpoint_may_be_replaced(tmp_path: Path) -> None:
    """By the next one, while its tensors are still in use."""
    save(tmp_path / "c", STATE, a_memory())
    _state, memory = load(tmp_path / "c")
    assert not is_mapped(tmp_path / "c")
    before = memory.weights["a.bias"].clone()
    save(tmp_path / "c", attrs.evolve(STATE, step=8), Memory({"a.bias": torch.zeros(500)}, {}, {}, {}))

    assert torch.equal(memory.weights["a.bias"], before)
    assert load(tmp_path / "c")[0].step == 8


def written(path: Path, **state: object) -> Path:
    """A checkpoint file whose state is changed; None leaves a field out."""
    told = {name: value for name, value in (json.loads(json.dumps(attrs.asdict(STATE))) | state).items() if value is not None}
    save_file({"model.a": torch.ones(1)}, path, {"state": json.dumps(told)})
    return path


@pytest.mark.parametrize(
    "state",
    [
        {"step": None},
        {"more": 1},
        {"step": -1},
        {"step": "7"},
        {"batch": 1.5},
        {"epoch": 2},
        {"about": ["x"]},
        {"history": 5},
        {"history": [{"epoch": 1}]},
        {"history": []},
    ],
    ids=str,
)
def test_a_state_that_is_none_is_refused(tmp_path: Path, state: dict[str, object]) -> None:
    """Fields missing, too many, of another kind, or not fitting each other."""
    with pytest.raises(BadCheckpoint):
        load(written(tmp_path / "c", **state))


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    """Weights without a state, a tensor of no group, garbage, a pickle, half a file, none at all."""
    path = tmp_path / "c"
    save(path, STATE, a_memory())
    whole = path.read_bytes()
    contents = [b"", b"garbage", pickle.dumps({}), whole[: len(whole) // 2], whole[:50], whole[:-1], "中文".encode()]
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(BadCheckpoint) as caught:
            load(path)
        assert all(str(path) in Words.load(language).error(caught.value) for language in LANGUAGES)
    for tensors, about in (
        ({"model.a": torch.ones(1)}, {}),
        ({"model.a": torch.ones(1)}, {"state": "[]"}),
        ({"other": torch.ones(1)}, {"state": json.dumps(attrs.asdict(STATE))}),
    ):
        save_file(tensors, path, about)
        with pytest.raises(BadCheckpoint):
            load(path)
    path.unlink()
    with pytest.raises(BadCheckpoint):
        load(path)


def test_a_checkpoint_is_refused_and_not_by_chance(tmp_path: Path) -> None:
    """The helper's own file is a good one."""
    assert load(written(tmp_path / "c"))[0] == STATE
