"""The formats are declared once: a further one is a row of the table, and everything that exports knows it."""

import csv
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from explorer.app.shell.export_dialog import ExportDialog
from explorer.cli.main import main
from explorer.errors import UnknownFormat
from explorer.export import formats
from explorer.export.choice import Choice
from explorer.export.formats import FORMATS, Format, find, formats_of
from explorer.export.job import Export
from explorer.picture.makers.attention import head_map
from explorer.picture.tables import Table
from explorer.state.look import Look
from tests.picture.examples import SENTENCE, example, words

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WEIGHTS = "encoder.layers.0.self_attn.weights"


def _tabs(path: Path, tables: Sequence[Table]) -> None:
    """The numbers of the last table alone, with tabs between them."""
    np.savetxt(path, np.asarray(tables[-1].values), fmt="%.9g", delimiter="\t")


TABS = Format(name="tabs", write=_tabs)
DRAWN = Format(name="drawn", draw=lambda svg, path, pixels: path.write_text(f"{pixels.dpi} {svg}") and None, has_pixels=True)


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> None:
    """Drawing needs one, and Qt allows only one in a process."""


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two further formats, which no other file knows."""
    monkeypatch.setattr(formats, "FORMATS", (*FORMATS, TABS, DRAWN))


def _one_head(out: Path, name: str) -> Export:
    return Export(trace=example(), out=out, format=name, words=words(), choice=Choice(WEIGHTS, 1), dpi=50.0)


def _read(path: Path) -> np.ndarray:
    with path.open(encoding="utf-8", newline="") as file:
        return np.array([[np.float32(cell) for cell in row] for row in csv.reader(file, delimiter="\t")])


def test_what_is_not_declared_is_refused(tmp_path: Path) -> None:
    """So that the tests below say something: without its row in the table TABS is unknown everywhere."""
    with pytest.raises(UnknownFormat) as raised:
        list(_one_head(tmp_path / "a.tabs", "tabs").run())
    assert raised.value.values == {"name": "tabs", "known": ", ".join(formats.names())}
    assert main(["export", SENTENCE, "--preset", "tiny", "--tap", WEIGHTS, "--out", str(tmp_path / "a.tabs")]) == 2
    dialog = _dialog()
    assert dialog.format.findText("tabs") == -1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("declared")
def test_a_declared_format_can_be_exported_from_python(tmp_path: Path) -> None:
    """The numbers are the trace's; a figure gets its SVG and the size in pixels."""
    list(_one_head(tmp_path / "a.tabs", "tabs").run())
    np.testing.assert_array_equal(_read(tmp_path / "a.tabs"), example()[WEIGHTS][1])
    list(_one_head(tmp_path / "a.drawn", "drawn").run())
    assert (tmp_path / "a.drawn").read_text("utf-8").startswith("50.0 <svg")
    assert (tmp_path / "a.tabs.json").exists() and (tmp_path / "a.drawn.json").exists()


@pytest.mark.usefixtures("declared")
def test_a_declared_format_can_be_exported_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the file's name and by --format; and a wrong name is told that it is there."""
    asked = ["export", SENTENCE, "--preset", "tiny", "--tap", WEIGHTS, "--head", "1"]
    assert main([*asked, "--out", str(tmp_path / "a.tabs")]) == 0
    assert main([*asked, "--out", f"{tmp_path}/heads/", "--format", "TABS"]) == 0
    for made in (tmp_path / "a.tabs", tmp_path / "heads" / f"{WEIGHTS}.head1.tabs"):
        np.testing.assert_array_equal(_read(made), example()[WEIGHTS][1])
    assert main([*asked, "--out", str(tmp_path / "a.gif"), "--language", "en"]) == 2
    assert "safetensors, long.csv, tabs, drawn" in capsys.readouterr().err


def _dialog() -> ExportDialog:
    look = Look(head=1)
    return ExportDialog(example(), look, head_map(example(), look, words()), words())


@pytest.mark.usefixtures("declared")
def test_a_declared_format_can_be_exported_by_the_dialog(tmp_path: Path) -> None:
    """It is offered for what it can hold, with the controls that mean something to it, and it is written."""
    dialog = _dialog()
    dialog.format.setCurrentIndex(dialog.format.findText("tabs"))
    assert not dialog.dpi.isEnabled() and not dialog.theme.isEnabled()
    dialog.path.setText(str(tmp_path / "a.tabs"))
    list(dialog.job().run())
    np.testing.assert_array_equal(_read(tmp_path / "a.tabs"), example()[WEIGHTS][1])
    dialog.format.setCurrentIndex(dialog.format.findText("drawn"))
    assert dialog.dpi.isEnabled() and dialog.theme.isEnabled()
    dialog.what.setCurrentIndex(dialog.what.findData("all"))
    assert [dialog.format.itemText(place) for place in range(dialog.format.count())] == [
        each.name for each in formats.FORMATS if not each.is_figure
    ]


def test_the_dialog_shows_only_what_the_format_uses(qtbot: QtBot, tmp_path: Path) -> None:
    """A web page has neither dots nor paper, and its dialog had eight dead fields. The end of a long path can be read."""
    dialog = _dialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.format.setCurrentIndex(dialog.format.findText("png"))
    form = dialog.print_form
    assert dialog.dpi.isVisible() and dialog.theme.isVisible() and form.set_for.isVisible() and form.outlines.isVisible()
    assert not form.font_pt.isVisible()  # There is no paper.
    form.set_for.setCurrentIndex(form.set_for.findData("own"))
    assert form.font_pt.isVisible() and form.width_mm.isVisible() and form.caption.isVisible()
    dialog.what.setCurrentIndex(dialog.what.findData("page"))
    dead = dialog.dpi, dialog.width_px, dialog.theme, *form.widgets
    assert not [each for each in dead if each.isVisible()]
    assert dialog.path.width() >= 320
    dialog.path.setText(str(tmp_path / "a.html"))
    assert not dialog.show_folder.isVisible()
    dialog.start()
    qtbot.waitUntil(lambda: dialog.show_folder.isVisible(), timeout=30_000)


@pytest.mark.parametrize(
    ("chosen", "picked", "expected"),
    [("a", "SVG (*.svg)", "a.svg"), ("a.pdf", "SVG (*.svg)", "a.pdf"), ("a.v2", "SVG (*.svg)", "a.v2"), ("a", "", "a")],
)
def test_the_file_dialog_offers_each_format(
    chosen: str, picked: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One filter a format; the chosen one names the file where its name says nothing."""
    asked: list[tuple[str, str]] = []

    def ask(_parent: object, _title: str, _path: str, filters: str, selected: str) -> tuple[str, str]:
        asked.append((filters, selected))
        return str(tmp_path / chosen), picked

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    dialog = _dialog()
    dialog.choose.click()
    ((filters, selected),) = asked
    assert filters.split(";;") == [f"{each.name.upper()} (*.{each.name})" for each in FORMATS]
    assert selected == "PNG (*.png)"
    assert dialog.path.text() == str(tmp_path / expected)
    if Path(expected).suffix[1:] in formats.names():
        assert dialog.format.currentText() == Path(expected).suffix[1:]


def test_every_format_holds_figures_or_numbers_and_has_a_name_of_its_own() -> None:
    """What is neither drawn nor written could not be exported; what is both would not know which."""
    assert all([each.draw, each.page, each.write].count(None) == 2 for each in FORMATS)
    assert len(set(formats.names())) == len(FORMATS)
    assert set(formats_of(figure=True, numbers=False)) | set(formats_of(figure=False, numbers=True)) == set(FORMATS)
    assert not formats_of(figure=False, numbers=False)
    assert formats_of(figure=False, numbers=False, page=True) == (find("html", FORMATS),)


def test_a_format_is_found_by_its_name() -> None:
    """The very one, and only among those that are offered."""
    assert find("csv", FORMATS).name == "csv"
    with pytest.raises(UnknownFormat):
        find("csv", formats_of(figure=True, numbers=False))
    assert attrs.evolve(find("png", FORMATS), name="x").has_pixels


PROGRAM = """
import gc, sys
gc.disable()  # A third of the time to load torch and to end is the collector's.
from explorer.cli.main import main

heavy = {"PySide6", "fontTools", "safetensors", "numpy", "torch"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
from explorer.export import formats
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
for name in ("csv", "npz"):
    assert main(["export", "我", "--preset", "tiny", "--tap", "encoder.norm", "--out", f"{sys.argv[1]}/a.{name}"]) == 0
assert not {"PySide6", "fontTools"} & sys.modules.keys()
assert main(["export", "我", "--preset", "tiny", "--tap", "encoder.norm", "--out", f"{sys.argv[1]}/a.svg"]) == 0
assert "PySide6" not in sys.modules and "fontTools" in sys.modules
gc.freeze()
"""


def test_a_format_loads_what_it_needs_and_nothing_else(tmp_path: Path) -> None:
    """Neither Qt nor fontTools for numbers, no Qt for SVG, and none of them for the list of formats."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
