"""Which trainings there are, and what they are called."""

from pathlib import Path

import pytest

from explorer.app.training import runs
from explorer.lang import Words
from explorer.presets import training_names
from explorer.runs.log import LogWriter


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder of trainings."""
    monkeypatch.setattr(runs, "trainings_folder", lambda: tmp_path)
    return tmp_path


def begun(folder: Path) -> str:
    folder.mkdir()
    writer = LogWriter(folder, 0)
    writer.add(step=0, total=10, setup={"task": "copy", "knobs": {"d_model": 16}, "recipe": {"examples": 300}})
    writer.flush()
    return str(folder)


def test_the_bundled_and_ones_own_are_offered(home: Path) -> None:
    """The bundled life first, then one's own, then those that went wrong; each once."""
    own = begun(home / "copy-1127-1649")
    assert runs.runs_there(runs.FIRST) == (runs.FIRST, own, *training_names())
    assert runs.runs_there("/elsewhere/x")[-1] == "/elsewhere/x"
    assert {"usual", "no_mask", "few_examples"} <= set(training_names())


def test_a_training_is_called_by_its_task_and_time(home: Path) -> None:
    """A folder of another name keeps it."""
    words = Words.load("en")
    assert runs.run_name(str(home / "copy-1127-1649"), words) == "copy 1127-1649"
    assert runs.run_name("/elsewhere/mine", words) == "mine"
    assert runs.run_name("no_mask", words) == "without causal mask"


def test_two_trainings_of_a_minute_have_folders_of_their_own(home: Path) -> None:
    """The second one has a number."""
    first = runs.new_folder("sort")
    first.mkdir()
    assert runs.new_folder("sort").name == f"{first.name}-2"


def test_a_preset_leads_to_its_training(home: Path) -> None:
    """With or without a step; one without a log to none."""
    own = begun(home / "copy-1127-1649")
    assert runs.run_of(f"{own}@120") == runs.run_of(own) == own
    assert runs.run_of("sort@5") == "sort" and runs.run_of("tiny") == runs.run_of("translator") == ""


def test_a_training_that_can_go_on_is_shown_first(home: Path) -> None:
    """Also when the window was killed before anything was remembered; a finished one gives way to the bundled life."""
    assert runs.first_run() == runs.FIRST
    own = begun(home / "copy-1127-1649")
    assert runs.first_run() == own
    Path(own, "weights.safetensors").touch()
    assert runs.first_run() == runs.FIRST
