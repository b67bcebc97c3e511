"""A card that has no picture yet says so once that takes long enough to be noticed."""

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from explorer.app.pages import card as cards
from explorer.app.pages.card import Card
from explorer.picture.kinds import Heatmap
from explorer.state.look import Look
from explorer.views.pictures.heatmap import HeatmapView
from tests.picture.examples import example, heatmap, words

TRACE = example()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_empty_card_says_that_it_is_computed(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """Until its picture is there; one that keeps an older picture says it by the dots behind its title."""
    monkeypatch.setattr(cards, "LONG_MS", 1)
    said, made = words(language), [None, heatmap(TRACE["encoder.layers.0.self_attn.weights"][0]), None]
    card = Card(HeatmapView(), lambda _trace, _look, _words: now)
    qtbot.addWidget(card)
    card.show()
    now: Heatmap | None = made[0]
    card.draw(TRACE, Look(), said)
    assert not card.note.isVisible()
    qtbot.waitUntil(card.note.isVisible)
    assert card.note.text() == said("status.computing")
    now = made[1]
    card.draw(TRACE, Look(), said)
    assert card.note.text() == "" and not card.note.isVisible()
    now = made[2]
    card.draw(TRACE, Look(), said)
    later: list[bool] = []
    QTimer.singleShot(cards.LONG_MS, lambda: later.append(True))  # It comes behind a timer of the card's.
    qtbot.waitUntil(lambda: bool(later))
    assert card.waiting and not card.note.isVisible() and card.title.text().endswith("…")
