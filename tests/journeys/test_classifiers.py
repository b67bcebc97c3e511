"""Classifiers in the window: their classes on the output page, live, as files, and what of them is not there."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import explorer
from explorer.app.pages.output_page import OutputPage
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.page_list import KEYS
from explorer.picture.kinds import Bars, Heatmap
from explorer.state.intents import SetPreset
from tests.foreign.test_classes import LABELS, written
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

TEXT = "the fox and the dog"
_OPENING_MS = 120_000  # ms; the libraries are imported, and the machine may have other work
KINDS = {
    "text": ("bert", "BertForSequenceClassification", {}),
    "tokens": ("bert", "BertForTokenClassification", {}),
    "numbers": ("roberta", "RobertaForSequenceClassification", {"problem_type": "regression"}),
    "text of a decoder": ("gpt2", "GPT2ForSequenceClassification", {"problem_type": "multi_label_classification"}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny classifier."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            family, kind, changed = KINDS[name]
            made[name] = written(tmp_path_factory.mktemp("models") / name.replace(" ", "-"), family, kind, **changed)
        return made[name]

    return of


Folder = Callable[[str], Path]


def opened(window: Window, journey: Journey, path: Path) -> OutputPage:
    """The output page with the answer of this folder's model to TEXT."""
    window.folders.open(str(path))
    window.sentences.source_edit.setText(TEXT)
    window.go("output")
    journey.settle(window, _OPENING_MS)
    page = window.page_stack.page
    assert isinstance(page, OutputPage) and window.page_stack.lack.isHidden()
    assert not page.reading.isVisible() and not page.tree.isVisible() and not page.map.isVisible()
    return page


def numbers(picture: object) -> np.ndarray:
    assert isinstance(picture, Bars | Heatmap)
    return picture.values


def test_the_classes_of_a_text_are_bars(journey: Journey, folder: Folder, tmp_path: Path) -> None:
    """Those of the library, under the folder's labels; they move with each word, and are written to files."""

    def script(window: Window) -> None:
        page = opened(window, journey, folder("text"))
        part, wanted = page.classes, explorer.explore(TEXT, preset=folder("text"))["classifier.probabilities"][0]
        assert part.bars.isVisible() and not part.steps.isVisible() and not part.map.isVisible()
        assert numbers(part.bars.picture) == pytest.approx(np.sort(wanted)[::-1])
        assert part.bars.picture.labels == tuple(LABELS[each] for each in np.argsort(-wanted))  # type: ignore[union-attr]

        window.actions_.by_name["export"].trigger()
        (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ExportDialog) and w.isVisible()]
        dialog.format.setCurrentIndex(dialog.format.findText("npz"))
        dialog.path.setText(str(tmp_path / "x.npz"))
        dialog.start()
        journey.wait(dialog.begin.isEnabled)
        dialog.reject()
        with np.load(tmp_path / "x.npz") as file:
            assert any(
                file[name].ravel() == pytest.approx(np.sort(wanted)[::-1]) for name in file.files if file[name].size == 3
            )

        window.sentences.source_edit.setText("the dog")
        journey.settle(window)
        other = explorer.explore("the dog", preset=folder("text"))["classifier.probabilities"][0]
        assert numbers(part.bars.picture) == pytest.approx(np.sort(other)[::-1])
        assert abs(np.sort(other) - np.sort(wanted)).max() > 1e-4

    journey.run(script, "--language", "en")


def test_a_token_is_chosen_by_keys_and_its_classes_are_shown(journey: Journey, folder: Folder) -> None:
    """The row has the likeliest class of each token, the map all numbers, the bars those of the chosen token."""

    def script(window: Window) -> None:
        part = opened(window, journey, folder("tokens")).classes
        wanted = explorer.explore(TEXT, preset=folder("tokens"))["classifier.probabilities"]
        assert part.steps.isVisible() and part.bars.isVisible() and part.map.isVisible()
        assert numbers(part.map.picture) == pytest.approx(wanted)
        assert part.steps.picture.labels[1] == f"the · {LABELS[wanted[1].argmax()]}"  # type: ignore[union-attr]
        assert numbers(part.bars.picture) == pytest.approx(np.sort(wanted[1])[::-1])

        QTest.keyClick(part.steps.view, Qt.Key.Key_Right)  # type: ignore[call-overload]  # A view is a widget.
        journey.wait(lambda: part.steps.picture.chosen == 2)  # type: ignore[union-attr]
        assert numbers(part.bars.picture) == pytest.approx(np.sort(wanted[2])[::-1])

    journey.run(script)


def test_numbers_that_mean_themselves_are_a_map(journey: Journey, folder: Folder) -> None:
    """Bars would be read as probabilities."""

    def script(window: Window) -> None:
        part = opened(window, journey, folder("numbers")).classes
        assert part.map.isVisible() and not part.bars.isVisible() and not part.steps.isVisible()
        wanted = explorer.explore(TEXT, preset=folder("numbers"))["classifier.logits"]
        assert numbers(part.map.picture) == pytest.approx(wanted)

    journey.run(script)


@pytest.mark.parametrize("name", sweep(KINDS, telling=["text"]))
def test_every_page_shows_a_classifier_or_says_why_not(journey: Journey, folder: Folder, name: str) -> None:
    """And its card names the classes; the way back to another model has that one's output page."""

    def script(window: Window) -> None:
        page = opened(window, journey, folder(name))
        for key in KEYS:
            window.go(key)
            journey.settle(window, _OPENING_MS)
            told = window.page_stack.lack
            assert told.isHidden() or len(told.text()) > 10, key
            assert window.status.message.objectName() != "warning" or not window.status.message.text(), key
        window.header.open_card()
        assert LABELS[0] in window.header.card_box.about.text()
        window.header.card_box.hide()
        window.session.ask(SetPreset("tiny"))
        window.go("output")
        journey.settle(window, _OPENING_MS)
        assert page.reading.isVisible() and not page.classes.isVisible()

    journey.run(script)
