"""A LoRA adapter in the State: added to somebody's model alone, off and on, beside its base, and gone with its model."""

from pathlib import Path

import pytest

from explorer.errors import AdapterNeedsBase, FolderIsGone
from explorer.state.adapter_intents import CompareAdapter, OpenAdapter, WearAdapter
from explorer.state.intents import SetPreset
from explorer.state.state import Settings, State


@pytest.fixture
def base(tmp_path: Path) -> State:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").touch()
    return State.from_preset(str(tmp_path / "base"))


@pytest.fixture
def adapter(tmp_path: Path) -> str:
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").touch()
    (folder / "adapter_model.safetensors").touch()
    return str(folder)


def test_it_is_added_switched_and_taken_away(base: State, adapter: str) -> None:
    """Each is a step of its own; taken away, nothing of it stays."""
    added = OpenAdapter(adapter).applied(base, None)
    off = WearAdapter(False).applied(added, None)

    assert (added.wish.adapter, added.wish.adapted, off.wish.adapted) == (adapter, True, False)
    assert OpenAdapter("").applied(off, None) == base
    assert all(intent.is_step for intent in (OpenAdapter(adapter), WearAdapter(True)))


def test_it_opens_over_its_own_base_where_that_is_at_hand(base: State, adapter: str, tmp_path: Path) -> None:
    """Another model on screen makes room; the base itself stays as it is, under whatever path it was opened."""
    own = tmp_path / "hub" / "Own-Base"
    own.mkdir(parents=True)
    (own / "config.json").touch()
    (Path(adapter) / "adapter_config.json").write_text('{"base_model_name_or_path": "acme/own-base"}')

    for before in (State.from_preset("tiny"), base):
        wish = OpenAdapter(adapter, str(own)).applied(before, None).wish
        assert (wish.preset, wish.adapter) == (str(own), adapter)
    there = State.from_preset(str(own))
    assert OpenAdapter(adapter, str(tmp_path / "elsewhere")).applied(there, None).wish.preset == str(own)


def test_it_is_compared_with_its_base(base: State, adapter: str) -> None:
    """The state put aside is the same but for the adapter."""
    added = OpenAdapter(adapter).applied(base, None)
    other = CompareAdapter().applied(added, None).wish.compared_with

    assert other is not None
    assert (other.adapter, other.adapted, other.compared_with) == (adapter, False, None)


def test_another_model_comes_without_it(base: State, adapter: str) -> None:
    """From the list of presets, from a file, from a lesson's step."""
    added = OpenAdapter(adapter).applied(base, None)

    assert SetPreset("tiny").applied(added, None).wish.adapter == ""
    assert added.changed(Settings.read({"preset": "tiny"})[0]).wish.adapter == ""
    assert added.opened(Settings.read({"preset": "tiny"})[0]).wish.adapter == ""


def test_it_comes_back_from_a_file(base: State, adapter: str) -> None:
    """With its base, and off if it was off."""
    off = WearAdapter(False).applied(OpenAdapter(adapter).applied(base, None), None)

    assert State.from_preset("tiny").changed(Settings.read(off.to_table())[0]).wish == off.wish


def test_only_somebodys_model_takes_one(adapter: str, base: State) -> None:
    """Over our own it says which base it needs, and a folder that is gone is told."""
    (Path(adapter) / "adapter_config.json").write_text('{"base_model_name_or_path": "acme/own-base"}')
    with pytest.raises(AdapterNeedsBase, match="acme/own-base"):
        OpenAdapter(adapter).applied(State.from_preset("tiny"), None)
    with pytest.raises(FolderIsGone):
        OpenAdapter(f"{adapter}-gone").applied(base, None)
