"""Results over many sentences, as a user meets them."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import explorer
from explorer.app.shell.prompts_window import PromptsWindow
from explorer.app.shell.window import Window
from explorer.state.intents import SetText
from explorer.trace.archive import read_archive, write_archive
from explorer.trace.found.over_prompts import MetricEffects, OverPrompts
from tests.journeys.conftest import Journey
from tests.journeys.test_scan_table import dropped

LINES = ("我爱北京天安门", "他在图书馆看书。", "冬天来了", "不要放弃！")
PAIRS = (("他在图书馆看书。", "她在图书馆看书。"), ("冬天来了", "春天来了"))


@pytest.fixture
def patches(tmp_path: Path) -> Path:
    """A result of the bundled language model."""
    explorer.patching(PAIRS, preset="language-model", metric="next", out=tmp_path / "patches.npz")
    return tmp_path / "patches.npz"


def opened(journey: Journey, window: Window) -> PromptsWindow:
    journey.wait(lambda: window.scans.prompts is not None and window.scans.prompts.found is not None)
    assert window.scans.prompts is not None
    return window.scans.prompts


def test_a_dropped_result_shows_its_sentences_and_opens_one(journey: Journey, patches: Path) -> None:
    """With its own model in place of the present one, and the other text beside it; undo goes back."""

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.session.state.wish
        dropped(window, patches)
        shown = opened(journey, window)
        assert shown.isVisible() and shown.prompts.count() == 2
        shown.prompts.setCurrentRow(next(row for row in range(2) if PAIRS[1][0] in shown.prompts.item(row).toolTip()))
        QTest.keyClick(shown.prompts, Qt.Key.Key_Return)
        journey.settle(window)
        wish = window.session.state.wish
        assert (
            (wish.text, wish.other, wish.preset) == (*PAIRS[1], "language-model") != (before.text, before.other, before.preset)
        )
        assert window.session.frame is not None and window.session.frame.trace.card.name == "language-model"
        assert shown.isVisible()
        window.session.undo()
        journey.settle(window)
        assert window.session.state.wish == before

    journey.run(script)


def test_a_result_opens_with_the_program(journey: Journey, patches: Path) -> None:
    """As the flag and as the only argument say."""

    def script(window: Window) -> None:
        assert isinstance(opened(journey, window).found, OverPrompts)

    journey.run(script, "gui", "--open", str(patches))
    journey.run_as_left(script, str(patches))


def test_an_ablation_over_a_file_grows_and_is_saved(journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are those of `explorer.ablate`, and typing goes on meanwhile."""
    (tmp_path / "lines.txt").write_text("\n".join((*LINES, "a\x01b")), encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_given: (str(tmp_path / "lines.txt"), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (str(tmp_path / "saved.npz"), ""))

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["ablate_file"].trigger()
        shown = opened(journey, window)
        window.session.ask(SetText("冬天"))
        journey.settle(window)
        journey.wait(lambda: not shown.bar.works)
        assert shown.found is not None and shown.found.prompts == LINES
        assert "1" in shown.bar.told.text() and len(shown.bar.left_out) == 1
        shown.save_button.click()
        journey.wait((tmp_path / "saved.npz").exists)

    journey.run(script)
    found, expected = OverPrompts.load(tmp_path / "saved.npz"), explorer.ablate(LINES, preset="tiny", metric="log-p")
    assert isinstance(found, MetricEffects)
    np.testing.assert_allclose(found.plain, expected.plain, atol=1e-5)
    np.testing.assert_allclose(found["heads"], expected["heads"], atol=1e-5)


def test_stop_keeps_what_was_found(journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no further sentence is tried."""
    (tmp_path / "lines.txt").write_text("\n".join(f"冬天来了{'了' * n}" for n in range(200)), encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_given: (str(tmp_path / "lines.txt"), ""))

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["ablate_file"].trigger()
        shown = opened(journey, window)
        shown.bar.stop.click()
        assert shown.found is not None and not shown.bar.works
        n = len(shown.found.prompts)
        assert 0 < n < 200 and shown.bar.errand.n_pieces == n
        shown.bar.stop.click()  # It says "again" now.
        journey.wait(lambda: shown.bar.works and shown.found is not None)
        shown.close()
        assert not shown.bar.works

    journey.run(script)


def test_a_damaged_result_is_told_and_nothing_opens(journey: Journey, patches: Path) -> None:
    """In the line above the pages."""

    def script(window: Window) -> None:
        journey.settle(window)
        about, arrays = read_archive(patches, "over_prompts.json")
        write_archive(patches, "over_prompts.json", {**about, "form": "nonsense"}, arrays)
        dropped(window, patches)
        journey.wait(lambda: "patches.npz" in window.refusals.text.text())
        assert window.scans.prompts is None

    journey.run(script)
