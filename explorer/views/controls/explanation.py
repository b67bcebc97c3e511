"""The explanation of a page, from `assets/explain/<language>/<page>.md`."""

from PySide6.QtWidgets import QTextBrowser

from explorer.lang import Words
from explorer.resources import asset_text


class ExplanationView(QTextBrowser):
    """A text view; `tell(page, words)` shows the explanation of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenExternalLinks(True)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setMinimumHeight(60)

    def tell(self, page: str, words: Words) -> None:
        self.setMarkdown(asset_text(f"explain/{words.language}/{page}.md"))
        self.setAccessibleName(words("explanation"))
