"""Every kind of file and folder, opened by a drop, by keys in the box of Open…, and by the command line alone."""

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.app.shell.window import Window
from explorer.state.intents import SetPreset
from explorer.state.state import State
from tests.dragging import drop
from tests.foreign.models import write_model
from tests.foreign.test_adapter import LLAMA, matrices, write_adapter
from tests.journeys.conftest import Journey
from tests.on_disk.conftest import Home, home
from tests.trace.files.test_recorded_file import written

__all__ = ["home"]
LESSON = 'group = "a"\n[title]\nzh = "一课"\nen = "A lesson"\n[[step]]\nzh = "一"\nen = "one"\n'


def made(home: Home) -> dict[str, Path]:
    """A path of each kind; the adapter's base is in the cache."""
    root = home.root / "files"
    root.mkdir()
    base = home.hub / "models--acme--base" / "snapshots" / "abcdef0"
    write_model(base, "llama")
    session, lesson = root / "a.explorer.toml", root / "own.lesson.toml"
    State.from_preset("tutorial-c", "二").save(session)
    lesson.write_text(LESSON, encoding="utf-8")
    write_model(root / "many" / "gpt2", "gpt2")
    return {
        "session": session,
        "lesson": lesson,
        "recorded": written(root, "safetensors"),
        "model": root / "many" / "gpt2",
        "adapter": write_adapter(root / "lora", matrices(LLAMA), base_model_name_or_path="acme/base"),
        "models": root / "many",
    }


def is_open(window: Window, kind: str, paths: dict[str, Path], home: Home) -> bool:
    """Whether the window shows what was asked for."""
    wish = window.session.state.wish
    match kind:
        case "session":
            return wish.text == "二" and window.sessions.file.path == paths[kind]
        case "lesson":
            return window.lessons.lesson is not None and window.lessons.lesson.key == "own"
        case "models":
            return window.open_box.isVisible() and window.open_box.list.topLevelItemCount() == 1
        case "adapter":
            return wish.adapter == str(paths[kind]) and Path(wish.preset).is_relative_to(home.hub)
        case _:
            return wish.preset == str(paths[kind])


def test_each_is_opened_by_a_drop_and_by_keys(journey: Journey, home: Home) -> None:
    """The same for both; the models of the folder stand in the box, and Enter opens the first of them."""
    paths = made(home)

    def script(window: Window) -> None:
        journey.settle(window)
        for kind, path in paths.items():
            drop(window, path)
            journey.wait(lambda kind=kind: is_open(window, kind, paths, home))  # type: ignore[misc]
            if kind not in ("models", "lesson"):
                journey.settle(window)
        journey.wait(lambda: "gpt2" in window.open_box.list.topLevelItem(0).text(1))  # type: ignore[union-attr]
        QTest.keyClick(window.open_box.filter, Qt.Key.Key_Return)
        journey.wait(lambda: is_open(window, "model", paths, home))
        journey.settle(window)
        assert window.session.frame is not None and window.session.frame.trace.card.family == "gpt2"
        for kind in ("session", "recorded", "adapter", "models"):
            window.session.ask(SetPreset("tiny"))
            window.activateWindow()
            journey.wait(window.isActiveWindow)
            QTest.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
            journey.wait(window.open_box.isVisible)
            QTest.keyClicks(window.open_box.filter, str(paths[kind]))
            assert window.open_box.filter.text() == str(paths[kind])
            QTest.keyClick(window.open_box.filter, Qt.Key.Key_Return)
            journey.wait(lambda kind=kind: is_open(window, kind, paths, home))  # type: ignore[misc]
            if kind != "models":
                journey.wait(lambda: not window.open_box.isVisible())
                journey.settle(window)
        assert not window.refusals.isVisible()

    journey.run(script)


def test_a_model_of_the_cache_is_opened_from_the_list(journey: Journey, home: Home) -> None:
    """Typed a part of its name, Enter; one that cannot be opened says why in the list and above the pages."""
    made(home)
    home.download("acme/strange", model_type="strangeformer")

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["open_any"].trigger()
        box = window.open_box
        journey.wait(lambda: box.list.topLevelItemCount() == 2)
        QTest.keyClicks(box.filter, "strange")
        journey.wait(lambda: "strangeformer" in box.reason.text())
        QTest.keyClick(box.filter, Qt.Key.Key_Return)
        journey.wait(lambda: "strangeformer" in window.refusals.text.text())
        assert window.session.state.wish.preset == "tiny"
        window.refusals.offer_button.click()
        journey.wait(lambda: window.files_window.map.isVisible() and window.files_window.map.picture is not None)
        assert "strangeformer" in window.files_window.reason.text() and window.files_window.tensors.topLevelItemCount() == 2
        window.files_window.close()
        window.actions_.by_name["open_any"].trigger()
        QTest.keyClicks(box.filter, "base")
        QTest.keyClick(box.filter, Qt.Key.Key_Return)
        journey.wait(lambda: window.session.state.wish.preset.startswith(str(home.hub)))
        journey.settle(window)
        assert not window.refusals.isVisible() and window.header.presets.currentText() == "acme/base"

    journey.run(script)


@pytest.mark.parametrize("kind", ["session", "recorded", "model", "adapter", "models", "lesson"])
def test_each_is_opened_by_the_command_line_alone(kind: str, journey: Journey, home: Home) -> None:
    paths = made(home)

    def script(window: Window) -> None:
        journey.wait(lambda: is_open(window, kind, paths, home))
        if kind != "models":
            journey.settle(window)
        assert not window.refusals.isVisible()

    journey.run_as_left(script, str(paths[kind]))


def test_a_model_is_opened_by_the_name_that_a_cache_has(journey: Journey, home: Home) -> None:
    """And an adapter whose base is nowhere says which model it needs."""
    paths = made(home)
    settings = paths["adapter"] / "adapter_config.json"

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.header.presets.currentText() == "acme/base"
        window.session.ask(SetPreset("tiny"))
        shutil.rmtree(home.hub)
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"base_model_name_or_path": "acme/gone"}))
        drop(window, paths["adapter"])
        journey.wait(lambda: "acme/gone" in window.refusals.text.text())
        journey.settle(window)
        assert window.session.state.wish.preset == "tiny"

    journey.run_as_left(script, "acme/base")
