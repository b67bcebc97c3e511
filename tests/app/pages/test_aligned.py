"""Cards beside each other whose views begin at one height."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.pages.aligned import AlignedViews
from explorer.app.pages.card import Card
from explorer.lang import Words
from explorer.picture.makers.attention import head_map
from explorer.state.look import Look
from explorer.views.pictures.heatmap import HeatmapView
from tests.picture.examples import example


def test_views_begin_at_one_height(qtbot: QtBot) -> None:
    """Three maps beside each other were 29 px apart, since one title had buttons below it and one a note."""
    page, cards = QWidget(), [Card(HeatmapView(), head_map) for _ in range(3)]
    qtbot.addWidget(page)
    row = QHBoxLayout(page)
    for card in cards:
        row.addWidget(card, 1)
        card.draw(example(), Look(), Words.load("en"))
    aligned = AlignedViews(cards)
    page.resize(900, 400)
    page.show()

    def heights() -> set[int]:
        return {card.view.y() for card in cards}  # type: ignore[attr-defined]  # A view is a widget too.

    cards[1].note.setText("a note")
    cards[1].note.show()
    cards[2].layout().insertWidget(1, QLabel("two<br>lines"))  # type: ignore[union-attr]  # A card has a box layout.
    qtbot.waitUntil(lambda: len(heights()) == 1 and cards[0].lowered_px > 20)
    highest = heights()
    cards[2].hide()
    qtbot.waitUntil(lambda: {card.view.y() for card in cards[:2]} != highest)  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: len({card.view.y() for card in cards[:2]}) == 1)  # type: ignore[attr-defined]
    assert aligned.parent() is cards[0]
