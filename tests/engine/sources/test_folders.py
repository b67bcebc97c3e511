"""The models of others that are open: read with progress, stopped on the way, shared, and kept while there is room."""

from pathlib import Path

import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.engine.sources import folders as folders_room
from explorer.engine.sources.folders import OpenFolders
from explorer.errors import LacksTap, MissingWeights
from explorer.stops import Superseded
from tests.foreign.models import write_model

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox loves the dogs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("models") / "gpt2", "gpt2")


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the folders that are opened, as they are."""
    opened: list[str] = []
    whole = folders_room.open_folder

    def note(path: Path, name: str, *more: object) -> object:
        opened.append(name)
        return whole(path, name, *more)  # type: ignore[arg-type]  # They are Stop and Progress.

    monkeypatch.setattr(folders_room, "open_folder", note)
    return opened


def test_progress_is_the_share_of_the_opening_that_is_over(folder: Path) -> None:
    """From 0, never back, told more often than there are layers; the last of it is told before the last comparison."""
    shares: list[float] = []
    OpenFolders().of(folder, "x", progress=shares.append)
    assert shares[0] == 0 and 0.85 < shares[-1] < 1
    assert shares == sorted(shares) and len(set(shares)) > 10


@pytest.mark.parametrize("share", [0.0, 0.5, 0.75])
def test_opening_stops_wherever_it_is(folder: Path, share: float) -> None:
    """Before the first tensor, among them, and while the model is compared with itself; the next one opens as usual."""
    there = OpenFolders()
    told: list[float] = [-1.0]
    with pytest.raises(Superseded):
        there.of(folder, "x", lambda: told[-1] >= share - 1e-9, told.append) if share else there.of(folder, "x", lambda: True)
    assert there.of(folder, "x").card is not None


def test_models_are_read_once_and_shared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the pass, the one to compare with, and a second look at the first."""
    opened = counted(monkeypatch)
    computer = Computer()
    asked = Request.from_preset(str(folder), TEXT)
    trace = computer(asked.wishing(compared_with=asked.wishing(text="the dogs").wish)).trace
    assert trace.compared_with is not None and trace.compared_with.card == trace.card
    assert opened == [str(folder)]


def test_the_former_model_is_kept_while_there_is_room(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two are; where memory is short, the old ones go before the new one is read."""
    second, third = (write_model(tmp_path / name, "gpt2") for name in ("second", "third"))
    opened, there = counted(monkeypatch), OpenFolders()
    for path in (folder, second, folder, third, folder):
        there.of(path, path.name)
    assert opened == ["gpt2", "second", "third"]
    there.of(second, "second")
    assert opened[3:] == ["second"]

    monkeypatch.setattr(folders_room, "fits_beside", lambda _folder: False)
    there.of(third, "third")
    there.of(folder, "gpt2")
    assert opened[4:] == ["third", "gpt2"]


def test_a_model_that_cannot_be_opened_takes_none_away(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one before is there at once."""
    broken, there = write_model(tmp_path / "broken", "gpt2"), OpenFolders()
    kept = there.of(folder, "x")
    (broken / "model.safetensors").unlink()
    with pytest.raises(MissingWeights):
        there.of(broken, "broken")
    opened = counted(monkeypatch)
    assert there.of(folder, "x") is kept and not opened


def test_an_open_model_outlives_its_folder(tmp_path: Path) -> None:
    """A stick that is pulled out takes no model from the screen; files that were written anew are read anew."""
    path, there = write_model(tmp_path / "here", "gpt2"), OpenFolders()
    kept = there.of(path, "x")
    path.rename(tmp_path / "there")
    assert there.of(path, "x") is kept
    (tmp_path / "there").rename(path)
    (path / "config.json").touch()
    assert there.of(path, "x") is not kept


def test_its_weights_do_not_follow_the_file(tmp_path: Path) -> None:
    """They are read when it is opened: a file that is written over meanwhile would change, or end, the program."""
    path = write_model(tmp_path / "here", "gpt2")
    computer = Computer()
    asked = Request.from_preset(str(path), TEXT)
    before = computer(asked).trace["generator.logits"]
    weights = path / "model.safetensors"
    numbers = weights.read_bytes()
    with weights.open("r+b") as file:  # In place, as the file is mapped.
        file.seek(len(numbers) // 2)
        file.write(b"\0" * 1000)
    found = computer.sources.folders._open[path.absolute(), str(path)][1]
    computer.sources.folders._open[path.absolute(), str(path)] = (folders_room.folder_version(path), found)
    assert (computer(asked).trace["generator.logits"] == before).all()


def test_a_change_is_not_weighed_in_words_without_an_output(tmp_path: Path) -> None:
    """What it does to log p cannot be said; the sentence says which tap the model lacks."""
    wish = Request.from_preset(str(write_model(tmp_path / "bert", "bert without an output")), TEXT).wish
    computer = Computer()
    with pytest.raises(LacksTap, match=r"generator\.logits"):
        computer.log_p(wish, computer.says(wish))
