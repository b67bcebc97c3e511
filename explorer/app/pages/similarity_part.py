"""Several sentences and the cosine of every two, for a model that makes one vector of each.

Decision: the sentences belong to the page and not to the State; the typed one is always the first of them.
"""

from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from explorer.app.pages.asking_part import AskingPart
from explorer.app.pages.page import Page
from explorer.engine.errand import CompareTexts
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.similarity import cosine_map
from explorer.state.look import Look
from explorer.state.sentences_beside import SUGGESTED, compared
from explorer.state.wish import Wish
from explorer.trace.found.similarity import Similarity
from explorer.trace.trace import Trace
from explorer.views.controls.sentences_edit import SentencesEdit
from explorer.views.pictures.heatmap import HeatmapView

_LEAST_PX = 420  # px
_SENTENCE_PX = 240.0  # px of a label that is a sentence


def compares(trace: Trace) -> bool:
    """Whether the model of a Trace makes vectors of sentences: one of others, an encoder alone without an output."""
    alone = trace.card.architecture == "encoder-only" and trace.card.vocab_size == 0 and "generator.logits" not in trace
    return alone and trace.config is None and not trace.recorded_by


class SimilarityPart(AskingPart[Similarity]):
    """A box with a sentence in each line, and the map of cosines below it."""

    waiting = "similarity.waiting"

    def __init__(self, page: Page) -> None:
        super().__init__(Similarity)
        self.setMinimumHeight(_LEAST_PX)
        self.box, self.label, frame = SentencesEdit(), QLabel(), QFrame()
        self.box.offer(SUGGESTED)
        self.box.edited.connect(lambda _sentences: self.ask_anew())
        self.label.setObjectName("faint")
        self.label.setBuddy(self.box)
        frame.setObjectName("card")
        within = QVBoxLayout(frame)
        within.setContentsMargins(10, 8, 10, 8)
        within.setSpacing(4)
        within.addWidget(self.label)
        within.addWidget(self.box)
        cosines = HeatmapView(row_label_px=_SENTENCE_PX)
        cosines.follows = False  # Its cells are cosines and no weights.
        self.map = page.card(cosines, self._map)
        self.cards = (self.map,)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(frame)
        column.addWidget(self.told)
        column.addWidget(self.map, 1)

    def errand_for(self, wish: Wish) -> CompareTexts:
        return CompareTexts(wish=wish, texts=compared(wish.text, self.box.sentences()))

    def speak(self, words: Words) -> None:
        """Write the texts of the box in the words' language."""
        self.label.setText(words("similarity.box"))
        self.box.setAccessibleName(words("similarity.box"))

    def _map(self, _trace: Trace, look: Look, words: Words) -> Heatmap | None:
        return None if self.found is None else cosine_map(self.found, look, words)
