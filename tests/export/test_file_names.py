"""What a file of a picture is called, and what stands beside it of a changed pass."""

import json
from pathlib import Path

import attrs
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.shell.export_dialog import ExportDialog
from explorer.export.job import Export
from explorer.picture.kinds import Picture
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.changed import map_after, map_before, map_difference
from explorer.picture.makers.effects import effect_map, hidden_map, word_row
from explorer.picture.makers.lens import lens_map
from explorer.picture.makers.river import river
from explorer.picture.makers.why import account, part_removals
from explorer.state.look import Look
from explorer.trace.changes import Change
from explorer.trace.trace import Trace
from tests.picture.examples import example, words

LOOK = Look(attention="encoder.self_attn", layer=0, head=1)


def stem(trace: Trace, picture: Picture) -> str:
    """The name that the dialog suggests, without its suffix."""
    dialog = ExportDialog(trace, LOOK, picture, words("en"))
    return Path(dialog.path.text()).name.removesuffix(".png")


def test_a_file_is_called_by_what_the_picture_shows(qtbot: QtBot, qapp: QApplication) -> None:
    """The river is no attention map, and what explains a logit is not the logits; a map of one head names the head."""
    trace = example()
    whole, one = river(trace, LOOK, words()), head_map(trace, LOOK, words())
    assert whole is not None and one is not None

    assert stem(trace, whole) == "river"
    assert stem(trace, one) == "encoder.layers.0.self_attn.weights.head1"


@pytest.mark.parametrize(
    ("typed", "kept"), [("mine.png", "mine"), ("Figure 2.svg", "Figure 2"), ("a.v2", "a.v2"), ("x.long.csv", "x")]
)
def test_a_typed_name_stays(typed: str, kept: str, tmp_path: Path, qtbot: QtBot) -> None:
    """With the suffix of the format that is chosen next, and of whatever is chosen next; so does its folder."""
    trace = example()
    dialog = ExportDialog(trace, LOOK, head_map(trace, LOOK, words()), words("en"))
    qtbot.addWidget(dialog)
    suggested = Path(dialog.path.text()).name
    dialog.path.selectAll()
    QTest.keyClicks(dialog.path, str(tmp_path / typed))
    dialog.format.setCurrentText("pdf")
    assert dialog.path.text() == str(tmp_path / f"{kept}.pdf")
    dialog.what.setCurrentIndex(dialog.what.findData("wall"))
    assert dialog.path.text() == str(tmp_path / f"{kept}.pdf")
    dialog.what.setCurrentIndex(0)
    dialog.path.selectAll()
    QTest.keyClicks(dialog.path, str(tmp_path / suggested))
    dialog.what.setCurrentIndex(dialog.what.findData("all"))
    assert dialog.path.text() == str(tmp_path / f"trace.{dialog.format.currentText()}")  # Nothing but a folder was typed.


def test_the_pictures_of_a_page_have_names_of_their_own(qtbot: QtBot, qapp: QApplication) -> None:
    """Two files of one page that are saved one after the other do not replace each other."""
    named = [each.caption for each in _pictures()]
    assert len({caption.file_name for caption in named}) == len(named)
    assert all("*" not in caption.file_name for caption in named)


def _pictures() -> list[Picture]:
    trace = explorer.explore("我爱北京", "I love", preset="tiny", experiments=("effects", "why", "lens"))
    makers = (account, part_removals, lens_map, word_row, effect_map, hidden_map)
    made = [make(trace, LOOK, words()) for make in makers]
    return [each for each in made if each is not None]


def test_beside_a_file_of_before_or_after_stands_the_pass_without_changes(
    tmp_path: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    """Its words are read by both maps, so without them nobody could make the numbers again; a usual pass has none."""
    change = Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)
    trace = explorer.explore("我爱北京", "I love", preset="tiny", changes=[change], experiments=("unchanged",))
    for make in (map_before, map_after, map_difference):
        about = _about(trace, make(trace, LOOK, words()), tmp_path)
        assert about["changes"] == [change.to_dict()]
        assert about["unchanged"]["changes"] == [] and about["unchanged"]["target"] == "I love"
        assert about["unchanged"]["config"] == about["config"]
    assert _about(example(), head_map(example(), LOOK, words()), tmp_path)["unchanged"] is None


def _about(trace: Trace, picture: Picture | None, folder: Path) -> dict[str, object]:
    assert picture is not None
    list(Export(trace=trace, out=folder / "a.csv", format="csv", words=words(), picture=attrs.evolve(picture)).run())
    found: dict[str, object] = json.loads((folder / "a.csv.json").read_text("utf-8"))
    return found
