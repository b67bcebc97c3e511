"""A translator from English in the real window: what it reads, in which cuts, and what is said of a Chinese text."""

from pathlib import Path

import pytest

from explorer.app.pages.tokens_page import TokensPage
from explorer.app.shell.window import Window
from explorer.picture.cut_kinds import CutRows
from tests.engine.sources.bundles import an_english_preset
from tests.journeys.conftest import Journey

pytestmark = pytest.mark.slow


def test_english_is_read_and_chinese_is_told(journey: Journey, tmp_path: Path) -> None:
    """Capitals as typed, pieces in the page's own cuts; a Chinese text is marked with the language that the model reads."""

    def script(window: Window) -> None:
        journey.settle(window)
        sentences = window.sentences
        assert sentences.source_edit.text() == "I love cats." and sentences.examples.isHidden()
        assert "reads" not in sentences.doubt.line
        sentences.source_edit.setText("I LOVE Cats.")
        window.go("tokens")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, TokensPage) and isinstance(page.cuts.picture, CutRows)
        assert page.example.isHidden()
        rows = page.cuts.picture.rows
        assert [row.way for row in rows] == ["spaces", "bpe", "characters"]
        assert [token.text for token in rows[1].tokens] == ["␣I", "␣LOVE", "␣Cat", "s", "."]
        sentences.source_edit.setText("我爱北京。")
        journey.settle(window)
        assert sentences.doubt.line.startswith("this model reads English") and not sentences.doubt.isHidden()

    journey.run(script, "--preset", an_english_preset(tmp_path / "english"), "--language", "en")
