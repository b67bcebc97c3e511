"""The pages of patching, saliency and steering in the real program: typing, choosing, exporting, and what is read aloud."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.pages.page import Page
from explorer.app.pages.patching_page import PatchingPage
from explorer.app.pages.saliency_page import SaliencyPage
from explorer.app.pages.steering_page import SteeringPage
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.picture.kinds import Heatmap
from explorer.trace.found.patching import Patching
from explorer.trace.found.saliency import Saliency
from tests.journeys.conftest import Journey

pytestmark = pytest.mark.slow

TEXT, OTHER = "我爱北京", "他爱北京"
TRANSLATED, ITS_OTHER = "我喜欢猫", "你喜欢猫"  # Few tokens: patching makes a pass for each head and place.


def saved(window: Window, view: QWidget, out: Path, qtbot: QtBot) -> np.ndarray:
    """The numbers of a view's card, exported by the dialog."""
    card = next(card for card in window.page_stack.page.cards if card.view is view)
    card.touched.emit(card)
    window.actions_.by_name["export"].trigger()
    (dialog,) = [each for each in QApplication.topLevelWidgets() if isinstance(each, ExportDialog) and each.isVisible()]
    dialog.what.setCurrentIndex(dialog.what.findData("this"))
    dialog.format.setCurrentIndex(dialog.format.findText("npz"))
    dialog.path.setText(str(out))
    dialog.start()
    qtbot.waitUntil(lambda: dialog.begin.isEnabled(), timeout=30_000)
    dialog.reject()
    with np.load(out) as file:
        return next(file[name] for name in file.files if file[name].dtype.kind == "f")


def named(page: Page) -> set[str]:
    """What a screen reader says of the widgets that take the focus; the line inside a number's box is the box to it."""
    parts = [page] if page.choices_above is None else [page, page.choices_above]
    all_ = (each for part in parts for each in part.findChildren(QWidget))
    found = [each for each in all_ if each.isVisible() and each.focusPolicy().value & 1]
    return {each.accessibleName() for each in found if not isinstance(each.parent(), QAbstractSpinBox)}


def _other(window: Window) -> str:
    """The second sentence that the maps on screen were patched from."""
    frame = window.session.frame
    found = None if frame is None else frame.trace.experiments.get("patching")
    return found.other_text if isinstance(found, Patching) else ""


def test_patching_is_typed_chosen_and_exported(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """The file has the shares on screen, its note names the sentence, and everything that takes the focus has a name."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("patching")
        page = window.page_stack.page
        assert isinstance(page, PatchingPage)
        page.edit.setText(ITS_OTHER)
        journey.wait(lambda: _other(window) == ITS_OTHER and page.step.count() > 0 and page.maps["encoder"].isVisible())
        last = page.step.count() - 1
        page.step.setCurrentIndex(last)
        page.step.activated.emit(last)
        journey.wait(lambda: page.step.currentIndex() == last and page.maps["encoder"].picture is not None)
        found = window.session.frame.trace.experiments["patching"]
        assert isinstance(found, Patching) and found.other_text == ITS_OTHER
        chosen = next(n for n, step in enumerate(found.steps) if step.position == page.step.currentData())
        recovered = found.map("encoder", "stream").recovered[..., chosen]
        picture = page.maps["encoder"].picture
        assert isinstance(picture, Heatmap)
        np.testing.assert_array_equal(picture.values, recovered)
        view = page.maps["encoder"].view
        np.testing.assert_array_equal(saved(window, view, tmp_path / "patched.npz", qtbot), recovered)
        words = window.appearance.words
        for key in ("patching.other", "patching.step"):
            assert words(key) in named(page)
        assert any(name.startswith(words("patching.what")) for name in named(page))
        assert "" not in named(page)

    journey.run(script, "--preset", "translator", "--text", TRANSLATED)
    about = json.loads((tmp_path / "patched.npz.json").read_text(encoding="utf-8"))
    assert about["source"] == TRANSLATED
    assert {"patching": ITS_OTHER} == about["other_sentences"]


def test_saliency_is_typed_chosen_and_exported(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """The method is chosen by its button; a cell that is pointed at tells its word; the file has the numbers on screen."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("saliency")
        page = window.page_stack.page
        assert isinstance(page, SaliencyPage)
        window.sentences.source_edit.setText(OTHER)
        journey.settle(window)
        journey.wait(lambda: page.maps["encoder"].picture is not None)
        page.method.press("gradient")
        journey.settle(window)
        found = window.session.frame.trace.experiments["saliency"]
        assert isinstance(found, Saliency)
        wanted = found.values("gradient", "encoder")
        picture = page.maps["encoder"].picture
        assert isinstance(picture, Heatmap)
        np.testing.assert_array_equal(picture.values, wanted)
        view = page.maps["encoder"].view
        assert OTHER[0] in view.describe(0, 0).text  # type: ignore[attr-defined]  # a map
        np.testing.assert_array_equal(saved(window, view, tmp_path / "saliency.npz", qtbot), wanted)
        assert any(name.startswith(window.appearance.words("saliency.how")) for name in named(page))
        assert "" not in named(page)

    journey.run(script, "--text", TEXT)
    assert json.loads((tmp_path / "saliency.npz.json").read_text(encoding="utf-8"))["source"] == OTHER


def test_a_word_of_the_saliency_is_lit_in_every_map(journey: Journey) -> None:
    """A cell's word and token stand out in the sentences above, too."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("saliency")
        page = window.page_stack.page
        assert isinstance(page, SaliencyPage)
        journey.settle(window)
        journey.wait(lambda: page.maps["encoder"].picture is not None)
        told = page.maps["encoder"].view.describe(1, 2)  # type: ignore[attr-defined]  # a map
        assert ("source", 2) in told.tokens
        page.pointed.emit(told)
        assert ("source", 2) in page.maps["encoder"].view.lit  # type: ignore[attr-defined]  # a map

    journey.run(script, "--text", TEXT)


def test_steering_is_exported_with_its_change(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """The note beside the file lists the vector that was added, so that the pass can be made again."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("steering")
        page = window.page_stack.page
        assert isinstance(page, SteeringPage)
        journey.settle(window)
        journey.wait(lambda: page.directions.picture is not None)
        page.factor.box.setValue(2.0)
        journey.settle(window)
        journey.wait(lambda: page.directions.badge.isVisible())
        picture = page.directions.picture
        assert isinstance(picture, Heatmap)
        np.testing.assert_array_equal(saved(window, page.directions.view, tmp_path / "steered.npz", qtbot), picture.values)
        words = window.appearance.words
        assert {words("steering.toward"), words("steering.away"), words("sampling.factor")} <= named(page)
        assert "" not in named(page)

    journey.run(script, "--text", TEXT)
    about = json.loads((tmp_path / "steered.npz.json").read_text(encoding="utf-8"))
    (change,) = about["changes"]
    assert change["kind"] == "add" and len(change["value"]) == 64
    assert about["other_sentences"].keys() == {"toward", "away"} and all(about["other_sentences"].values())
