"""The change page: what is altered inside the pass, and what follows for the translation and for the maps."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.app.pages import layouts
from explorer.app.pages.aligned import AlignedViews
from explorer.app.pages.break_button import BreakingPage
from explorer.app.pages.change_list import ChangeList
from explorer.app.pages.layouts import below, column_in
from explorer.app.pages.wall_card import WallCard
from explorer.engine.errand import Brought
from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard
from explorer.picture.makers import changed
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.changed import beside, is_changed, told_head
from explorer.picture.makers.postcard import postcard
from explorer.picture.theme import LIGHT, Theme
from explorer.state.breaks import BREAKS, offered
from explorer.state.change_intents import AddChanges
from explorer.state.first_changes import FirstChange, heads_to_switch, words_to_hide
from explorer.state.intents import SetKnob
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.found.experiments import UNCHANGED
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import filled
from explorer.views.controls.suggestions import Suggestions
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.postcard import PostcardView
from explorer.views.pictures.rewording import RewordingView

_VIEW_PX = (780, 410)  # 1200 × 630, smaller


class PostcardBox(QDialog):
    """Signals: saves() when somebody wants a file of it."""

    saves = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.view, self.about = PostcardView(), QLabel()
        self.about.setObjectName("faint")
        self.about.setWordWrap(True)
        self.to_file, self.leave = QPushButton(), QPushButton()
        self.to_file.setDefault(True)
        self.to_file.clicked.connect(self.saves)
        self.leave.clicked.connect(self.reject)
        self.view.setFixedSize(*_VIEW_PX)
        foot = filled(QHBoxLayout(), (self.about, 1), self.leave, self.to_file)
        filled(QVBoxLayout(self), self.view, foot)

    def put(self, picture: Postcard, theme: Theme, words: Words) -> None:
        """Show a Postcard."""
        self.setWindowTitle(picture.caption.title)
        self.view.set_theme(theme)
        self.view.draw(picture, words)
        self.about.setText(words("postcard.save_about"))
        self.to_file.setText(words("postcard.to_file"))
        self.leave.setText(words("export.close"))


_WORDS_PX, _MAPS_PX, _MOST_WORDS_PX = 184, 270, 320
_SUGGESTED = ("position", "hide", "head", "layer")
"""What one click does first: a knob of `BREAKS`, or a first change."""


class ChangePage(BreakingPage):
    """At the left the changes with their switches; at the right the translation and one head, before and after.

    Decision: "before" is computed as a second pass that rides in the Trace's experiments, and only while this page is open.
    Rejected: the wish to compare with, because the compare page's own state would be lost by opening this page.
    """

    key = "change"
    sweeps = True
    least_px = 650
    experiments = frozenset({UNCHANGED.key})
    shows_masks = False

    def __init__(self) -> None:
        super().__init__()
        self.list = ChangeList()
        self.list.wished.connect(self.wished)
        self.list.sent.connect(self.sent)
        self.words_card = self.card(RewordingView(), changed.rewording)
        self.words_card.bar.insertWidget(2, self.find_button)
        self.save_button = QPushButton()
        self.save_button.clicked.connect(self._show_postcard)
        self.words_card.bar.insertWidget(3, self.save_button)
        self.postcard_box: PostcardBox | None = None
        views = [HeatmapView() for _ in range(3)]
        makers = (changed.map_before, changed.map_after, changed.map_difference)
        self.maps = [self.card(view, make) for view, make in zip(views, makers, strict=True)]
        self.link(views)
        self._aligned = AlignedViews(self.maps)
        for view in views:
            view.follows = False  # The words that these maps read are not those of the pass on screen.
        self.words_card.setMinimumHeight(_WORDS_PX)
        self.hint = QLabel()
        self.hint.setWordWrap(True)
        self.hint.setObjectName("faint")
        self.head_choice = self.choice("changed_head")
        head = filled(QVBoxLayout(), self.head_choice, self.hint)
        self.suggestions = Suggestions(tuple(_SUGGESTED))
        self.suggestions.chose.connect(self._suggest)
        right = below((self.words_card, 3))
        self.compared = QWidget()
        self.compared.setMinimumHeight(_MAPS_PX)
        filled(
            QVBoxLayout(self.compared), head, (layouts.beside(*((card, 1) for card in self.maps)), 1), margins_px=(0, 0, 0, 0)
        )
        self.first_map = self.card(HeatmapView(), head_map, "attention")
        right.addWidget(self.suggestions)
        self.firsts = QWidget()
        heads = layouts.beside((WallCard(self, "attention"), 1), (self.first_map, 1))
        heads.setContentsMargins(0, 0, 0, 0)
        self.firsts.setLayout(heads)
        right.addWidget(self.firsts, 4)
        right.addWidget(self.compared, 5)
        right.addWidget(self.explain(hug=True))
        self.compared.hide()
        # The list is as wide as its rows until somebody parts it from the pictures.
        column_in(self.scrolled()).addLayout(layouts.beside((self.list, 0), (right, 1)))
        self._wish: Wish | None = None
        self._theme = LIGHT
        self._words: Words | None = None
        self._shown: tuple[Trace, Look] | None = None
        self._firsts: dict[str, FirstChange] = {}
        self._offered: set[str] | None = None

    def forget(self) -> None:
        self._shown = None

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._shown = (trace, look)
        there = is_changed(trace)
        self.suggestions.setVisible(not there)
        self.firsts.setVisible(not there)
        self.compared.setVisible(there)
        self.find_button.setVisible(trace.config is not None)  # Its sentences are those of our own translators.
        self.save_button.setVisible(trace.config is not None or bool(trace.expected))
        self.save_button.setEnabled(beside(trace) is not None and bool(trace.expected))
        self.words_card.setMaximumHeight(_MOST_WORDS_PX if there else _WORDS_PX)
        super().draw(trace, look, words)
        self._name_suggestions(trace, look, words)
        self._tell()
        if self._wish is not None:
            self.list.ask(self._wish, trace)

    def bring(self, brought: Brought) -> None:
        super().bring(brought)
        self.list.bring(brought)

    def _postcard(self, words: Words) -> Postcard | None:
        """The Postcard of what is on screen, with the share of the search that tried the same changes."""
        if self._shown is None:
            return None
        trace, look = self._shown
        finder = self.find_button.finder
        wish = None if finder is None else finder.errand.wish
        same = wish is not None and (wish.active, wish.config, wish.preset) == (trace.changes, trace.config, trace.preset)
        return postcard(trace, look, words, finder.breaks if finder is not None and same else None)

    def _show_postcard(self) -> None:
        """Show the Postcard as it will be in the file."""
        made = None if self._words is None else self._postcard(self._words)
        if made is None or self._words is None:
            return
        if self.postcard_box is None:
            self.postcard_box = PostcardBox(self)
            self.postcard_box.saves.connect(self._save_postcard)
        self.postcard_box.put(made, self._theme, self._words)
        self.postcard_box.open()

    def _save_postcard(self) -> None:
        """Save the very picture that is shown."""
        box = self.postcard_box
        if box is not None and box.view.picture is not None:
            box.close()
            self.saves.emit(box.view.picture, self._postcard(Words.load("en")))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.list.rest()

    def showEvent(self, event: QShowEvent) -> None:
        """Go on with what the rows say, where the window was out of sight."""
        super().showEvent(event)
        if self._wish is not None and self._shown is not None:
            self.list.ask(self._wish, self._shown[0])

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._theme = theme
        self.list.set_theme(theme)

    def put(self, wish: Wish) -> None:
        super().put(wish)
        self._wish = wish
        self._tell()

    def speak(self, words: Words) -> None:
        super().speak(words)
        self._words = words
        self.hint.setText(words("change.same_words"))
        self.save_button.setText(words("postcard.save"))
        self.save_button.setToolTip(words("postcard.save_about"))
        self._tell()

    def _tell(self) -> None:
        if self._wish is not None and self._words is not None:
            trace, look = (None, None) if self._shown is None else self._shown
            self.list.put(self._wish, trace, look, self._words)

    def _name_suggestions(self, trace: Trace, look: Look, words: Words) -> None:
        """Write the suggestions for this sentence and head; one that the model has no place for is hidden."""
        self._firsts = {each.key: each for each in (*words_to_hide(trace)[:1], *heads_to_switch(look))}
        offers = set()
        for key in self.suggestions.buttons:
            first = self._firsts.get(key)
            told = {"word": first.word if first else "", "head": told_head(look, words)}
            self.suggestions.name(key, words(f"change.suggest.{key}", **told), words(f"change.suggest_about.{key}", **told))
            there = first is not None and first.changes[0].tap in trace
            if key in offered(trace.preset) if key in BREAKS else there:
                offers.add(key)
        if offers != self._offered:  # Laying out anew costs more than naming.
            self._offered = offers
            self.suggestions.offer(offers)

    def _suggest(self, key: str) -> None:
        self.wished.emit(SetKnob(key, BREAKS[key]) if key in BREAKS else AddChanges(self._firsts[key].changes))


PAGE = ChangePage
