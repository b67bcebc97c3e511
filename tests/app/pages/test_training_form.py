"""The form of a training: what is given, what breaks it, and tasks that need a file."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from explorer.app.pages import training_form
from explorer.app.pages.training_form import TrainingForm, needs_new_weights, usual
from explorer.lang import Words
from explorer.training.mishaps import MISHAPS
from explorer.training.setup import usual_setup
from explorer.training.tasks import TASKS


@pytest.fixture
def form(qtbot: QtBot) -> TrainingForm:
    """As the page shows it, in English."""
    made = TrainingForm()
    qtbot.addWidget(made)
    made.speak(Words.load("en"))
    return made


@pytest.mark.parametrize("name", MISHAPS)
def test_a_mishap_sets_what_it_names_and_puts_it_back(form: TrainingForm, name: str) -> None:
    """The rows show it, and it can be trained."""
    form.put("sort", {})
    button, settings = form.mishaps[name], MISHAPS[name].settings
    button.click()
    assert {each: form.given[each] for each in settings} == dict(settings) and button.isChecked()
    usual_setup(Path("out"), "sort", None, None, form.given)
    assert needs_new_weights(form.given, usual("sort")) == MISHAPS[name].anew
    button.click()
    assert form.given == usual("sort") and not button.isChecked()


def test_it_shows_what_a_training_was_given(form: TrainingForm) -> None:
    """What the log does not name is as usual; the mishap that it amounts to is pressed."""
    form.put("sort", {"learning_rate": 0.02, "causal_mask": False, "agreement": 0.0})
    assert (form.task, form.given["learning_rate"], form.given["epochs"]) == ("sort", 0.02, usual("sort")["epochs"])
    assert form.mishaps["no_mask"].isChecked() and not form.mishaps["one_head"].isChecked()


def test_a_task_of_a_file_asks_for_it(form: TrainingForm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A dialog that is closed leaves the task as it was; a text needs a decoder alone."""
    answers = iter(["", str(tmp_path / "notes.txt"), str(tmp_path / "pairs.tsv")])
    monkeypatch.setattr(training_form, "ask_file", lambda *_: next(answers))
    place = len(TASKS)
    before = form.task
    form.tasks.activated.emit(place)
    assert (form.task, form.data) == (before, "")
    form.tasks.activated.emit(place)
    assert (form.task, Path(form.data).name, form.given["architecture"]) == ("text", "notes.txt", "decoder-only")
    assert "notes.txt" in form.tasks.currentText()
    form.tasks.activated.emit(place + 1)
    assert (form.task, Path(form.data).name, form.given["architecture"]) == ("pairs", "pairs.tsv", "encoder-decoder")


def test_another_task_keeps_what_was_turned(form: TrainingForm) -> None:
    """The rest is as usual for it: brackets take more epochs, and of a file all examples are read."""
    form.put("sort", {})
    form.rows["learning_rate"].turned.emit("learning_rate", 0.001)
    form.tasks.activated.emit(list(TASKS).index("brackets"))
    assert (form.given["learning_rate"], form.given["epochs"]) == (0.001, TASKS["brackets"].epochs)
    assert form.given["epochs"] > TASKS["sort"].epochs and usual("text")["examples"] == 0
