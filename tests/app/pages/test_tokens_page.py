"""The tokens page: chips in two lines are seen whole, and a pinned model's vocabulary stands beside the present one."""

import attrs
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import explorer
from explorer.app.pages.tokens_page import TokensPage
from explorer.app.shell.window import Window
from explorer.lang import Words
from explorer.state.comparing_intents import Compare, CompareWithPast
from explorer.state.intents import SetPreset, SetText
from explorer.views.pictures.token_row import TokenRowView
from tests.journeys.conftest import Journey, journey

pytestmark = pytest.mark.slow

__all__ = ["journey"]  # a fixture of the journeys


def test_chips_in_two_lines_are_seen_whole(journey: Journey) -> None:
    """Ten pieces of a translation take two lines: none is cut by the edge of its card, in windows of all usual sizes."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.sentences.source_edit.setText("我爱北京天安门。")
        window.go("tokens")
        for width, height in ((1440, 900), (1024, 700), (1280, 800)):
            window.resize(width, height)
            journey.settle(window)
            page = window.page_stack.page
            assert isinstance(page, TokensPage)
            view = page.sides["target"].view
            assert isinstance(view, TokenRowView) and view.picture is not None
            assert len(view.picture.chips) == 10
            assert view.edges() == (), (width, height)
            assert len({view.chip_rect(index).top() for index in range(10)}) == 2

    journey.run(script, "--preset", "translator")


def test_a_pinned_model_with_another_vocabulary_shows_its_tokens(journey: Journey) -> None:
    """With the sizes of both, what they share, and what only one has; its row is not edited."""
    text = "I love 北京!"
    here, there = (explorer.explore(text, preset=name) for name in ("english-language-model", "language-model"))
    words = Words.load("zh")

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("tokens")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, TokensPage) and page.other.isHidden()
        pinned = window.session.state.wish
        window.session.ask(SetPreset("english-language-model"))
        window.session.ask(SetText(text))
        window.session.ask(CompareWithPast(attrs.evolve(pinned, text=text)))
        journey.settle(window)
        window.go("tokens")
        journey.settle(window)
        view = page.other.view
        assert not page.other.isHidden() and isinstance(view, TokenRowView) and view.picture is not None
        assert [chip.text for chip in view.picture.chips] == [token.text for token in there.tokens.target]
        shared = len(set(here.symbols) & set(there.symbols))
        sizes = {"here": f"{len(set(here.symbols)):,}", "there": f"{len(set(there.symbols)):,}", "shared": f"{shared:,}"}
        note = view.picture.caption.note
        assert words("vocabularies.sizes", **sizes) in note
        only = [here.symbols[token.id] for token in here.tokens.target if here.symbols[token.id] not in there.symbols]
        assert words("vocabularies.only_here", tokens=" ".join(dict.fromkeys(only))) in note
        before = window.session.state
        view.setFocus()
        for key in (Qt.Key.Key_M, Qt.Key.Key_S, Qt.Key.Key_R):
            QTest.keyClick(view, key)
        assert window.session.state == before
        window.session.ask(Compare(""))
        journey.settle(window)
        assert page.other.isHidden()

    journey.run(script, "--preset", "language-model", "--text", "我爱北京")
