"""What each change would do, what changes break most, and the card of it, as a user meets them."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

import explorer
from explorer.app.pages.break_button import BreakButton
from explorer.app.pages.break_finder import BreakFinder
from explorer.app.pages.change_page import ChangePage
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.cli.breaking import read_alterations
from explorer.engine.errand import TryAll
from explorer.state.change_intents import AddChanges
from explorer.state.intents import SetKnob, SetPreset, SetText
from explorer.trace.changes import Change
from explorer.views.controls.outcome_row import OutcomeRow
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

SENTENCE = "她给了我一本书。"
LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 90_000  # ms; twenty translations on one thread, on a machine that may be busy
THREE = "我不会说法语，也不会说德语。\n她给了我一本书。\n他吃。\n我没听懂。\n这辆车很容易操控。\n"
OFF = [
    Change(f"decoder.layers.{layer}.cross_attn.mixed", "scale", head=head, value=0.0)
    for layer, head in ((1, 0), (0, 1), (1, 2))
]


def change_page(journey: Journey, window: Window) -> ChangePage:
    window.go("change")
    journey.settle(window)
    page = window.page_stack.page
    assert isinstance(page, ChangePage)
    return page


def errands_of(page: ChangePage) -> list[TryAll]:
    """What the page asks for from now on, the newest last."""
    sent: list[TryAll] = []
    page.list.sent.connect(sent.append)
    return sent


def every_row(page: ChangePage) -> list[OutcomeRow]:
    each = page.list
    rows = (*each.breaks.values(), *each.rows.rows, *each.hide_words.rows, *each.switch_heads.rows)
    return [row for row in rows if row.isVisible()]


def said(page: ChangePage) -> bool:
    """Whether every row has said what it does."""
    return all(row.outcome is not None and not row.outcome.pending for row in every_row(page))


def test_every_row_says_beforehand_what_follows(journey: Journey) -> None:
    """The translation that it announces is the one that comes, and a screen reader hears it."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        journey.wait(lambda: said(page), PATIENCE_MS)
        row = page.list.breaks["position"]
        assert row.outcome is not None and row.outcome.translation == "I gave her a book."
        assert row.outcome.hit.startswith("She") and len(row.outcome.cells) == 7
        assert "I gave her a book." in row.switch.accessibleDescription() and row.switch.accessibleName()
        hidden = page.list.hide_words.rows[0]
        assert hidden.outcome is not None and hidden.outcome.cells[0] < -4 and "她" in hidden.switch.accessibleName()
        assert "×34" in page.list.breaks["residual"].outcome.translation
        assert page.list.breaks["score_scaling"].outcome.none

        QTest.mouseClick(row.switch, LEFT)
        journey.settle(window)
        assert window.session.frame.trace.target == "I gave her a book."
        journey.wait(lambda: said(page), PATIENCE_MS)
        assert row.outcome.translation == "I gave her a book."  # On, it says what it does alone …
        assert page.list.hide_words.rows[0].outcome.cells != hidden.outcome.cells or hidden.outcome.pending is False
        assert window.appearance.words("change.says_more") == page.list.says.text()
        window.actions_.by_name["undo"].trigger()
        journey.settle(window)
        assert said(page)  # … and what was known before undo is known at once.
        assert page.list.says.text() == window.appearance.words("change.says")

    journey.run(script, "--preset", "translator", "--text", SENTENCE)


def test_a_keystroke_goes_before_what_rows_say(journey: Journey) -> None:
    """The new sentence is answered, and its rows speak of it alone."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        window.session.ask(SetText("他在图书馆看书。"))
        journey.settle(window)
        assert window.session.frame.trace.source == "他在图书馆看书。"
        journey.wait(lambda: said(page), PATIENCE_MS)
        row = page.list.breaks["score_scaling"]
        assert row.outcome is not None and row.outcome.translation == window.session.frame.trace.target
        sent = errands_of(page)
        window.go("attention")
        journey.settle(window)
        assert sent[-1].n_pieces == 0  # Nothing is found out while nobody sees it.
        window.go("change")
        journey.settle(window)
        assert sent[-1].n_pieces > 0 and said(page)  # What was known is there at once.

    journey.run(script, "--preset", "translator", "--text", SENTENCE)


def test_a_text_too_long_says_why_the_rows_are_silent(journey: Journey) -> None:
    """And a large model offers to find out all the same."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        sent = errands_of(page)
        window.session.ask(SetText("他吃。"))
        journey.wait(lambda: bool(sent) and said(page), PATIENCE_MS)
        from explorer.engine.errand import Brought
        from explorer.errors import SlowToTry

        errand = sent[-1]
        page.bring(Brought(errand, 0, SlowToTry(seconds=7)))
        assert "7" in page.list.says.text() and page.list.anyway.isVisible()
        assert all(row.outcome is None for row in every_row(page))
        QTest.mouseClick(page.list.anyway, LEFT)
        assert not page.list.anyway.isVisible() and sent[-1].anyway
        journey.wait(lambda: said(page), PATIENCE_MS)
        page.bring(Brought(errand, 0, SlowToTry(seconds=7)))  # It belongs to an older errand.
        assert said(page)

    journey.run(script)


def test_own_changes_are_dragged_into_another_order(journey: Journey) -> None:
    """By the mouse or by the arrow keys; each time is one step of undo."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        for change in OFF:
            window.session.ask(AddChanges((change,)))
        journey.settle(window)
        rows = page.list.rows
        assert [row.grip.isVisible() for row in rows.rows] == [True] * 3

        grip = rows.rows[2].grip
        QTest.mousePress(grip, LEFT)
        for place in (rows.rows[1], rows.rows[0]):
            QTest.mouseMove(grip, grip.mapFromGlobal(place.mapToGlobal(QPoint(5, 1))))
        assert rows.line.isVisible()
        QTest.mouseRelease(grip, LEFT)
        assert list(window.session.state.wish.changes) == [OFF[2], OFF[0], OFF[1]] and not rows.line.isVisible()
        window.actions_.by_name["undo"].trigger()
        assert list(window.session.state.wish.changes) == OFF

        QTest.mousePress(rows.rows[0].grip, LEFT)
        QTest.mouseMove(rows.rows[0].grip, rows.rows[0].grip.mapFromGlobal(rows.mapToGlobal(QPoint(5, rows.height() - 1))))
        QTest.keyClick(rows.rows[0].grip, Qt.Key.Key_Escape)
        QTest.mouseRelease(rows.rows[0].grip, LEFT)
        assert list(window.session.state.wish.changes) == OFF and not rows.line.isVisible()

        rows.rows[0].grip.setFocus()
        QTest.keyClick(rows.rows[0].grip, Qt.Key.Key_Up)  # It stands at the top already.
        assert list(window.session.state.wish.changes) == OFF
        QTest.keyClick(rows.rows[0].grip, Qt.Key.Key_Down)
        assert list(window.session.state.wish.changes) == [OFF[1], OFF[0], OFF[2]]
        assert all(row.grip.accessibleName() and row.remove.accessibleName() for row in rows.rows)
        QTest.mouseClick(rows.rows[0].remove, LEFT)
        assert list(window.session.state.wish.changes) == [OFF[0], OFF[2]]
        journey.settle(window)

    journey.run(script)


def finder_of(window: Window, page: ChangePage) -> BreakFinder:
    QTest.mouseClick(page.find_button, LEFT)
    finder = page.find_button.finder
    assert finder is not None and finder.isVisible()
    return finder


def test_the_search_says_so_without_a_change(journey: Journey) -> None:
    """Nothing is searched, and Escape closes it."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        finder = finder_of(window, page)
        assert finder.rate.text() == window.appearance.words("error.nothing_changed")
        assert not finder.searching and not finder.stop.isEnabled()
        QTest.keyClick(finder, Qt.Key.Key_Escape)
        assert not finder.isVisible()

    journey.run(script, "--preset", "translator", "--text", SENTENCE)


def test_the_search_names_places_and_not_the_words_of_one_sentence(journey: Journey) -> None:
    """In other sentences the same place holds another word, so the search must not speak of this one's."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        hidden = tuple(Change(f"decoder.layers.{layer}.cross_attn.masked", "close", columns=(0,)) for layer in range(3))
        window.session.ask(AddChanges(hidden))
        journey.settle(window)
        finder = finder_of(window, page)
        assert "#0" in finder.changes.text() and "她" not in finder.changes.text()
        finder.close()

    journey.run(script, "--preset", "translator", "--text", SENTENCE)


def test_a_language_model_has_no_search(journey: Journey) -> None:
    """It writes no translation that could change; the button says so, and what is suggested leaves no gap."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        assert not page.find_button.isEnabled()
        assert page.find_button.toolTip() == window.appearance.words("error.writes_nothing")
        shown = [button for button in page.suggestions.buttons.values() if button.isVisible()]
        assert len(shown) == 3 and page.suggestions.buttons["hide"].isHidden()
        first, second, third = (button.geometry() for button in shown)
        assert first.top() == second.top() < third.top() and third.right() == second.right()
        window.session.ask(SetPreset("translator"))
        journey.settle(window)
        assert page.find_button.isEnabled() and page.suggestions.buttons["hide"].isVisible()
        assert page.find_button.toolTip() == window.appearance.words("breaks.find_about")

    journey.run(script, "--preset", "language-model", "--text", SENTENCE)


def test_a_find_is_put_into_the_box(journey: Journey, tmp_path: Path) -> None:
    """Rows come sorted with the base rate; Escape stops the search; a click takes a sentence, and undo gives it back."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        window.session.ask(SetKnob("position", "none"))
        journey.settle(window)
        finder = finder_of(window, page)
        journey.wait(lambda: len(finder.breaks) >= 2, PATIENCE_MS)
        assert finder.searching and finder.stop.text() == window.appearance.words("breaks.stop")
        QTest.keyClick(finder, Qt.Key.Key_Escape)
        assert not finder.searching and finder.isVisible()
        seen = len(finder.breaks)
        assert str(seen) in finder.rate.text() and finder.progress.value() == finder.progress.maximum() == seen

        (tmp_path / "own.txt").write_text(THREE, encoding="utf-8")
        finder.take_file(tmp_path / "own.txt")
        journey.wait(lambda: len(finder.breaks) == 5, PATIENCE_MS)
        rows = finder.rows.found()
        scores = [one.score for one in rows]
        assert scores == sorted(scores, reverse=True) and len(rows) >= 2
        changed = sum(one.changed for one in finder.breaks.tried)
        assert f"{changed}" in finder.rate.text() and f"{changed / 5:.0%}"[:-1] in finder.rate.text()
        assert not finder.searching and finder.stop.text() == window.appearance.words("breaks.again")
        told = finder.rows.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert rows[0].source in told and rows[0].after in told

        place = finder.rows.visualItemRect(finder.rows.item(0)).center()
        QTest.mouseClick(finder.rows.viewport(), LEFT, pos=place)
        journey.settle(window)
        assert window.session.frame.trace.source == rows[0].source == window.sentences.source_edit.text()
        assert window.session.frame.trace.target == rows[0].after
        window.actions_.by_name["undo"].trigger()
        journey.settle(window)
        assert window.session.frame.trace.source == SENTENCE

        finder.take_file(tmp_path / "nothing.txt")
        assert finder.left_out.isVisible() and finder.left_out.text()
        window.appearance.switch_language()
        assert finder.title.text() == "Sentences it breaks most"
        window.appearance.choose_theme("dark")
        assert finder.rows.painter_.theme.name == "dark" and not finder.grab().isNull()
        window.go("attention")
        assert not finder.isVisible()

    journey.run(script, "--preset", "translator", "--text", SENTENCE)


NEEDING = {"position": "她不喜欢他。", "masks": "我确定是她。"}


@pytest.mark.parametrize(("page", "knob", "value"), [("position", "position", "none"), ("masks", "causal_mask", False)])
def test_a_demonstration_finds_its_own_sentence(journey: Journey, tmp_path: Path, page: str, knob: str, value: object) -> None:
    """Nothing is altered before; a find is shown as it was found, with the knob turned, and one undo brings back what was."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go(page)
        journey.settle(window)
        before = window.session.state.wish
        (button,) = window.page_stack.page.findChildren(BreakButton)
        QTest.mouseClick(button, LEFT)
        finder = button.finder
        assert finder is not None and finder.searching and finder.changes.text()
        (tmp_path / "own.txt").write_text(NEEDING[page], encoding="utf-8")
        finder.take_file(tmp_path / "own.txt")
        journey.wait(lambda: not finder.searching, PATIENCE_MS)
        assert window.session.state.wish == before
        (found,) = finder.rows.found()
        assert found.source == NEEDING[page] and found.before != found.after
        QTest.mouseClick(finder.rows.viewport(), LEFT, pos=finder.rows.visualItemRect(finder.rows.item(0)).center())
        journey.settle(window)
        trace = window.session.frame.trace
        assert (trace.source, trace.target) == (found.source, found.after)
        assert window.session.state.wish.config.values()[knob] == value
        window.actions_.by_name["undo"].trigger()
        assert window.session.state.wish == before

    journey.run(script, "--preset", "translator", "--text", SENTENCE)


@pytest.mark.parametrize("format_", sweep(["png", "svg"], telling=["png"]))
def test_the_card_is_saved_and_read_back(journey: Journey, tmp_path: Path, format_: str) -> None:
    """1200 × 630, with the sentence in words; the JSON beside it gives the same translation again."""

    def script(window: Window) -> None:
        page = change_page(journey, window)
        assert not page.save_button.isEnabled()
        window.session.ask(SetKnob("position", "none"))
        window.session.ask(AddChanges((OFF[0],)))
        journey.settle(window)
        QTest.mouseClick(page.save_button, LEFT)
        box = page.postcard_box
        assert box is not None and box.isVisible() and SENTENCE in box.view.accessibleDescription()
        QTest.mouseClick(box.to_file, LEFT)
        (dialog,) = window.findChildren(ExportDialog)
        dialog.format.setCurrentIndex(dialog.format.findText(format_))
        out = tmp_path / f"card.{format_}"
        dialog.path.setText(str(out))
        dialog.start()
        journey.wait(dialog.begin.isEnabled)
        if format_ == "png":
            image = QImage(str(out))
            assert (image.width(), image.height()) == (1200, 630)
        else:
            text = out.read_text(encoding="utf-8")
            assert 'width="1200" height="630"' in text and SENTENCE in text and "position = none" in text
        beside = out.with_name(f"{out.name}.json")
        assert json.loads(beside.read_text(encoding="utf-8"))["source"] == SENTENCE
        changes, knobs = read_alterations(beside)
        again = explorer.explore(SENTENCE, changes=changes, **knobs)
        assert changes == (OFF[0],) and again.config.position == "none"
        assert again.target == window.session.frame.trace.target
        dialog.reject()

    journey.run(script, "--preset", "translator", "--text", SENTENCE)
