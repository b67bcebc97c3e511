"""The window with a model's files: settings, tensors, and each matrix as a picture, of a model that does not run."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from safetensors.numpy import save_file

from explorer.app.shell import files_reader
from explorer.app.shell.files_window import FilesWindow
from explorer.app.shell.filter_line import rows_of
from explorer.app.shell.notices import Refusals
from explorer.errors import EmptyText, FolderIsGone, Quantized, SeveralGguf, UnknownFamily
from explorer.lang import Words
from explorer.on_disk.stored_rows import matrix_reader
from explorer.picture.theme import DARK

RNG = np.random.default_rng(5)
TENSORS = {
    "a.weight": RNG.normal(size=(6, 5)).astype(np.float32),
    "b.experts": RNG.normal(size=(3, 4, 2)).astype(np.float32),
    "c.qweight": np.arange(6, dtype=np.int32).reshape(2, 3),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "strangeformer", "depth": 7}))
    save_file(TENSORS, tmp_path / "model.safetensors")
    return tmp_path


@pytest.fixture
def window(qtbot: QtBot) -> FilesWindow:
    parent = QWidget()
    parent.resize(1200, 800)
    qtbot.addWidget(parent)
    made = FilesWindow(parent)
    made.speak(Words.load("en"))
    return made


def drawn(window: FilesWindow) -> np.ndarray | None:
    """The numbers of the picture on screen."""
    return window.map.picture.values if window.map.isVisible() and window.map.picture is not None else None


def shows(window: FilesWindow, numbers: np.ndarray) -> bool:
    values = drawn(window)
    return values is not None and values.shape == numbers.shape and bool((values == numbers).all())


def test_each_matrix_is_drawn_and_what_is_packed_says_so(window: FilesWindow, folder: Path, qtbot: QtBot) -> None:
    """By keys: the arrows walk through the tensors, a box chooses one of several matrices."""
    window.look_into(str(folder))
    qtbot.waitUntil(lambda: shows(window, TENSORS["a.weight"]))
    assert '"strangeformer"' in window.reason.text() and window.reason.isVisible()
    assert [row.text(column) for row in rows_of(window.tensors)[:1] for column in range(4)] == [
        "a.weight",
        "F32",
        "6×5",
        "120 B",
    ]
    assert window.count.text() == "3 tensors, 240 B" and not window.box.isVisible()
    low = f"{TENSORS['a.weight'].min():.3g}".replace("-", "−")
    assert f"min {low} " in window.figures.text()
    QTest.keyClick(window.filter, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: shows(window, TENSORS["b.experts"][0]))
    assert window.box.isVisible() and window.box.maximum() == 2
    window.box.setValue(2)
    qtbot.waitUntil(lambda: shows(window, TENSORS["b.experts"][2]))
    QTest.keyClicks(window.filter, "i32")
    qtbot.waitUntil(lambda: "I32" in window.figures.text())
    assert drawn(window) is None and window.count.isVisible()
    window.speak(Words.load("zh"))
    assert "I32" in window.figures.text() and "张量" in window.count.text()
    window.set_theme(DARK)


def test_settings_stand_beside_the_tensors(window: FilesWindow, folder: Path, qtbot: QtBot) -> None:
    window.look_into(str(folder))
    qtbot.waitUntil(window.isVisible)
    window.parts.press("settings")
    assert [[row.text(0), row.text(1)] for row in rows_of(window.settings)] == [
        ["model_type", '"strangeformer"'],
        ["depth", "7"],
    ]
    QTest.keyClicks(window.filter, "depth")
    assert [row.isHidden() for row in rows_of(window.settings)] == [True, False]
    window.parts.press("tensors")
    window.filter.clear()
    qtbot.waitUntil(lambda: drawn(window) is not None)


def test_another_choice_and_closing_end_a_reading(
    window: FilesWindow, folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A matrix that is not read to its end is never drawn."""
    goes_on, ended = threading.Event(), list[str]()

    class Slow:
        def __init__(self, name: str) -> None:
            self.name = name

        def step(self) -> bool:
            goes_on.wait(0.01)
            if goes_on.is_set():
                ended.append(self.name)
            return goes_on.is_set()

        def found(self) -> None:
            return None

    def reader(tensor: object, number: int) -> object:
        name = tensor.parameter.name  # type: ignore[attr-defined]
        return Slow(name) if name == "a.weight" else matrix_reader(tensor, number)  # type: ignore[arg-type]

    monkeypatch.setattr(files_reader, "matrix_reader", reader)
    window.look_into(str(folder))
    qtbot.waitUntil(lambda: window.figures.text() == "Reading …")
    QTest.keyClick(window.filter, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: shows(window, TENSORS["b.experts"][0]))
    QTest.keyClick(window.filter, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: window.figures.text() == "Reading …")
    window.close()
    qtbot.waitUntil(lambda: not any(each.name == files_reader.THREAD for each in threading.enumerate()))
    assert ended == [] and drawn(window) is None


def test_a_refused_model_offers_its_files(qtbot: QtBot) -> None:
    """Not one whose files are gone or hold code, and no other refusal."""
    line = Refusals()
    qtbot.addWidget(line)
    line.speak(Words.load("en"))
    looked: list[str] = []
    line.looked.connect(looked.append)
    for error in (UnknownFamily(path="/m/a", family="x"), Quantized(path="/m/b", method="gptq")):
        line.tell(error)
        assert line.offer_button.isVisible()
        line.offer_button.click()
    assert looked == ["/m/a", "/m/b"]
    several = SeveralGguf(path="/m/a", count=2, found="…", example="/m/a/x.gguf")
    for other in (FolderIsGone(path="/m/c"), several, EmptyText()):
        line.tell(other)
        assert line.isVisible() and not line.offer_button.isVisible()
    line.dismiss.click()
    line.dismiss.click()
    line.dismiss.click()
    assert line.offer_button.isVisible()
