"""The card with the wall of all heads, their measures and the buttons that choose an attention."""

from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.head_measures import offered_measures
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.measure_menu import MeasureMenu
from explorer.views.pictures.head_grid import HeadGridView


class WallCard(Card):
    """The wall with buttons that choose an attention and a measure. A click on a thumbnail chooses its head."""

    def __init__(self, page: Page, opens: str = "") -> None:
        view = HeadGridView()
        super().__init__(view, head_wall, opens)
        self._page = page
        self.measures = MeasureMenu()
        self.measures.hide()  # It has no text before the first picture.
        self.measures.chose.connect(page.sets("measure"))
        self.measures.sorted.connect(page.sets("head_order"))
        view.chosen.connect(page.choose_head)
        view.wanted.connect(page.want_heads)
        self.bar.insertWidget(2, page.choice("attention"))
        if not opens:  # The page that the other walls open has the choice, and more room for it.
            self.bar.insertWidget(3, self.measures)
        page.add(self)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self.measures.offer(offered_measures(look), look.measure, look.head_order, words)
        self.measures.setVisible(not self.page)
        super().draw(trace, look, words)
