"""The card with the wall of all heads, which two pages use."""

from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.picture.makers.attention import head_wall
from explorer.views.pictures.head_grid import HeadGridView


def wall_card(page: Page, opens: str = "") -> Card:
    """Make the wall with buttons that choose an attention. A click on a thumbnail chooses its head."""
    view = HeadGridView()
    view.chosen.connect(page.choose_head)
    view.wanted.connect(page.want_heads)
    card = page.card(view, head_wall, opens)
    card.bar.insertWidget(2, page.choice("attention"))
    return card
