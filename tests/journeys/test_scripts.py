"""The pass on screen as a script of plain PyTorch: on the clipboard, and in a file with its weights beside it."""

import json
import runpy
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.lang import Words
from explorer.state.change_intents import AddChanges
from explorer.state.intents import SetKnob
from explorer.trace.changes import Change
from tests.export.pytorch.test_scripts import differing
from tests.journeys.conftest import Journey
from tests.journeys.test_exporting import choose_in_dialog, export_dialog, finish_export

CLOSED = Change("decoder.layers.1.self_attn.masked", "close", head=1, columns=[0], rows=[2])
ZH = Words.load("zh")


def _copied(journey: Journey, window: Window) -> str:
    QGuiApplication.clipboard().clear()
    window.actions_.by_name["copy_script"].trigger()
    journey.wait(lambda: bool(QGuiApplication.clipboard().text()))
    return QGuiApplication.clipboard().text()


def _agrees(window: Window, text: str) -> list[str]:
    """The taps in which a copied script and the pass on screen differ."""
    space: dict[str, object] = {"__name__": "pasted"}
    exec(compile(text, "pasted", "exec"), space)
    taps = space["run"]()  # type: ignore[operator]
    assert window.session.frame is not None
    return differing(window.session.frame.trace, {name: tensor.numpy() for name, tensor in taps.items()})


def test_what_is_copied_runs_and_computes_what_is_on_screen(journey: Journey) -> None:
    """Of an untrained model with knobs turned and a change, by itself; the line below says where the weights are."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetKnob("position", "rotary"))
        window.session.ask(AddChanges((CLOSED,)))
        journey.settle(window)
        text = _copied(journey, window)
        assert _agrees(window, text) == []
        assert "我爱北京天安门" in text and "def rotate" in text
        assert window.status.message.text() == ZH("status.script_copied_drawn")

    journey.run(script)


def test_the_copied_script_of_a_trained_model_reads_the_presets_weights(journey: Journey) -> None:
    """They are far too many for a clipboard."""

    def script(window: Window) -> None:
        journey.settle(window)
        text = _copied(journey, window)
        assert _agrees(window, text) == []
        assert "weights.safetensors" in text and "weights.safetensors" in window.status.message.text()

    journey.run(script, "--preset", "language-model")


def test_the_export_writes_the_script_and_the_weights_that_ran(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """And asks before it replaces either of them."""
    out = tmp_path / "deeper" / "mine.py"

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetKnob("seed", 7))
        journey.settle(window)
        dialog = export_dialog(window)
        dialog.what.setCurrentIndex(dialog.what.findData("script"))
        assert [dialog.format.itemText(place) for place in range(dialog.format.count())] == ["py"]
        assert dialog.path.text().endswith("model.py") and not dialog.theme.isEnabled() and not dialog.dpi.isEnabled()
        choose_in_dialog(dialog, "script", "py", out)
        finish_export(dialog, qtbot)
        assert dialog.message.text() == ZH("status.exported", path=str(out))
        out.unlink()
        dialog.start()
        assert dialog.message.text() == ZH("export.exists", path=str(out)) and not dialog.running
        finish_export(dialog, qtbot)
        taps = runpy.run_path(str(out))["run"]()
        assert window.session.frame is not None
        assert differing(window.session.frame.trace, {name: tensor.numpy() for name, tensor in taps.items()}) == []
        dialog.reject()

    journey.run(script)
    about = json.loads(out.with_name("mine.py.json").read_text("utf-8"))
    assert about["files"] == ["mine.py", "mine.safetensors"] and about["config"]["seed"] == 7


def test_an_export_can_be_cancelled_while_the_weights_are_waited_for(journey: Journey, tmp_path: Path) -> None:
    """Nothing is written, and the dialog can begin again."""

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "script", "py", tmp_path / "mine.py")
        dialog.sent.disconnect()  # The compute thread is busy for long.
        dialog.start()
        assert dialog.running and not dialog.begin.isEnabled()
        dialog.leave.click()
        assert not dialog.running and dialog.begin.isEnabled() and dialog.message.text() == ZH("export.cancelled")
        dialog.reject()

    journey.run(script)
    assert not list(tmp_path.glob("mine*"))


def test_a_place_that_cannot_be_written_is_told(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """With the sentence of every other export."""
    (tmp_path / "file").write_text("x")

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "script", "py", tmp_path / "file" / "mine.py")
        finish_export(dialog, qtbot)
        assert str(tmp_path / "file") in dialog.message.text()
        dialog.reject()

    journey.run(script)


def test_a_recorded_pass_has_no_script_and_says_so(journey: Journey, tmp_path: Path) -> None:
    """In the line above the pages; the dialog does not offer it."""
    explorer.explore("我爱北京天安门", preset="tiny").save(tmp_path / "pass.npz")

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["copy_script"].trigger()
        journey.wait(lambda: "pass.npz" in window.refusals.text.text())
        dialog: ExportDialog = export_dialog(window)
        assert dialog.what.findData("script") < 0 < dialog.what.findData("all")
        dialog.reject()

    journey.run(script, "--preset", str(tmp_path / "pass.npz"))


def test_the_script_of_somebodys_model_reads_its_folder(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """It is copied and written as any other, without weights beside it: a file of that name is left alone, unasked."""
    from tests.foreign.models import write_model

    folder, out = write_model(tmp_path / "gpt2", "gpt2"), tmp_path / "mine.py"
    out.with_suffix(".safetensors").write_bytes(b"of somebody else")

    def script(window: Window) -> None:
        journey.settle(window)
        text = _copied(journey, window)
        compile(text, "pasted", "exec")
        assert "GPT2LMHeadModel" in text and repr(str(folder)) in text
        assert window.status.message.text() == ZH("status.script_copied", path=str(folder))
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "script", "py", out)
        finish_export(dialog, qtbot)
        assert dialog.message.text() == ZH("status.exported", path=str(out))
        dialog.reject()

    journey.run(script, "--preset", str(folder), "--text", "the fox and dog")
    assert out.with_suffix(".safetensors").read_bytes() == b"of somebody else"
    assert json.loads((tmp_path / "mine.py.json").read_text("utf-8"))["files"] == ["mine.py"]


def test_a_script_that_would_note_other_taps_is_refused_in_the_line_below(
    journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on the clipboard stays."""
    from tests.foreign.models import write_model

    folder = write_model(tmp_path / "gpt2", "gpt2")
    monkeypatch.setattr("explorer.export.pytorch.foreign.noted", lambda parts, trace: set(trace.names()[1:]))

    def script(window: Window) -> None:
        journey.settle(window)
        QGuiApplication.clipboard().setText("kept")
        window.actions_.by_name["copy_script"].trigger()
        journey.wait(lambda: "gpt2" in window.refusals.text.text())
        assert QGuiApplication.clipboard().text() == "kept"

    journey.run(script, "--preset", str(folder), "--text", "the fox")
