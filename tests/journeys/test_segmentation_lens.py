"""The segmentation lens in the real window: the bridge of Nanjing, one click from the page, in every cut, and exported."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import explorer
from explorer.app.pages.tokens_page import EXAMPLE, TokensPage
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.picture.cut_kinds import CutRows
from explorer.picture.marks import Rect
from tests.journeys.conftest import Journey
from tests.journeys.test_shown_is_exported import read


def lens(window: Window) -> TokensPage:
    page = window.page_stack.page
    assert isinstance(page, TokensPage)
    return page


def shown(window: Window) -> CutRows:
    picture = lens(window).cuts.picture
    assert isinstance(picture, CutRows)
    return picture


def click(page: TokensPage, area: Rect) -> None:
    place = QPoint(round(area.x + 12), round(area.y + 12))
    QTest.mouseClick(page.cut_rows, Qt.MouseButton.LeftButton, pos=place)  # type: ignore[call-overload]


def by_hand(trace: explorer.Trace, layer: int, head: int) -> list[list[float]]:
    """The map of 南京市 and 长江大桥, token by token: a token across both is shared out by its characters."""
    weights = trace[f"encoder.layers.{layer}.self_attn.weights"][head]
    within = [sum(at < 3 for at in range(t.start, t.end)) / (t.end - t.start) for t in trace.tokens.source]
    parts = [(inside, 1 - inside) for inside in within]
    rows = range(len(parts))
    return [
        [
            sum(parts[q][u] * float(weights[q, k]) * parts[k][v] for q in rows for k in rows) / sum(parts[q][u] for q in rows)
            for v in (0, 1)
        ]
        for u in (0, 1)
    ]


def test_the_bridge_in_every_cut(journey: Journey, tmp_path: Path) -> None:
    """Each map is that of an independent pass with its cut; the sentence is marked; another cut is a click away."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.sentences.doubt.isHidden()
        window.go("tokens")
        journey.settle(window)
        lens(window).example.click()
        journey.settle(window)
        look, made = window.session.state.look, shown(window)

        assert window.sentences.source_edit.text() == EXAMPLE and lens(window).example.isHidden()
        assert made.units == ("南京市", "长江大桥")
        assert [row.way for row in made.rows] == ["jieba", "jieba-full", "jieba-search", "characters", "bpe"]
        for row in made.rows:
            trace = explorer.explore(EXAMPLE, preset="translator", tokenizer=row.way)
            assert row.values == pytest.approx(np.array(by_hand(trace, look.layer, look.head)), abs=1e-6)
            assert row.values.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
        assert made.rows[1].difference == pytest.approx(made.rows[1].values - made.rows[0].values, abs=1e-6)
        assert "南京市 → 南·京·市" in made.caption.note and "市长" in made.caption.note
        assert "0.27" in window.sentences.doubt.line and "南·京·市" in window.sentences.doubt.toolTip()
        assert not window.sentences.target_edit.provisional

        page = lens(window)
        click(page, page.cut_rows.places.names[1])
        journey.settle(window)
        assert window.session.state.wish.config.tokenizer == "jieba-full" and shown(window).present == 1
        assert len(window.session.frame.trace.tokens.source) == 16

        export_it(window, tmp_path)

    def export_it(window: Window, folder: Path) -> None:
        page = lens(window)
        page.cuts.touched.emit(page.cuts)
        window.saving.export()
        dialog = next(each for each in window.findChildren(ExportDialog) if each.isVisible())
        for format_ in ("npz", "svg", "png"):
            path = folder / f"cuts.{format_}"
            dialog.format.setCurrentText(format_)
            dialog.path.setText(str(path))
            dialog.start()
            journey.wait(lambda: not dialog.running and dialog.begin.isEnabled())
            QApplication.processEvents()
            assert path.stat().st_size > 500
        dialog.reject()
        kept, row = read(folder / "cuts.npz"), shown(window).rows[3]
        np.testing.assert_array_equal(kept["cuts.characters.weights"], row.values)
        np.testing.assert_array_equal(kept["cuts.characters.difference"], row.difference)
        assert kept["cuts.characters.tokens"][:, 0].tolist() == [token.id for token in row.tokens]
        assert "大" in (folder / "cuts.svg").read_text("utf-8")
        assert json.loads((folder / "cuts.npz.json").read_text("utf-8"))["origin"] == "beside"

    journey.run(script, "--preset", "translator")


def test_the_mark_leads_to_the_cuts(journey: Journey) -> None:
    """A sentence with an unseen character and Latin letters has both as reasons; a click opens the page."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.sentences.source_edit.setText("龘ChatGPT")
        journey.settle(window)
        mark = window.sentences.doubt
        assert mark.isVisible() and "龘" in mark.line and "ChatGPT" in mark.line
        assert mark.width() < window.width() / 4
        mark.click()
        journey.settle(window)
        assert window.session.state.page == "tokens" and shown(window).rows[0].tokens[0].known is False

    journey.run(script, "--preset", "translator")


def test_an_untrained_model_shows_what_it_lacks(journey: Journey) -> None:
    """Its words are unknown tokens, and nothing is said of its translation; the heads can be averaged."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("tokens")
        journey.settle(window)
        lens(window).example.click()
        journey.settle(window)
        first = shown(window).rows[0]
        assert "2" in first.about and not any(token.known for token in first.tokens) and first.said == ""
        assert window.sentences.doubt.isHidden()
        lens(window).pool.setCurrentIndex(1)
        journey.settle(window)
        trace = explorer.explore(EXAMPLE, preset="tiny")
        layer = window.session.state.look.layer
        wanted = trace[f"encoder.layers.{layer}.self_attn.weights"].mean(axis=0)
        assert shown(window).rows[0].values == pytest.approx(wanted, abs=1e-6)

    journey.run(script)


def test_all_cuts_can_be_seen_in_a_small_window(journey: Journey) -> None:
    """The page scrolls to them; the enlarged card has them in the page's height, and is as before when it is put back."""

    def script(window: Window) -> None:
        window.resize(1024, 700)
        window.go("tokens")
        journey.settle(window)
        page = lens(window)
        before = page.cuts.height()
        assert page.cuts.mapTo(page, page.cuts.rect().bottomLeft()).y() > page.height()
        page.enlarge(page.cuts)
        journey.wait(lambda: page.cuts.height() < page.height())
        journey.wait(lambda: page.cut_rows.places.rows[-1].bottom <= page.cut_rows.height())
        page.enlarge(None)
        journey.wait(lambda: page.cuts.height() == before)

    journey.run(script, "--preset", "translator")
