"""A figure for a paper from the window: one picture or the whole page, seen before it is written."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox

from explorer.app.pages.arranging import shown_cards
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.picture.cell_numbers import figures
from explorer.picture.figure.kinds import tables
from explorer.picture.kinds import Heatmap
from tests.journeys.conftest import Journey
from tests.journeys.test_shown_is_exported import read as read_numbers
from tests.picture.figure.printed import outside, read
from tests.sweeps import sweep


def _dialog(window: Window) -> ExportDialog:
    window.actions_.by_name["export"].trigger()
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ExportDialog) and w.isVisible()]
    return dialog


def _boxes(dialog: ExportDialog) -> tuple[QCheckBox, QCheckBox]:
    return dialog.print_form.has_caption, dialog.print_form.letters


def _attention(journey: Journey, window: Window) -> None:
    journey.settle(window)
    window.go("attention")
    journey.settle(window)


def _write(journey: Journey, dialog: ExportDialog, path: Path) -> None:
    dialog.path.setText(str(path))
    dialog.start()
    journey.wait(lambda: not dialog.running and dialog.begin.isEnabled() and path.exists())


@pytest.mark.parametrize("language", sweep(["zh", "en"], telling=["zh"]))
def test_the_whole_page_becomes_one_figure(journey: Journey, tmp_path: Path, language: str) -> None:
    """Exactly the figure of the preview, with every card of the page, and in its cells the numbers that are on screen."""

    def script(window: Window) -> None:
        window.resize(1440, 900)
        _attention(journey, window)
        cards = shown_cards(window.page_stack.page)
        dialog = _dialog(window)
        dialog.what.setCurrentIndex(dialog.what.findData("cards"))
        dialog.format.setCurrentText("svg")
        dialog.print_form.set_for.setCurrentIndex(dialog.print_form.set_for.findData("two_columns"))
        journey.wait(lambda: dialog.preview.settled)
        assert dialog.preview.shown is not None and dialog.preview.shown.wide == pytest.approx(180, abs=0.01)
        assert "180 × " in dialog.preview.about.text() and "pt" in dialog.preview.about.text()
        previewed = dialog.job().preview()
        _write(journey, dialog, tmp_path / "page.svg")
        assert (tmp_path / "page.svg").read_text("utf-8") == previewed
        printed = read(previewed)
        assert not outside(printed)
        letters = {f"({letter})" for letter in "abc"}
        assert letters <= {line.text for line in printed.lines}
        about = json.loads((tmp_path / "page.svg.json").read_text("utf-8"))
        assert {each["tap"] for each in about["pictures"]} == {card.picture.caption.tap for card in cards if card.picture}
        assert {each["letter"] for each in about["pictures"]} == letters
        (shown,) = [card.picture for card in cards if isinstance(card.picture, Heatmap)]
        inside = {line.text for line in printed.lines}
        assert {next(iter(figures(float(value)))) for value in shown.values.ravel()} <= inside
        dialog.reject()

    journey.run(script, "--language", language)


def test_every_card_of_the_page_is_offered_the_one_in_hand_first(journey: Journey, tmp_path: Path) -> None:
    """Another card's numbers are written as it shows them, whichever card was touched."""

    def script(window: Window) -> None:
        window.resize(1440, 900)
        _attention(journey, window)
        cards = shown_cards(window.page_stack.page)
        cards[-1].touched.emit(cards[-1])
        dialog = _dialog(window)
        offered = [dialog.what.itemText(place) for place in range(dialog.what.count())]
        titles = [card.picture.caption.title for card in (cards[-1], *cards[:-1]) if card.picture is not None]
        assert offered[0] == titles[0] and offered[2 : 1 + len(titles)] == titles[1:]
        dialog.what.setCurrentIndex(2)
        dialog.format.setCurrentText("npz")
        assert not dialog.print_form.set_for.isEnabled()
        _write(journey, dialog, tmp_path / "first.npz")
        assert cards[0].picture is not None
        found = read_numbers(tmp_path / "first.npz")
        for table in tables(cards[0].picture):
            np.testing.assert_array_equal(found[table.name], table.values)
        dialog.reject()

    journey.run(script)


def test_a_figure_that_does_not_fit_is_told_and_the_last_preview_stays(journey: Journey) -> None:
    """The river needs two columns; the sentence says how wide, and a wider figure takes it away."""

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = _dialog(window)
        journey.wait(lambda: dialog.preview.settled)
        before = dialog.preview.shown
        assert before is not None
        form = dialog.print_form
        form.set_for.setCurrentIndex(form.set_for.findData("one_column"))
        journey.wait(lambda: "mm" in dialog.preview.about.text())
        assert "88 mm" in dialog.preview.about.text() and dialog.preview.shown is before
        form.set_for.setCurrentIndex(form.set_for.findData("two_columns"))
        journey.wait(lambda: dialog.preview.shown is not before)
        dialog.what.setCurrentIndex(dialog.what.findData("all"))
        assert dialog.preview.shown is None  # Numbers have no preview.
        dialog.reject()

    journey.run(script)


def test_a_refusal_stands_once_in_the_dialog(journey: Journey) -> None:
    """Whoever tells it first, the preview or the export."""

    def script(window: Window) -> None:
        journey.settle(window)
        dialog = _dialog(window)
        form = dialog.print_form
        form.set_for.setCurrentIndex(form.set_for.findData("one_column"))
        dialog.start()  # The preview is not drawn yet.
        journey.wait(lambda: not dialog.running and dialog.begin.isEnabled() and "88 mm" in dialog.preview.about.text())
        assert dialog.message.text() == ""
        dialog.start()
        journey.wait(lambda: not dialog.running and dialog.begin.isEnabled())
        assert dialog.message.text() == "" and "88 mm" in dialog.preview.about.text()
        dialog.reject()

    journey.run(script)


def test_a_whole_page_for_the_screen_says_what_it_has(journey: Journey) -> None:
    """Its caption and its letters can be left out, and the boxes show what will be done; its file is called by the page."""

    def script(window: Window) -> None:
        window.resize(1440, 900)
        _attention(journey, window)
        dialog = _dialog(window)
        form = dialog.print_form
        assert form.has_caption.isChecked() and not form.has_caption.isEnabled()  # A picture alone has its title.
        assert not form.letters.isChecked() and not form.letters.isEnabled()  # It has no letter.
        ticked, empty = (box.grab(QRect(4, box.height() // 2 + 5, 1, 1)).toImage().pixelColor(0, 0) for box in _boxes(dialog))
        assert ticked != empty  # One sees which is ticked, though neither can be changed.
        dialog.what.setCurrentIndex(dialog.what.findData("cards"))
        assert Path(dialog.path.text()).name == "attention.png"
        assert form.has_caption.isChecked() and form.letters.isChecked()
        whole = {line.text for line in read(dialog.job().preview()).lines}
        assert {"(a)", "(b)", "(c)"} <= whole
        journey.wait(lambda: dialog.preview.settled)
        assert "2381 × " in dialog.preview.about.text() and "mm" not in dialog.preview.about.text()  # No paper is meant.
        form.letters.click()
        form.has_caption.click()
        assert not form.caption.isEnabled() and not form.letters.isChecked()
        bare = {line.text for line in read(dialog.job().preview()).lines}
        assert "(a)" not in bare and not any(text.startswith("(a)") for text in bare) and bare < whole
        dialog.what.setCurrentIndex(0)
        assert form.has_caption.isChecked() and dialog.job().printed is None
        dialog.what.setCurrentIndex(dialog.what.findData("cards"))
        assert not form.has_caption.isChecked() and not form.letters.isChecked()
        assert json.loads(form.memory)["caption"] is False
        dialog.reject()

    journey.run(script)


def test_how_figures_are_set_is_kept_between_starts(journey: Journey) -> None:
    """By keys alone: the column, a switch and the size of letters; the caption's own text belongs to one figure."""

    def choose(window: Window) -> None:
        journey.settle(window)
        dialog = _dialog(window)
        form = dialog.print_form
        assert form.set_for.currentData() == "screen" and not form.font_pt.isEnabled()
        form.set_for.setFocus()
        QTest.keyClick(form.set_for, Qt.Key.Key_Down)
        assert form.set_for.currentData() == "one_column" and form.font_pt.isEnabled() and dialog.dpi.value() == 300
        QTest.keyClick(form.set_for, Qt.Key.Key_Tab)
        assert dialog.focusWidget() is form.font_pt
        form.font_pt.selectAll()
        QTest.keyClicks(form.font_pt, "7")
        QTest.keyClick(form.font_pt, Qt.Key.Key_Tab)
        assert dialog.focusWidget() is form.has_caption
        QTest.keyClick(form.has_caption, Qt.Key.Key_Tab)
        QTest.keyClicks(form.caption, "mine")
        QTest.keyClick(form.caption, Qt.Key.Key_Tab)
        assert dialog.focusWidget() is form.outlines
        QTest.keyClick(form.outlines, Qt.Key.Key_Space)
        dialog.reject()

    def again(window: Window) -> None:
        journey.settle(window)
        dialog = _dialog(window)
        form = dialog.print_form
        assert (form.set_for.currentData(), form.font_pt.value(), form.width_mm.value()) == ("one_column", 7.0, 88.0)
        assert form.outlines.isChecked() and form.caption.text() == ""
        assert dialog.job().printed is not None and dialog.job().outlines
        dialog.reject()

    journey.run(choose)
    journey.run(again)


@pytest.mark.parametrize("memory", ["", "[]", "{", '{"set_for": 3, "width_mm": "x", "font_pt": 99, "letters": null}'])
def test_a_memory_that_is_damaged_is_left_alone(journey: Journey, memory: str) -> None:
    """The dialog opens as at the first time."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.saving.memory = memory
        dialog = _dialog(window)
        form = dialog.print_form
        assert (form.set_for.currentData(), form.font_pt.value(), form.width_mm.value()) == ("screen", 8.0, 88.0)
        assert dialog.job().printed is None
        dialog.reject()

    journey.run(script)


def test_the_dialog_fits_a_small_window(journey: Journey) -> None:
    """1024 × 700, with every row in sight."""

    def script(window: Window) -> None:
        window.resize(1024, 700)
        journey.settle(window)
        dialog = _dialog(window)
        assert dialog.width() <= 1024 and dialog.height() <= 700
        assert dialog.minimumSizeHint().width() <= 1000 and dialog.minimumSizeHint().height() <= 660
        dialog.reject()

    journey.run(script)
