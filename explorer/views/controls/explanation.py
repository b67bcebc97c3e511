"""The explanation of a page, from `assets/explain/<language>/<page>.md`."""

import math

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTextBrowser

from explorer.lang import Words
from explorer.resources import asset_text

_LEAST_PX, _SPARE_PX = 60, 4


class ExplanationView(QTextBrowser):
    """A text view; `tell(page, words)` shows the explanation of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenExternalLinks(True)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setMinimumHeight(_LEAST_PX)
        self._hugs = False

    def hug(self) -> None:
        """Be no higher than the text, so that what stands above gets the rest."""
        self._hugs = True

    def tell(self, page: str, words: Words) -> None:
        self.setMarkdown(asset_text(f"explain/{words.language}/{page}.md"))
        self.setAccessibleName(words("explanation"))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._hugs:
            self.setMaximumHeight(max(_LEAST_PX, math.ceil(self.document().size().height()) + _SPARE_PX))
