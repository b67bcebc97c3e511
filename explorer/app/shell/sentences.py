"""The boxes for source and target, with their tokens below."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from explorer.app.shell.sentence_marks import ChatSwitch, DoubtMark, ExamplesButton, TokensButton
from explorer.lang import Words
from explorer.lessons.gallery import Example, gallery
from explorer.picture.makers.embedding import source_tokens, target_tokens
from explorer.picture.theme import Theme
from explorer.presets import load_preset
from explorer.state.intents import Intent, OpenPage, SetChat, SetTarget, SetText
from explorer.state.look import Look
from explorer.state.state_link import OpenLink, link_in
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import filled
from explorer.views.controls.sentence import SentenceEdit
from explorer.views.painting.pointed import Spot
from explorer.views.pictures.token_row import TokenRowView

_MOST_OF_DOUBT = 0.22  # of the width
_EDGE_PX, _LOW_EDGE_PX = 6, 4  # px above and below all, and in a low window
_GAP_PX = 4  # px between a sentence and its tokens


class Sentences(QWidget):
    """Signals: wished(Intent), pointed(Pointed), noted(str) with what to look at in an example; fixed() for keys in vain."""

    wished = Signal(object)
    noted = Signal(str)
    pointed = Signal(object)
    fixed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("sentences")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.source_label, self.target_label = QLabel(), QLabel()
        self.source_edit, self.target_edit = SentenceEdit(), SentenceEdit()
        self.source_row, self.target_row = TokenRowView(), TokenRowView()
        self.around = tuple(QWidget() for _ in range(4))  # what stands before both boxes and below them
        self.examples = ExamplesButton()
        self.examples.chosen.connect(self._chose_example)
        self.doubt = DoubtMark()
        self.doubt.clicked.connect(self._opened)
        self.chat = ChatSwitch()
        self.chat.chose.connect(self._chose_chat)
        self.tokens = TokensButton()
        self.tokens.toggled.connect(self._fold_chips)
        self._low = False  # whether the window has little height
        self._chips = QWidget(), QWidget()
        grid = self._grid = QGridLayout(self)
        grid.setHorizontalSpacing(8)
        for column, (label, edit, row) in enumerate(
            ((self.source_label, self.source_edit, self.source_row), (self.target_label, self.target_edit, self.target_row))
        ):
            label.setObjectName("faint")
            label.setBuddy(edit)
            more = () if column else (self.examples, self.chat, self.tokens)
            before, below = self.around[2 * column : 2 * column + 2]
            filled(QHBoxLayout(before), label, *more, margins_px=(0, 0, 0, 0))
            chips = self._chips[column]
            filled(QHBoxLayout(chips), (row, 1), *(() if column else (self.doubt,)), margins_px=(0, 0, 0, 0))
            filled(QHBoxLayout(below), chips, margins_px=(0, 0, 0, 0))
            grid.addWidget(before, 0, 2 * column)
            grid.addWidget(edit, 0, 2 * column + 1)
            grid.addWidget(below, 1, 2 * column, 1, 2)
            grid.setColumnStretch(2 * column + 1, 1)
            row.pointed.connect(self.pointed)
            row.wished.connect(self.wished)
            row.opened.connect(self._opened)
        self._fold_chips()
        self._words: Words | None = None
        self._preset, self._gallery = "", tuple[Example, ...]()  # the model, and its own examples
        self._nothing_drawn = True
        self._foreign = False  # whether the model is a foreign one
        self._translates = False  # whether the model is trained to translate
        self._source_name = "header.source"
        self.source_edit.edited.connect(self._typed_source)
        self.target_edit.edited.connect(self._typed_target)
        self.target_edit.became_provisional.connect(self._became_provisional)
        for edit in (self.source_edit, self.target_edit):
            edit.fixed.connect(self.fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.doubt.setMaximumWidth(int(_MOST_OF_DOUBT * self.width()))  # The tokens need the room more.

    def fold(self, *, low: bool) -> None:
        """Fold the tokens in a low window, where the picture needs their room more; a button unfolds them."""
        if low != self._low:
            self._low = low
            self._fold_chips()

    def _fold_chips(self) -> None:
        self.tokens.setVisible(self._low)
        shown = not self._low or self.tokens.isChecked()
        for chips in self._chips:
            chips.setVisible(shown)
        edge = _LOW_EDGE_PX if self._low else _EDGE_PX
        self._grid.setContentsMargins(12, edge, 12, edge)
        self._grid.setVerticalSpacing(_GAP_PX if shown else 0)

    def speak(self, words: Words) -> None:
        self._words = words
        self._offer_examples()
        self.chat.speak(words)
        self.tokens.speak(words)
        self._name_source(words)
        self._hint(words)
        self._offer("", words)

    def put(self, wish: Wish, by: Intent | None) -> None:
        """Show a Wish. A box that the change came from is left alone. Only encoder-decoder models take a target."""
        self._fix(recorded=wish.recorded)
        if not isinstance(by, SetText) and not wish.recorded:
            self.source_edit.put(wish.text)
        if not isinstance(by, SetTarget) and not wish.recorded:
            self.target_edit.put(wish.target or "")
        if self._translates != wish.uses_trained:
            self._translates = wish.uses_trained
            if self._words is not None:
                self._offer("", self._words)
        if wish.preset != self._preset:
            self._preset, self._gallery = wish.preset, gallery(wish.preset)
            self._offer_examples()
        self.examples.setVisible(wish.uses_trained and bool(self._gallery))
        self._foreign = wish.foreign
        self.chat.put(wish)
        if not wish.foreign:
            self._show_target(wish.config.architecture == "encoder-decoder")
        elif by is None and self._nothing_drawn:  # The first answer of a foreign model says whether it has a target.
            self._show_target(False)
        preset = load_preset(wish.preset)
        own = wish.uses_trained and preset.translates
        both = wish.config.architecture == "encoder-decoder" and not wish.foreign
        reads = f"_{preset.reads}" if own and preset.reads else ""
        self._source_name = f"header.source{reads}" if both else "header.text"
        if self._words is not None:
            self._name_source(self._words)

    def _offer_examples(self) -> None:
        if self._words is not None:
            self.examples.offer(self._gallery, self._words)

    def _show_target(self, both: bool, typed: bool = True) -> None:
        """Show the row of the target where there are both sides, and the box where it can be typed: a classifier has none."""
        self.target_row.setVisible(both)
        for widget in (self.target_label, self.target_edit):
            widget.setVisible(both and typed)

    def _fix(self, *, recorded: bool) -> None:
        """Make the boxes read-only for a recorded pass, and say why; its own texts are shown when they are there."""
        if recorded == self.source_edit.isReadOnly():
            return
        for edit in (self.source_edit, self.target_edit):
            edit.setReadOnly(recorded)
            edit.setClearButtonEnabled(not recorded)
        if self._words is not None:
            self._hint(self._words)

    def _hint(self, words: Words) -> None:
        """Say what can be typed, or why nothing can."""
        recorded = self.source_edit.isReadOnly()
        self.source_edit.setPlaceholderText(words("recorded.no_text" if recorded else "header.source_hint"))
        for edit in (self.source_edit, self.target_edit):
            edit.setToolTip(words("recorded.fixed") if recorded else "")

    def _name_source(self, words: Words) -> None:
        """Say in which language a trained translator reads; a model of one side has no source, but a text."""
        self.source_label.setText(words(self._source_name))
        self.source_edit.setAccessibleName(words(self._source_name.removesuffix("_zh").removesuffix("_en")))
        for row in (self.source_row, self.target_row):
            if row.picture is None:
                row.setAccessibleName(words("page.tokens"))

    def draw(self, trace: Trace, look: Look, words: Words, *, provisional: bool = False) -> None:
        """Show the tokens, those of a single sentence at the left; a `provisional` answer is one before the search.

        What is doubted of the whole answer stays until the next one is there, so that it does not flicker while one types.
        """
        self._nothing_drawn = False
        self.chat.draw(trace)
        alone = not trace.tokens.source
        if self._foreign and (trace.config is None or trace.recorded_by):
            self._show_target(trace.card.architecture == "encoder-decoder", trace.card.classes is None)
            self._source_name = "header.source" if trace.card.architecture == "encoder-decoder" else "header.text"
            self._name_source(words)
        self.source_row.draw((target_tokens if alone else source_tokens)(trace, look, words), words)
        self.target_row.draw(target_tokens(trace, look, words), words)
        self.target_edit.mark_provisional(provisional)
        if not provisional:
            self.doubt.draw(trace, words)
            self.tokens.warn(self.doubt.toolTip() if self.doubt.line else "")
        if self.source_edit.isReadOnly() and trace.recorded_by:
            self.source_edit.put(trace.target if alone else trace.source)
            self.target_edit.put("" if alone else trace.target)
            return
        if trace.expected and not trace.trained:
            # The target is the trained model's translation, of which these weights know nothing.
            self._offer("", words, hint="header.meaningless")
            return
        # A trace with expected tokens is a translator's: its target is the translation, unless the user typed one.
        self._offer(trace.target if trace.expected and not self.target_edit.text() else "", words)

    def set_stale(self, stale: bool, words: Words) -> None:
        """Fade the tokens and remove the offered translation while they do not belong to what was typed."""
        for row in (self.source_row, self.target_row):
            row.set_stale(stale)
        if stale:
            self.target_edit.mark_provisional(False)
            self.doubt.hide()
            self.tokens.warn("")
            self._offer("", words)

    def _offer(self, translation: str, words: Words, hint: str = "") -> None:
        usual = "header.target_hint_trained" if self._translates or self._foreign else "header.target_hint"
        self.target_edit.offer(translation, words(hint or usual))
        name = words("header.translation" if translation else "header.target")
        self.target_label.setText(name)
        self.target_edit.setAccessibleName(name)
        self._tell_translation(words, offered=bool(translation))

    def _tell_translation(self, words: Words, *, offered: bool) -> None:
        """Say under the mouse where an offered translation is from, and whether a better one is searched for."""
        told = "header.translation_provisional" if self.target_edit.provisional else "header.translation_hint"
        self.target_edit.setToolTip(words(told) if offered else "")

    def _became_provisional(self, _provisional: bool) -> None:
        if self._words is not None:
            self._tell_translation(self._words, offered=bool(self.target_edit.toolTip()))

    def set_theme(self, theme: Theme) -> None:
        for row in (self.source_row, self.target_row):
            row.set_theme(theme)

    def light(self, tokens: frozenset[Spot]) -> None:
        for row in (self.source_row, self.target_row):
            row.light(tokens)

    def focus(self) -> None:
        self.source_edit.setFocus()
        self.source_edit.selectAll()

    def _chose_example(self, example: Example) -> None:
        self.wished.emit(SetText(example.text))
        self.source_edit.put(example.text)
        if self._words is not None:
            self.noted.emit(example.note.of(self._words.language))

    def _chose_chat(self, on: bool) -> None:
        self.wished.emit(SetChat(on))

    def _typed_source(self, text: str) -> None:
        self._typed(text, SetText(text))

    def _typed_target(self, text: str) -> None:
        self._typed(text, SetTarget(text))

    def _typed(self, text: str, intent: Intent) -> None:
        """Set a text; a link that was pasted is opened instead, since it is no sentence."""
        link = link_in(text)
        self.wished.emit(OpenLink(link) if link else intent)

    def _opened(self) -> None:
        self.wished.emit(OpenPage("tokens"))
