"""The window of a scan: its map of means, and the list of heads beside it."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell.scan_window import ScanWindow
from explorer.lang import LANGUAGES, Words
from explorer.picture.makers.scan_map import map_rows
from explorer.picture.theme import DARK, LIGHT
from explorer.trace.measures.scan_sums import WHOLE, ScanPart, best_texts, summed
from explorer.trace.measures.scan_table import ScanTable

TEXTS = ("one", "two", "three")
LEFT = Qt.MouseButton.LeftButton


def a_table() -> ScanTable:
    """Entropies of two attentions, effects with both signs, and a measure of whole sentences."""
    rng, rows = np.random.default_rng(0), np.arange(3)
    values = {
        ("encoder.self_attn", "entropy"): rng.random((3, 2, 4)),
        ("decoder.cross_attn", "entropy"): rng.random((3, 3, 2)),
        ("decoder.self_attn", "effect"): rng.standard_normal((3, 2, 4)),
        (WHOLE, "probability"): rng.random((3, 1, 1)),
    }
    values["encoder.self_attn", "entropy"][:, 1, 3] = np.nan
    sums = {key: summed(each, rows, key[1], 2) for key, each in values.items()}
    texts = best_texts(sums, dict(enumerate(TEXTS)))
    return ScanTable(about={"preset": "tiny", "best": 2}, part=ScanPart(n_rows=3, sums=sums, texts=texts))


@pytest.fixture(params=LANGUAGES)
def shown(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[ScanWindow]:
    around = QWidget()
    qtbot.addWidget(around)
    window = ScanWindow(around, Words.load(request.param))
    window.set_theme(LIGHT)
    window.put(a_table(), "heads.json")
    window.show()
    yield window  # Its parent lives as long.
    around.close()


def test_the_map_has_the_mean_of_each_head_and_its_deviation(shown: ScanWindow) -> None:
    """A row for each attention and layer; heads that a side lacks, or that were never measured, are no numbers."""
    table, picture = shown.table, shown.map.picture
    assert table is not None and picture is not None
    rows = map_rows(table, "entropy")
    assert len(rows) == 5 and picture.values.shape == (5, 4)
    for place, (attention, layer) in enumerate(rows):
        own = table.mean(attention, "entropy")[layer]
        np.testing.assert_allclose(picture.values[place, : len(own)], own, rtol=1e-6)
        assert np.isnan(picture.values[place, len(own) :]).all()
    assert not picture.scale.centred and "±" in shown.map.describe(0, 0).text


def test_a_click_on_the_map_chooses_the_head(shown: ScanWindow) -> None:
    """The list scrolls to it, its sentences stand beside it, and the map marks it."""
    table = shown.table
    assert table is not None
    place = map_rows(table, "entropy").index(("decoder.cross_attn", 2))
    QTest.mouseClick(shown.map, LEFT, pos=shown.map.cell_rect(place, 1).center().toPoint())
    head = shown.heads.chosen()
    assert head is not None and (head.attention, head.layer, head.head) == ("decoder.cross_attn", 2, 1)
    assert shown.sentences.count() == 2 and head.best[0].text in shown.sentences.item(0).toolTip()
    picture = shown.map.picture
    assert picture is not None and (picture.chosen_row, picture.chosen_column) == (place, 1)


def test_effects_have_both_signs_and_whole_sentences_no_map(shown: ScanWindow) -> None:
    """Zero has the middle colour; a measure of sentences shows its one row alone."""
    shown.measure.setCurrentIndex(shown.measure.findData("effect"))
    assert shown.map.picture is not None and shown.map.picture.scale.centred
    shown.measure.setCurrentIndex(shown.measure.findData("probability"))
    assert not shown.map.isVisible() and shown.heads.count() == 1
    shown.set_theme(DARK)
    shown.measure.setCurrentIndex(shown.measure.findData("entropy"))
    assert shown.map.isVisible()
