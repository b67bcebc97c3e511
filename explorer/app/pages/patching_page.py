"""The patching page: activations of a second sentence patched into the pass of the first, one place after the other."""

from difflib import SequenceMatcher
from html import escape

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QToolButton, QWidget

from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.patching import chosen_step, found_patching, patched_map, step_label, why_not
from explorer.picture.theme import Theme
from explorer.state.experiment_intents import SetOther
from explorer.state.look import Look
from explorer.state.other_sentences import SUGGESTED, suggested_for
from explorer.state.wish import Wish
from explorer.trace.choices import PATCHED
from explorer.trace.found.experiments import PATCHING
from explorer.trace.found.patching import Patching
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.controls.segments import Segments
from explorer.views.controls.sentence import SentenceEdit
from explorer.views.controls.suggestions import Suggestions
from explorer.views.controls.tab_group import make_tab_group
from explorer.views.pictures.heatmap import HeatmapView


class PatchingPage(Page):
    """The second sentence with suggestions, both translations, what is patched, and a map for each side of the model."""

    key = "patching"
    sweeps = True
    least_px = 560
    needs = ("generator.logits",)
    of_classes = True
    experiments = frozenset({PATCHING.key})

    def __init__(self) -> None:
        super().__init__()
        self.edit, self.label, self.suggest_label = SentenceEdit(), QLabel(), QLabel()
        self.edit.edited.connect(self._typed)
        self.suggested = [QToolButton() for _ in range(SUGGESTED)]
        self.first, self.second, self.why = QLabel(), QLabel(), QLabel()
        self.why.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.why.setWordWrap(True)
        self.why.setObjectName("faint")
        self.what, self.step, self.head, self.head_label, self.step_label = (
            Segments(),
            ChoiceBox(),
            WholeNumberBox(),
            QLabel(),
            QLabel(),
        )
        self.what.chose.connect(self.sets("patched"))
        self.step.activated.connect(self._chose_step)
        self.head.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
        self.head.setMinimumWidth(48)
        self.head.valueChanged.connect(self.sets("head"))
        for label in (self.first, self.second):  # By itself a label takes what has no word in colour for plain text.
            label.setTextFormat(Qt.TextFormat.RichText)
        for label in (self.label, self.suggest_label, self.head_label, self.step_label):
            label.setObjectName("faint")
        views = {side: HeatmapView() for side in ("encoder", "decoder")}
        for view in views.values():
            view.follows = False  # Its cells are passes of their own and no weights.
        self.maps = {side: self.card(view, patched_map(side)) for side, view in views.items()}
        self.offers = Suggestions(tuple(map(str, range(SUGGESTED))), SUGGESTED)
        self.offers.chose.connect(self._offered)
        self.field = QWidget()  # It holds the maps, and takes no room while there are none.
        self._accent, self._words = "", Words.load("en")
        self._found: Patching | None = None
        self._lay_out()

    def _lay_out(self) -> None:
        within = QWidget()
        buttons = QHBoxLayout(within)
        buttons.setContentsMargins(0, 0, 0, 0)
        for button in self.suggested:
            button.setObjectName("segment")
            button.clicked.connect(self._suggested)
            buttons.addWidget(button)
        buttons.addStretch(1)
        make_tab_group(within, Qt.Key.Key_Left, Qt.Key.Key_Right)
        lines = QGridLayout()
        lines.setHorizontalSpacing(8)
        lines.setVerticalSpacing(6)
        lines.addWidget(self.label, 0, 0)
        lines.addWidget(self.edit, 0, 1)
        lines.addWidget(self.first, 0, 2)
        lines.addWidget(self.suggest_label, 1, 0)
        lines.addWidget(within, 1, 1)
        lines.addWidget(self.second, 1, 2)
        lines.setColumnStretch(1, 1)
        lines.setColumnStretch(2, 1)
        self.choose_above(self.what, self.head_label, self.head, self.step_label, self.step)
        column = column_in(self.scrolled())
        column.addLayout(lines)
        maps = beside(*((card, 1) for card in self.maps.values()))
        maps.setContentsMargins(0, 0, 0, 0)
        self.field.setLayout(maps)
        column.addWidget(self.field, 5)
        column.addWidget(self.why)
        column.addWidget(self.offers, 5)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        why, self._found = why_not(trace, words), found_patching(trace)
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self.offers.setVisible(bool(why))
        self.field.setVisible(not why)
        self._words = words
        sides = {side.name for side in trace.card.sides}
        for side, card in self.maps.items():
            card.setVisible(not why and side in sides)
        self._suggest(trace)
        self._offer_other(words)
        self._tell_translations(trace)
        found = found_patching(trace)
        kinds = PATCHED if found is None else found.kinds
        patched = look.patched if look.patched in kinds else kinds[0]
        self.what.offer({kind: words(f"patching.kind.{kind}") for kind in kinds}, patched)
        for widget in (self.head, self.head_label):
            widget.setVisible(patched == "head")
        with QSignalBlocker(self.head):
            self.head.setRange(0, trace.card.sides[0].n_heads - 1)
            self.head.setValue(look.head)
        self._offer_steps(look)
        super().draw(trace, look, words)

    def _offer_other(self, words: Words) -> None:
        """Show in the empty box which sentence is patched from while none has been typed."""
        self.edit.offer("" if self._found is None else self._found.other_text, words("patching.hint"))

    def _offer_steps(self, look: Look) -> None:
        """Offer the steps at which the two answers differ."""
        steps = () if self._found is None else [step for step in self._found.steps if step.measurable]
        with QSignalBlocker(self.step):
            self.step.clear()
            for step in steps:
                self.step.addItem(step_label(step), step.position)
            chosen = None if self._found is None else chosen_step(self._found, look)
            if self._found is not None and chosen is not None:
                self.step.setCurrentIndex(self.step.findData(self._found.steps[chosen].position))
        for widget in (self.step, self.step_label):
            widget.setVisible(bool(steps))

    def _suggest(self, trace: Trace) -> None:
        texts = suggested_for(trace)
        for place, button in enumerate(self.suggested):
            button.setVisible(place < len(texts))
            if place < len(texts):
                button.setText(texts[place])
                button.setAccessibleName(texts[place])
                self.offers.name(str(place), texts[place], self._words("patching.offer"))
            self.offers.buttons[str(place)].setVisible(place < len(texts))

    def _tell_translations(self, trace: Trace) -> None:
        """Both translations; the words of each that the other has not stand in the accent colour."""
        found = self._found
        there = found is not None and bool(trace.expected)
        first, second = (found.target.split(), found.other_target.split()) if found is not None else ([], [])
        marks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
        own = {n for tag, a, b, _c, _d in marks if tag != "equal" for n in range(a, b)}
        others = {n for tag, _a, _b, c, d in marks if tag != "equal" for n in range(c, d)}
        for label, name, row, changed in ((self.first, "A", first, own), (self.second, "B", second, others)):
            label.setVisible(there)
            told = " ".join(
                f"<b style='color:{self._accent}'>{escape(word)}</b>" if n in changed else escape(word)
                for n, word in enumerate(row)
            )
            label.setText(f"{name}&nbsp;&nbsp;{told}")

    def put(self, wish: Wish) -> None:
        self.edit.put(wish.other)

    def set_theme(self, theme: Theme) -> None:
        self._accent = theme.accent
        super().set_theme(theme)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.label.setText(words("patching.other"))
        self._offer_other(words)
        self.edit.setAccessibleName(words("patching.other"))
        self.suggest_label.setText(words("patching.suggested"))
        self.head_label.setText(words("axis.head"))
        self.head.setAccessibleName(words("axis.head"))
        self.step_label.setText(words("patching.step"))
        self.step.setAccessibleName(words("patching.step"))
        self.what.setAccessibleName(words("patching.what"))

    def _typed(self, text: str) -> None:
        self.wished.emit(SetOther(text))

    def _suggested(self) -> None:
        button = self.sender()
        assert isinstance(button, QToolButton)  # Only suggestions are connected.
        self.wished.emit(SetOther(button.text()))

    def _offered(self, place: str) -> None:
        self.wished.emit(SetOther(self.suggested[int(place)].text()))

    def _chose_step(self, index: int) -> None:
        self.look_at(position=self.step.itemData(index))


PAGE = PatchingPage
