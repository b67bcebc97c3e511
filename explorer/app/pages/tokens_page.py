"""The tokens page: the tokens of both sides."""

from explorer.app.pages.layouts import column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.embedding import source_tokens, target_tokens
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.pictures.token_row import TokenRowView


class TokensPage(Page):
    """A card for each side that the model has."""

    key = "tokens"
    least_px = 440

    def __init__(self) -> None:
        super().__init__()
        self._sides = {
            "source": self.card(TokenRowView(wrap=True), source_tokens),
            "target": self.card(TokenRowView(wrap=True), target_tokens),
        }
        column = column_in(self.scrolled())
        for card in self._sides.values():
            column.addWidget(card, 3)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        for side, card in self._sides.items():
            card.setVisible(bool(getattr(trace.tokens, side)))
        super().draw(trace, look, words)


PAGE = TokensPage
