"""What cannot be opened, computed or kept is said, and said until somebody acts; what ended the program is not opened again."""

import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from explorer.app.lessons.ticks import ticks_path
from explorer.app.session import told
from explorer.app.session.remembered import open_folder, remembered_path
from explorer.app.shell.window import Window
from explorer.engine import worker
from explorer.engine.experiments import effects, variants
from explorer.engine.experiments.inquiry import Inquiry
from explorer.errors import DiskFull
from explorer.lang import Words
from explorer.picture.causal_kinds import EffectMap
from explorer.presets import DEFAULT
from explorer.resources import config_folder, log_file
from explorer.state.intents import SetPreset, SetText
from explorer.state.saved import Saved, read_saved
from explorer.state.state import State
from explorer.stops import Superseded
from tests.dragging import drop
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

ZH = Words.load("zh")
SETTINGS = {"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 2, "vocab_size": 9, "n_positions": 16}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder whose model has no weights."""
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("flag", "given", "said"),
    [
        ("--preset", "nobody", "nobody"),
        ("--preset", "broken", "broken"),
        ("--session", "gone.explorer.toml", "gone.explorer.toml"),
        ("--session", "bad.explorer.toml", "bad.explorer.toml"),
        ("--trace", "gone.npz", "gone.npz"),
        ("--trace", "bad.npz", "bad.npz"),
        ("--lesson", "gone.toml", "gone.toml"),
        ("--lesson", "bad.explorer.toml", "bad.explorer.toml"),
    ],
)
def test_the_window_opens_whatever_it_is_asked_for(
    journey: Journey, broken: Path, monkeypatch: pytest.MonkeyPatch, flag: str, given: str, said: str
) -> None:
    """With what was set up last, or the default, and the reason on it, which stays until it is closed. A text is kept."""
    monkeypatch.chdir(broken.parent)
    for name in ("bad.explorer.toml", "bad.npz"):
        Path(name).write_text("nothing of ours", encoding="utf-8")
    State.from_preset("tiny", "上次的句子").save(remembered_path())

    def script(window: Window) -> None:
        journey.wait(lambda: said in window.refusals.text.text())
        journey.settle(window)
        assert window.session.state.wish.text == "我的句子"
        assert window.session.state.wish.preset == (DEFAULT if given in ("broken", "bad.npz") else "tiny")
        window.sentences.source_edit.setText("另一句")
        window.status.noticed.timeout.emit()  # A message for some seconds would be over.
        journey.settle(window)
        assert window.refusals.isVisible() and said in window.refusals.text.text()
        window.refusals.dismiss.click()
        assert not window.refusals.isVisible()

    journey.run_as_left(script, "gui", flag, given, "--text", "我的句子", "--language", "zh")


def test_a_text_that_is_refused_stands_in_its_box_with_the_reason(journey: Journey) -> None:
    """The refusal of an edit: it goes with the next good answer, and comes back from under a notice."""

    def script(window: Window) -> None:
        journey.wait(lambda: "空" in window.status.message.text())
        loaded: list[object] = []
        window.session.told.connect(lambda value: loaded.append(value) if isinstance(value, told.Loaded) else None)
        journey.wait(lambda: bool(loaded))
        assert "空" in window.status.message.text()
        window.status.noticed.setInterval(1)
        window.status.notice("done")
        assert window.status.message.text() == "done"
        journey.wait(lambda: "空" in window.status.message.text())
        window.sentences.source_edit.setText("好")
        journey.settle(window)
        assert window.status.message.text() == "" and not window.refusals.isVisible()

    journey.run(script, "gui", "--preset", "tiny", "--text", "  ")


def test_each_way_to_open_something_tells_its_refusal_until_something_is_opened(
    journey: Journey, broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Menu, list and drop; of several the newest is in front, and those below come up again."""
    files = {name: broken.parent / f"{name}.json" for name in ("scan", "adapter")}
    files["session"] = broken.parent / "x.explorer.toml"
    files["lesson"] = broken.parent / "x.lesson.toml"
    for path in files.values():
        path.write_text("{", encoding="utf-8")
    other = broken.parent / "other"
    shutil.copytree(broken, other)

    def script(window: Window) -> None:
        journey.settle(window)
        named, said = window.actions_.by_name, window.refusals.text
        drop(window, broken)
        journey.wait(lambda: str(broken) in said.text())
        drop(window, files["session"])
        journey.wait(lambda: "x.explorer.toml" in said.text())
        drop(window, files["lesson"])
        journey.wait(lambda: "x.lesson.toml" in said.text())
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(files["scan"]), ""))
        named["open_file"].trigger()
        journey.wait(lambda: "scan.json" in said.text())
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(broken.parent))
        (broken.parent / "adapter_config.json").write_text("{", encoding="utf-8")
        window.opener.choose_folder()
        journey.wait(lambda: str(broken.parent) in said.text() and "scan.json" not in said.text())
        window.refusals.dismiss.click()
        assert "scan.json" in said.text()
        window.session.ask(SetText("你好"))
        journey.settle(window)
        assert "scan.json" in said.text()
        drop(window, other)
        journey.wait(lambda: str(other) in said.text())
        journey.settle(window)
        window.refusals.dismiss.click()
        assert "scan.json" in said.text()  # What cannot be opened takes nothing away.
        window.session.ask(SetPreset("tutorial-c"))
        journey.wait(lambda: not window.refusals.isVisible())

    journey.run(script)


def test_a_folder_is_refused_while_torch_is_still_loading(
    journey: Journey, broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its check needs none. The model before is there again, and answers when torch is there."""
    gate, load = threading.Event(), worker.load_compute

    def slow() -> worker.Compute:
        gate.wait()
        return load()

    monkeypatch.setattr("explorer.app.main.load_compute", slow)

    def script(window: Window) -> None:
        try:
            window.folders.open(str(broken))
            journey.wait(lambda: str(broken) in window.refusals.text.text())
            assert window.session.frame is None and window.session.state.wish.preset == "tiny"
        finally:
            gate.set()
        journey.settle(window)
        assert str(broken) in window.refusals.text.text()

    journey.run(script)


def test_an_experiment_that_breaks_ends_in_a_sentence_on_its_card(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass and the other cards are there; the bug is reported once, whatever is typed then."""

    def breaking(_inquiry: Inquiry) -> None:
        raise KeyError("self_attn.weights")

    monkeypatch.setattr(effects, "MAKE", breaking)
    said = "KeyError: 'self_attn.weights'"

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("effects")
        journey.wait(lambda: bool(window.findChildren(QMessageBox)))
        for box in window.findChildren(QMessageBox):
            box.accept()
            box.setParent(None)
        for text in ("你好", "他在图书馆看书。"):
            journey.settle(window)
            cards = [card for card in window.page_stack.page.cards if card.isVisible()]
            assert cards and not any(card.waiting for card in cards)
            assert any(said in card.note.text() for card in cards) and said in _heads(window)
            window.sentences.source_edit.setText(text)
        journey.settle(window)
        assert not window.findChildren(QMessageBox)
        assert log_file().read_text(encoding="utf-8").count("KeyError: ") == 1
        log_file().write_text("")
        window.go("attention")
        journey.settle(window)
        assert any(card.picture is not None for card in window.page_stack.page.cards)

    journey.run(script)


def test_an_experiment_that_is_stopped_says_so_on_its_card(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for what will not come."""
    begun = threading.Event()

    def endless(inquiry: Inquiry) -> None:
        begun.set()
        while not inquiry.stop():
            time.sleep(0.001)
        raise Superseded

    def script(window: Window) -> None:
        journey.settle(window)
        monkeypatch.setattr(variants, "MAKE", endless)
        window.go("position")
        journey.wait(begun.is_set)
        assert any(card.waiting for card in window.page_stack.page.cards)
        window.actions_.by_name["stop"].trigger()
        journey.wait(lambda: not any(card.waiting for card in window.page_stack.page.cards))
        assert ZH("card.stopped") in {card.note.text() for card in window.page_stack.page.cards}

    journey.run(script)


def _heads(window: Window) -> str:
    """What the map of all heads says."""
    (picture,) = [card.picture for card in window.page_stack.page.cards if isinstance(card.picture, EffectMap)]
    return picture.told


def test_what_is_not_kept_is_said_once_and_tried_again(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full: what was kept stays, and all is kept when there is room again."""
    full, keep, tried = [True], Saved.keep, []

    def keep_where_there_is_room(saved: Saved, path: Path) -> None:
        if full[0]:
            tried.append(path)
            raise DiskFull(path=str(path))
        keep(saved, path)

    def script(window: Window) -> None:
        journey.settle(window)
        kept = remembered_path().read_bytes()
        monkeypatch.setattr(Saved, "keep", keep_where_there_is_room)
        window.sentences.source_edit.setText("保存不了")
        journey.wait(window.refusals.isVisible)
        assert window.refusals.text.text() == ZH("session.not_kept", reason=ZH.error(DiskFull(path=str(tried[0]))))
        window.refusals.dismiss.click()
        n_tried = len(tried)
        journey.wait(lambda: len(tried) > n_tried)
        assert not window.refusals.isVisible() and remembered_path().read_bytes() == kept
        full[0] = False
        journey.wait(lambda: read_saved(remembered_path()).state.wish.text == "保存不了")

    journey.run(script)


ENDING = """
import os, sys
from tests.turning import turn
from PySide6.QtWidgets import QApplication
from explorer.app.session.remembered import remembered_path
from explorer.engine.compute import Computer
from explorer.state.intents import SetText
from explorer.state.saved import read_saved
from explorer.cli.main import main
from explorer.app.shell import window as window_file
Window, whole = window_file.Window, Computer.__call__

def ends(self, request, *given):
    while request.wish.text == "要命的句子" and read_saved(remembered_path()).state.wish.text != "要命的句子":
        pass  # It is kept two seconds after it was typed.
    return os._exit(7) if request.wish.text == "要命的句子" else whole(self, request, *given)

def act():
    window, = [each for each in QApplication.topLevelWidgets() if isinstance(each, Window)]
    while not window.session.is_answered():
        turn()
    window.session.ask(SetText("要命的句子"))
    while True:
        turn()

if sys.argv[1] == "opening":
    window_file.LessonPanel = lambda: os._exit(7)  # The window itself ends the program.
Computer.__call__ = ends
QApplication.exec = staticmethod(act)
main(["gui", *sys.argv[2:]])
"""


@pytest.mark.parametrize("when", sweep(["typed", "opening"], telling=["opening"]))
def test_what_ended_the_program_is_not_opened_again(journey: Journey, when: str) -> None:
    """Neither what was typed after much else had been shown, nor what is left from before: it is said, and offered."""
    if when == "opening":
        Saved(state=State.from_preset("tiny", "要命的句子")).keep(remembered_path())
    asked = [] if when == "opening" else ["--preset", "tiny", "--text", "你好"]
    ended = subprocess.run([sys.executable, "-c", ENDING, when, *asked], check=False, capture_output=True, timeout=120)
    assert ended.returncode == 7, ended.stderr

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.session.state.wish.preset == DEFAULT and window.session.state.wish.text != "要命的句子"
        said = window.left_open.text.text()
        assert window.left_open.isVisible() and "要命的句子" in said and "没有打开" in said
        window.left_open.restore.click()
        assert window.session.state.wish.text == "要命的句子"

    journey.run_as_left(script, "--language", "zh")
    assert list(open_folder().glob("*.toml")) == []


def test_what_cannot_be_written_at_the_end_is_said(journey: Journey, capsys: pytest.CaptureFixture[str]) -> None:
    """And in the window where it still stands: preferences, what is set up, and how far somebody came in a lesson."""
    places = (config_folder() / "preferences.toml", remembered_path(), ticks_path())

    def script(window: Window) -> None:
        journey.settle(window)
        for path in places:
            path.unlink(missing_ok=True)
            path.mkdir()
        window.appearance.choose_theme("dark")
        assert "preferences.toml" in window.refusals.text.text()
        window.refusals.dismiss.click()
        window.actions_.by_name["lessons"].trigger()
        journey.wait(lambda: len(window.lessons.lessons) > 0)
        window.lessons.open("tour")
        journey.wait(lambda: ticks_path().name in window.refusals.text.text())
        window.sentences.source_edit.setText("另一句")

    journey.run(script, "gui")
    said = capsys.readouterr().err
    assert [path.name for path in places if str(path) not in said] == []
