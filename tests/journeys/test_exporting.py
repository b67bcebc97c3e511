"""Saving pictures and numbers from the window."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from safetensors.numpy import load_file

from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.export import formats
from explorer.export.job import Export
from explorer.state.intents import SetKnob, look_at
from tests.journeys.conftest import Journey
from tests.sweeps import sweep


def export_dialog(window: Window) -> ExportDialog:
    window.actions_.by_name["export"].trigger()
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ExportDialog) and w.isVisible()]
    return dialog


def choose_in_dialog(dialog: ExportDialog, what: str, form: str, path: Path) -> None:
    dialog.what.setCurrentIndex(dialog.what.findData(what))
    dialog.format.setCurrentIndex(dialog.format.findText(form))
    dialog.path.setText(str(path))


def finish_export(dialog: ExportDialog, qtbot: QtBot) -> None:
    dialog.start()
    qtbot.waitUntil(lambda: dialog.begin.isEnabled(), timeout=30_000)


@pytest.mark.parametrize("form", sweep(formats.names(), telling=["png", "csv"]))
def test_the_picture_on_screen_can_be_saved_in_every_format(journey: Journey, qtbot: QtBot, tmp_path: Path, form: str) -> None:
    """The file is there and not empty, and the JSON beside it names text, tap and versions."""
    out = tmp_path / f"head.{form}"

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("inspector")
        window.session.ask(look_at(tap="encoder.layers.1.self_attn.weights", head=2))
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "this", form, out)
        finish_export(dialog, qtbot)
        assert str(out) in dialog.message.text()
        dialog.reject()

    journey.run(script)
    about = json.loads((tmp_path / f"head.{form}.json").read_text(encoding="utf-8"))
    assert out.stat().st_size > 100
    assert "encoder.layers.1.self_attn.weights" == about["tap"]
    assert "我爱北京天安门" == about["source"]
    assert {"torch", "transformer-explorer"} <= about["versions"].keys()


def test_the_whole_pass_goes_onto_one_page(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """Offered beside the pictures, as HTML alone; it is light or dark by itself, so no theme is asked."""
    out = tmp_path / "page.html"

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = export_dialog(window)
        dialog.what.setCurrentIndex(dialog.what.findData("page"))
        assert [dialog.format.itemText(place) for place in range(dialog.format.count())] == ["html"]
        assert dialog.path.text().endswith("page.html")
        assert not dialog.theme.isEnabled() and not dialog.dpi.isEnabled()
        choose_in_dialog(dialog, "page", "html", out)
        finish_export(dialog, qtbot)
        dialog.reject()

    journey.run(script)
    document = out.read_text(encoding="utf-8")
    assert "<title>我爱北京天安门</title>" in document
    assert document.count("<figure") == 4


def test_all_heads_go_to_a_folder_one_file_each(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """Two layers of four heads are eight files, and they hold the recorded tensors."""

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "each", "safetensors", tmp_path / "heads")
        finish_export(dialog, qtbot)
        dialog.reject()
        assert window.session.frame is not None
        trace = window.session.frame.trace
        for layer in range(2):
            for head in range(4):
                name = f"encoder.layers.{layer}.self_attn.weights"
                (array,) = load_file(tmp_path / "heads" / f"{name}.head{head}.safetensors").values()
                assert np.array_equal(trace[name][head], array)

    journey.run(script)
    assert 8 == len(list((tmp_path / "heads").glob("*.safetensors")))


def test_a_long_export_can_be_cancelled_between_two_files(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """Cancel ends it; what is written stays; the dialog says so and can begin again."""

    def script(window: Window) -> None:
        window.session.ask(SetKnob("n_layers", 12))
        journey.settle(window)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "each", "png", tmp_path / "heads")
        dialog.start()
        qtbot.waitUntil(lambda: dialog.progress.value() >= 1, timeout=30_000)
        assert 48 == dialog.progress.maximum()
        dialog.leave.click()
        qtbot.waitUntil(lambda: dialog.begin.isEnabled(), timeout=30_000)
        assert "取消" in dialog.message.text()
        dialog.reject()

    journey.run(script)
    assert 1 <= len(list((tmp_path / "heads").glob("*.png"))) < 48


def test_a_place_that_cannot_be_written_gets_one_sentence(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """A path below a file names the folder; the dialog stays open for another try."""
    (tmp_path / "file").write_text("in the way")

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "this", "svg", tmp_path / "file" / "x.svg")
        finish_export(dialog, qtbot)
        assert str(tmp_path / "file") in dialog.message.text()
        assert dialog.isVisible()
        dialog.reject()

    journey.run(script)


@pytest.mark.parametrize(("dpi", "width_px"), [(192, 0), (300, 0), (192, 777)])
def test_the_dialog_says_how_large_a_file_will_be(journey: Journey, tmp_path: Path, dpi: int, width_px: int) -> None:
    """In the pixels that it then has."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("attention")
        journey.settle(window)
        window.actions_.by_name["export"].trigger()
        (dialog,) = window.findChildren(ExportDialog)
        dialog.dpi.setValue(dpi)
        dialog.width_px.setValue(width_px)
        dialog.path.setText(str(tmp_path / "a.png"))
        dialog.start()
        journey.wait(lambda: not dialog.running and dialog.preview.settled)
        size = QImage(str(tmp_path / "a.png")).size()
        told = dialog.preview.about.text()
        assert all(f"{side}" in told for side in (size.width(), size.height())) and (bool(width_px) or f"{dpi} dpi" in told)
        dialog.format.setCurrentIndex(dialog.format.findText("svg"))
        journey.wait(lambda: dialog.preview.settled and "96 dpi" in dialog.preview.about.text())
        dialog.reject()

    journey.run(script)


def test_the_picture_can_be_copied(journey: Journey) -> None:
    """The clipboard holds the picture of the card that was touched last; that it does is told whatever is typed meanwhile."""

    def script(window: Window) -> None:
        window.status.noticed.setInterval(10**6)  # It is told for as long as this test looks.
        journey.settle(window)
        (card,) = window.page_stack.page.cards
        card.touched.emit(card)
        window.actions_.by_name["copy"].trigger()
        copied: QImage = QGuiApplication.clipboard().image()
        assert copied.width() > 300 and copied.height() > 200
        QTest.keyClicks(window.sentences.source_edit, "a")
        journey.settle(window)
        assert window.status.message.text() == window.appearance.words("status.copied")

    journey.run(script)


def test_a_typed_ending_chooses_the_format(journey: Journey, tmp_path: Path) -> None:
    """What stands in a file is what its name says."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.saving.export()
        (dialog,) = window.findChildren(ExportDialog)
        dialog.path.selectAll()
        QTest.keyClicks(dialog.path, str(tmp_path / "tree.svg"))
        assert dialog.format.currentText() == "svg"
        assert not dialog.dpi.isEnabled()
        dialog.begin.click()
        journey.wait(lambda: not dialog.running and (tmp_path / "tree.svg").exists())
        assert (tmp_path / "tree.svg").read_text(encoding="utf-8").startswith("<svg")
        dialog.close()

    journey.run(script)


def test_closing_the_dialog_waits_for_nothing(journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that is being written is finished beside the window, which stays awake; what it tells then reaches nobody."""
    written = threading.Event()

    def run(_job: Export) -> Iterator[tuple[int, int]]:
        yield 0, 2
        assert written.wait(20)
        yield 1, 2

    monkeypatch.setattr(Export, "run", run)

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "this", "csv", tmp_path / "a.csv")
        dialog.start()
        journey.wait(lambda: dialog.progress.maximum() == 2)
        dialog.reject()
        assert [thread.name for thread in threading.enumerate() if thread.name == "export"] == ["export"]
        written.set()
        journey.wait(lambda: not any(thread.name == "export" for thread in threading.enumerate()))
        QApplication.processEvents()

    journey.run(script)


def test_the_window_can_be_closed_during_an_export(journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program ends when the file is written, and nothing is told to a dialog that has gone."""
    written, done = threading.Event(), []

    def run(_job: Export) -> Iterator[tuple[int, int]]:
        yield 0, 2
        assert written.wait(20)
        done.append(True)
        yield 1, 2

    monkeypatch.setattr(Export, "run", run)

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "this", "csv", tmp_path / "a.csv")
        dialog.start()
        journey.wait(lambda: dialog.progress.maximum() == 2)
        threading.Timer(0.2, written.set).start()

    journey.run(script)
    assert done == [True]
