"""The compare page: two states and their difference, and where the present one departs from the paper."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from explorer.app.pages.aligned import AlignedViews
from explorer.app.pages.compared_part import ComparedPart
from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.config import departures
from explorer.engine.errand import Brought
from explorer.lang import Words
from explorer.picture.makers.compare import (
    aside,
    bars_aside,
    bars_now,
    comparable,
    departures_html,
    difference,
    left_of,
    not_comparable,
    now,
)
from explorer.presets import load_preset
from explorer.state.comparing_intents import Compare, CompareWith
from explorer.state.intents import Intent
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import SecondHeadBox
from explorer.views.controls.flow import flowing
from explorer.views.controls.suggestions import Suggestions
from explorer.views.controls.tab_group import make_tab_group
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView

_SUGGESTED: dict[str, Intent] = {
    "paper": Compare("paper"),
    "positions": CompareWith((("position", "none"),)),
    "mask": CompareWith((("causal_mask", False),)),
    "temperature": CompareWith((("temperature", 2.0),)),
    "residual": CompareWith((("residual", False),)),
    "untrained": CompareWith(trained=False),
}
"""What one click puts beside the present state."""
_ALONE_PX = 540  # the height below which the page scrolls while it has no bars
_WEIGHTS_PX = 340  # the height of the card of weights


class ComparePage(Page):
    """Buttons that put a state aside, take the paper's, swap the two or drop it; maps and bars of both states, or the maps of
    two heads.

    While nothing is put aside and no second head is chosen, suggestions stand where the other state will be.
    """

    key = "compare"
    least_px = 1620
    shows_masks = True

    def __init__(self) -> None:
        super().__init__()
        self.keep, self.paper, self.swap, self.drop = QPushButton(), QPushButton(), QPushButton(), QPushButton()
        for button, what in ((self.keep, "now"), (self.paper, "paper"), (self.swap, "swap"), (self.drop, "")):
            button.setProperty("keeps", what)
            button.clicked.connect(self._keep)
        self.about, self.list = QLabel(), QLabel()
        for label in (self.about, self.list):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.suggestions = Suggestions(tuple(_SUGGESTED))
        self.suggestions.chose.connect(self._suggest)
        views = [HeatmapView() for _ in range(3)]
        self.maps = [self.card(view, make) for view, make in zip(views, (aside, now, difference), strict=True)]
        self.link(views)
        views[0].follows = False  # Its cells belong to the pass of the state that was put aside.
        self.bars = [self.card(BarsView(), bars_aside), self.card(BarsView(), bars_now)]
        self.part = ComparedPart(self)
        self.part.sent.connect(self.sent)
        self.part.changed.connect(self._draw_again)
        self.second = SecondHeadBox()
        self.second.chose.connect(self._chose_second)
        self.matching = self.choice("matched")
        self._lay_out()
        self._aligned = AlignedViews(self.maps)
        self._show_other(False, pinned=False, subtracted=False)
        self._wish: Wish | None = None
        self._words: Words | None = None
        self._why = ""  # why the two maps cannot be subtracted
        self._shown: tuple[Trace, Look, Words] | None = None

    def _lay_out(self) -> None:
        self.choose_above(self.keep, self.paper, self.swap, self.drop)
        assert self.choices_above is not None  # It has just been made.
        make_tab_group(self.choices_above, Qt.Key.Key_Left, Qt.Key.Key_Right)
        stages = flowing(self.choice("attention"), self.choice("stage"), self.pool_box(), self.second, self.matching)
        self._desk = self.scrolled()
        column = column_in(self._desk)
        column.addWidget(self.about)
        column.addWidget(stages)
        column.addLayout(beside(*((card, 1) for card in self.maps), (self.suggestions, 1)), 5)
        part = self.part
        column.addLayout(beside((part.heads, 1), (part.words, 1)), 4)
        column.addWidget(part.weights, 4)
        column.addWidget(part.progress)
        column.addLayout(beside(*((bars, 1) for bars in self.bars)), 3)
        column.addLayout(beside((self.list, 1), (self.explain(hug=True), 3)))

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._shown = trace, look, words
        self.part.look_into(trace)
        self.part.draw(trace, words)
        pinned = trace.compared_with is not None
        there = left_of(trace, look) is not None
        self._show_other(there, pinned=pinned, subtracted=comparable(trace, look))
        self.about.setVisible(pinned or not there)
        self._why = not_comparable(trace, look, words)
        chosen = look.beside_layer, look.beside_head
        layers, n_heads = trace.card.attention_layers(look.attention), trace.card.side(look.attention).n_heads
        self.second.offer(layers, n_heads, chosen, words)
        self._tell()
        self.list.setText("" if trace.config is None else departures_html(departures(trace.config), words))
        self.list.setVisible(trace.config is not None)
        super().draw(trace, look, words)
        self.matching.setVisible(_differ(trace))
        if pinned:
            self._desk.setMinimumHeight(self._desk_px() + self.part.make_room())

    def _draw_again(self) -> None:
        """Show what was found out about the difference."""
        if self._shown is not None:
            self.draw(*self._shown)

    def bring(self, brought: Brought) -> None:
        self.part.bring(brought)

    @property
    def awaits(self) -> bool:
        return self.part.awaits

    def let_go(self) -> bool:
        return self.part.give_up()

    def forget(self) -> None:
        self._shown = None
        self.part.forget()

    def _broken(self, trace: Trace, words: Words) -> str:
        return self.part.broken(words) or super()._broken(trace, words)

    def _show_other(self, there: bool, *, pinned: bool, subtracted: bool) -> None:
        """Show the cards of the state that was put aside or of the second head, or the suggestions in their place."""
        other = {
            self.maps[0]: there,
            self.maps[2]: subtracted,
            self.bars[0]: pinned,
            self.bars[1]: pinned,
            self.suggestions: not there,
        }
        focused = QApplication.focusWidget()
        if focused is not None and any(each.isAncestorOf(focused) for each, shown in other.items() if not shown):
            # Qt would hand the keys on to whatever comes next, and scroll the page to it.
            self.maps[1].view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.
        for each, shown in other.items():
            each.setVisible(shown)
        self._desk.setMinimumHeight(self._desk_px() if pinned else _ALONE_PX)

    def _desk_px(self) -> int:
        return self.least_px if self.part.has_weights else self.least_px - _WEIGHTS_PX

    def put(self, wish: Wish) -> None:
        self._wish = wish
        self.part.put(wish)
        there = wish.compared_with is not None
        self.swap.setEnabled(there)
        self.drop.setEnabled(there)
        self.paper.setVisible(not wish.foreign)
        self.paper.setEnabled(bool(departures(wish.config)))
        for key, intent in _SUGGESTED.items():
            differs = intent.changes(wish) if isinstance(intent, CompareWith) else bool(departures(wish.config))
            self.suggestions.buttons[key].setVisible(_acts(intent, wish))
            self.suggestions.buttons[key].setEnabled(differs)
        self._tell()

    def speak(self, words: Words) -> None:
        super().speak(words)
        self._words = words
        for button, key in ((self.keep, "keep"), (self.paper, "take_paper"), (self.swap, "swap"), (self.drop, "drop")):
            button.setText(words(f"compare.{key}"))
        for key in _SUGGESTED:
            self.suggestions.name(key, words(f"compare_with.{key}.title"), words(f"compare_with.{key}.about"))
        self._tell()

    def _tell(self) -> None:
        if self._words is None or self._wish is None:
            return
        other = self._wish.compared_with
        if other is None:
            self.about.setText(self._words("compare.nothing"))
            return
        changed = [name for name, value in other.config.values().items() if value != self._wish.config.values()[name]]
        named = [self._words(f"knob.{name}.name") for name in changed]
        if other.worn != self._wish.worn:
            named.append(self._words("adapter.title", name=Path(other.worn or self._wish.worn).name))
        names = ", ".join(named) or self._words("compare.same_knobs")
        title = f"preset.{other.preset}.title"
        preset = self._words(title) if title in self._words else other.title
        told = self._words("compare.about", text=other.text, preset=preset, knobs=names)
        self.about.setText(f"{told} {self._why}".rstrip())

    def _keep(self) -> None:
        self.wished.emit(Compare(str(self.sender().property("keeps"))))

    def _chose_second(self, layer: int, head: int) -> None:
        self.look_at(beside_layer=layer, beside_head=head)

    def _suggest(self, key: str) -> None:
        self.wished.emit(_SUGGESTED[key])


def _acts(intent: Intent, wish: Wish) -> bool:
    """Whether a suggestion does anything to the model: few knobs act on a foreign one, whose weights are its own."""
    knobs = intent.knobs if isinstance(intent, CompareWith) else ()
    return not wish.foreign or (bool(knobs) and all(load_preset(wish.preset).acts(name) for name, _value in knobs))


def _differ(trace: Trace) -> bool:
    """Whether the two states have different tokens, so that it matters how they are matched."""
    other = trace.compared_with
    return other is not None and (trace.tokens.source, trace.tokens.target) != (other.tokens.source, other.tokens.target)


PAGE = ComparePage
