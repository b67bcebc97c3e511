"""The box of Open…: it lists the models of this machine, filters by what is typed, opens by Enter, and says why not."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell import open_box
from explorer.app.shell.filter_line import rows_of
from explorer.app.shell.open_box import OpenBox
from explorer.lang import Words
from explorer.on_disk.catalogue import ModelEntry
from explorer.on_disk.places import Place
from tests.foreign.models import write_model
from tests.on_disk.conftest import Home, home, write_plain

__all__ = ["home"]


@pytest.fixture
def box(qtbot: QtBot) -> OpenBox:
    window = QWidget()
    window.resize(1000, 700)
    qtbot.addWidget(window)
    made = OpenBox(window)
    made.speak(Words.load("en"))
    return made


def shown(box: OpenBox) -> list[str]:
    return [row.text(0) for row in rows_of(box.list) if not row.isHidden()]


def looked_into(box: OpenBox, n: int) -> bool:
    rows = rows_of(box.list)
    return len(rows) == n and all(row.text(4) not in ("", "…") for row in rows)


def test_models_are_listed_filtered_and_opened_by_keys(box: OpenBox, home: Home, qtbot: QtBot) -> None:
    """The arrows walk while the filter has the keys, Enter opens, and the box closes."""
    write_model(home.root / "hub" / "models--acme--opens" / "snapshots" / "abcdef0", "gpt2")
    home.download("acme/strange", model_type="strangeformer")
    home.pull("registry.ollama.ai/library/tiny/1b")
    chosen: list[str] = []
    box.chosen.connect(chosen.append)
    box.show_stored()
    qtbot.waitUntil(lambda: looked_into(box, 3))
    assert shown(box) == ["acme/opens", "acme/strange", "tiny:1b"]
    row = box.list.topLevelItem(0)
    assert row is not None and [row.text(column) for column in (1, 3, 4)] == ["gpt2 · safetensors", "Hugging Face", "opens"]
    assert not box.reason.isVisible()
    QTest.keyClick(box.filter, Qt.Key.Key_Down)
    assert '"strangeformer"' in box.reason.text() and box.reason.isVisible()
    box.speak(Words.load("zh"))
    assert "类型" in box.reason.text() or "种类" in box.reason.text()
    assert row.text(4) == "能打开"
    QTest.keyClicks(box.filter, "OLLAMA tin")
    assert shown(box) == ["tiny:1b"]
    QTest.keyClick(box.filter, Qt.Key.Key_Return)
    (path,) = chosen
    assert Path(path).parent == home.ollama / "blobs" and not box.isVisible()


def test_what_no_row_has_is_a_path_or_a_name(box: OpenBox, home: Home, qtbot: QtBot) -> None:
    chosen: list[str] = []
    box.chosen.connect(chosen.append)
    box.show_stored()
    qtbot.waitUntil(lambda: "none" in box.about.text())
    assert not box.opens.isEnabled()
    QTest.keyClick(box.filter, Qt.Key.Key_Return)
    assert chosen == [] and box.isVisible()
    QTest.keyClicks(box.filter, "acme/elsewhere")
    QTest.keyClick(box.filter, Qt.Key.Key_Return)
    assert chosen == ["acme/elsewhere"]


def test_a_folder_of_models_has_a_list_of_its_own(box: OpenBox, home: Home, qtbot: QtBot) -> None:
    """Opened again, the list stands there while it is made anew."""
    write_plain(home.root / "many" / "one", model_type="strangeformer")
    box.show_below(str(home.root / "many"))
    qtbot.waitUntil(lambda: looked_into(box, 1))
    assert str(home.root / "many") in box.about.text()
    box.close()
    box.show_below(str(home.root / "many"))
    assert shown(box) == ["one"] and looked_into(box, 1)
    box.show_stored()
    assert shown(box) == []


def test_enter_in_the_list_opens_once(box: OpenBox, home: Home, qtbot: QtBot) -> None:
    write_plain(home.root / "many" / "one", model_type="strangeformer")
    chosen: list[str] = []
    box.chosen.connect(chosen.append)
    box.show_below(str(home.root / "many"))
    qtbot.waitUntil(lambda: looked_into(box, 1))
    box.list.setFocus()
    QTest.keyClick(box.list, Qt.Key.Key_Return)
    assert chosen == [str(home.root / "many" / "one")]


def test_one_that_breaks_holds_up_no_other(box: OpenBox, home: Home, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported, and the others are looked into."""
    for name in "abc":
        write_plain(home.root / "many" / name, model_type="strangeformer")
    broke: list[object] = []
    box.cataloguer.broke.connect(broke.append)

    def look(place: Place) -> ModelEntry:
        if place.name == "b":
            raise RuntimeError(place.name)
        return ModelEntry(place, "", "", 0)

    monkeypatch.setattr(open_box, "entry_of", look)
    box.show_below(str(home.root / "many"))
    qtbot.waitUntil(lambda: [row.text(4) for row in rows_of(box.list)] == ["opens", "…", "opens"])
    assert len(broke) == 1


def test_the_buttons_ask_for_the_systems_dialogs(box: OpenBox, home: Home) -> None:
    asked: list[str] = []
    box.browses_file.connect(lambda: asked.append("file"))
    box.browses_folder.connect(lambda: asked.append("folder"))
    for button in (box.file, box.folder):
        box.show_stored()
        button.click()
        assert not box.isVisible()
    assert asked == ["file", "folder"]


def test_a_closed_box_looks_into_nothing_more(box: OpenBox, home: Home, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not into what it has just listed."""
    for name in "abcd":
        write_plain(home.root / "many" / name, model_type="strangeformer")
    looked: list[str] = []

    def look(place: Place) -> ModelEntry:
        looked.append(place.name)
        return ModelEntry(place, "", "", 0)

    monkeypatch.setattr(open_box, "entry_of", look)
    box.cataloguer.listed.connect(box.close)
    with qtbot.waitSignal(box.cataloguer.listed):
        box.show_below(str(home.root / "many"))
    assert looked == [] and not box.cataloguer.looks
