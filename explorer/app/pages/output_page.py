"""The output page: decoding steps, the distribution at each step, attention at that step, alignment and search tree.

Of a language model it also lets one go on with the text; of a masked one each token is hidden in turn, and of a model of
sentence vectors, which has no output, several sentences are compared; of a classifier it shows the classes.
"""

import attrs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolButton, QWidget

from explorer.app.pages.layouts import below, beside, column_in
from explorer.app.pages.output_parts import ClassesPart, ClozePart, SimilarityPart, compares, fills_in
from explorer.app.pages.page import Page
from explorer.app.pages.writing_part import WritingPart, writes_on
from explorer.config import BEAM
from explorer.engine.errand import Brought
from explorer.lang import Words
from explorer.picture.makers.alignment import alignment, alignment_map, has_alignment
from explorer.picture.makers.attention import step_cross, step_self
from explorer.picture.makers.classes import tells_classes
from explorer.picture.makers.output import top_bars, top_map
from explorer.picture.makers.pooled import offered_pools, pooled_as
from explorer.picture.makers.timeline import timeline
from explorer.picture.makers.tree import search_tree
from explorer.picture.theme import Theme
from explorer.state.intents import BeginWith, SetBeam
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import PoolBox
from explorer.views.controls.head_squares import HeadSquares
from explorer.views.controls.map_filter import UnitSwitch
from explorer.views.controls.sampling import SamplingBar
from explorer.views.controls.segments import Segments
from explorer.views.pictures.alignment import AlignmentView
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.timeline import TimelineView
from explorer.views.pictures.tree import TreeView

_EXPLAINED = {
    "write": "writing",
    "hide": "cloze",
    "compare": "similarity",
    "classify": "classes",
}  # the explanation of what is done
_EXPLAINING = 2  # the share of the height for an explanation that stands alone


class OutputPage(Page):
    """The steps of decoding; the other cards show the chosen step. `doing` is "read", "write" of a language model, "hide" of
    a masked one, "compare" of one that makes vectors of sentences, or "classify" of a classifier.
    """

    key = "output"
    least_px = 640
    needs = ("generator.logits",)

    def __init__(self) -> None:
        super().__init__()
        self._trace: Trace | None = None
        self._look = Look()
        self._as_grid = False
        self._words: Words | None = None
        self._told = ""  # the name of the explanation that is shown
        self.doing = ""  # the first that the model offers
        self._make_cards()
        self.writing = WritingPart(self)
        self.writing.sent.connect(self.sent)
        self.writing.wished.connect(self.wished)
        self.writing.changed.connect(self.look_at)
        self.cloze, self.similarity = ClozePart(self), SimilarityPart(self)
        for part in (self.cloze, self.similarity):
            part.sent.connect(self.sent)
            part.changed.connect(self.look_at)
        self.classes = ClassesPart(self)
        self.doings = Segments()
        self.doings.chose.connect(self._do)
        aligned = below((self.lines, 1), (self.grid, 1))
        middle = beside((self.bars, 7), (below((self.cross, 1), (self.own, 1)), 10), (aligned, 11))
        within = self.scrolled()
        self.reading, choices = QWidget(), QHBoxLayout()
        reading = below((self.steps, 2))
        reading.setContentsMargins(0, 0, 0, 0)
        reading.addLayout(middle, 7)
        self.reading.setLayout(reading)
        choices.addWidget(self.doings)
        choices.addStretch(1)
        column = column_in(within)
        column.addLayout(choices)
        column.addWidget(self.reading, 9)
        for each in (self.writing, self.cloze, self.similarity, self.classes):
            column.addWidget(each, 9)
            each.hide()
        last = beside((self.tree, 5), (self.map, 5), (self.writing.tried, 5), (self.explain(), 2))
        column.addLayout(last, 4)
        self._column, self._last = column, last

    def _make_cards(self) -> None:
        steps, bars, tree = TimelineView(), BarsView(), TreeView()
        self.steps = self.card(steps, timeline)
        self.bars = self.card(bars, top_bars)
        cross, own = HeatmapView(bar=False), HeatmapView(bar=False)
        self.cross = self.card(cross, step_cross)
        self.own = self.card(own, step_self)
        self.lines = self.card(AlignmentView(), alignment)
        self.grid = self.card(HeatmapView(), alignment_map)
        self.tree = self.card(tree, search_tree)
        self.map = self.card(HeatmapView(), top_map)
        self.sampling, self.beams = SamplingBar(), Segments()
        self.pools: list[PoolBox] = []
        self.free, self.to_grid, self.to_lines = QToolButton(), QToolButton(), QToolButton()
        for button in (self.free, self.to_grid, self.to_lines):
            button.setObjectName("segment")
        self.unit = UnitSwitch()
        self.unit.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # It has a key of its own, and one stop less leads to the maps.
        self.unit.changed.connect(self.look_with)
        self.steps.bar.insertWidget(2, self.unit)
        self.steps.bar.insertWidget(3, self.free)
        self.steps.note_beside = True
        self.bars.layout().insertWidget(1, self.sampling)  # type: ignore[union-attr]  # A card has a box layout.
        for card, other in ((self.lines, self.to_grid), (self.grid, self.to_lines)):
            pool = PoolBox()
            pool.chose.connect(self.sets("aligned"))
            self.pools.append(pool)
            card.bar.insertWidget(2, pool)
            card.bar.insertWidget(3, other)
        self.squares = HeadSquares()
        self.squares.changed.connect(self.look_with)
        self.lines.layout().insertWidget(2, self.squares)  # type: ignore[union-attr]  # As above.
        self.tree.bar.insertWidget(2, self.beams)
        for heads in (cross, own):
            heads.chose.connect(self._choose_head)
        steps.stepped.connect(self.sets("position"))
        bars.chose.connect(self._branch)
        tree.chose.connect(self._follow)
        self.sampling.changed.connect(self.look_with)
        self.beams.chose.connect(self._search)
        self.free.clicked.connect(self._decode_freely)
        self.to_grid.clicked.connect(self._show_grid)
        self.to_lines.clicked.connect(self._show_lines)

    def forget(self) -> None:
        self._trace = None

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._trace, self._look = trace, look
        self.unit.put(look)
        translates, offered = bool(trace.expected), _doings(trace)
        now = self._done(trace)
        self.doings.offer({each: words(f"writing.{each}") for each in offered} if len(offered) > 1 else {}, now)
        parts: dict[str, WritingPart | ClozePart | SimilarityPart | ClassesPart] = {
            "write": self.writing,
            "hide": self.cloze,
            "compare": self.similarity,
            "classify": self.classes,
        }
        self._show_one(parts.get(now, self.reading), (self.reading, *parts.values()))
        self.writing.tried.setVisible(now == "write")
        if now in parts:
            parts[now].draw(trace, look, words)
        self._explain()
        self._column.setStretchFactor(self._last, _EXPLAINING if now in ("hide", "compare", "classify") else 4)
        self.cross.setVisible(has_alignment(trace))
        self.show_instead(*((self.grid, self.lines) if self._as_grid else (self.lines, self.grid)))
        if not has_alignment(trace):
            self.lines.hide()
            self.grid.hide()
        self.tree.setVisible(translates and now == "read")
        self.map.setVisible(not translates and now == "read")
        across = attrs.evolve(look, attention="decoder.cross_attn")
        for pool in self.pools:
            pool.offer(offered_pools(across), pooled_as(across), words)
        if has_alignment(trace):
            self.squares.put(look, trace.card.side("decoder").n_heads, words)
        if trace.card.vocab_size:
            self.sampling.put(look, trace.card.vocab_size)
        super().draw(trace, look, words)

    @staticmethod
    def _show_one(shown: QWidget, all_parts: tuple[QWidget, ...]) -> None:
        """Show one part and hide the others. Keys that were one of theirs go to it, and not to the explanation at the end."""
        has_keys = QApplication.focusWidget()
        shown.show()
        if has_keys is not None and any(part is not shown and part.isAncestorOf(has_keys) for part in all_parts):
            shown.setFocus()
        for part in all_parts:
            part.setVisible(part is shown)

    def put(self, wish: Wish) -> None:
        """Show the beam width, and the button of free decoding where the user chose some tokens."""
        self.beams.offer({str(beam): str(beam) for beam in range(1, int(BEAM.valid.high) + 1)}, str(wish.beam))
        self.free.setVisible(bool(wish.prefix))
        for part in (self.writing, self.cloze, self.similarity):
            part.put(wish)

    def lacks(self, trace: Trace) -> str:
        return "" if compares(trace) or tells_classes(trace) else super().lacks(trace)

    def bring(self, brought: Brought) -> None:
        for part in (self.writing, self.cloze, self.similarity):
            part.bring(brought)

    def set_theme(self, theme: Theme) -> None:
        self.squares.set_theme(theme)
        super().set_theme(theme)
        self.writing.set_theme(theme)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self._words = words
        self._told = ""
        self.writing.speak(words)
        self.similarity.speak(words)
        self.doings.setAccessibleName(words("writing.doing"))
        self.sampling.speak(words)
        self.unit.speak(words)
        self.free.setText(words("output.free"))
        self.free.setToolTip(words("output.free_hint"))
        self.to_grid.setText(words("output.as_map"))
        self.to_lines.setText(words("output.as_lines"))
        self.beams.setAccessibleName(words("output.beam"))
        self.beams.setToolTip(words("output.beam"))

    def _do(self, doing: str) -> None:
        """Read the text, go on with it, or hide its tokens."""
        self.doing = doing
        self.look_at()  # An unchanged Look still draws the page again.

    @property
    def explained(self) -> str:
        """The explanation of what is done; a model without cross-attention reads without a source."""
        if self._trace is None:
            return self.key
        done = self._done(self._trace)
        return _EXPLAINED.get(done, "reading" if done == "read" and not has_alignment(self._trace) else self.key)

    def _done(self, trace: Trace) -> str:
        """What is done, which is the first thing on offer until the user chooses another."""
        offered = _doings(trace)
        return self.doing if self.doing in offered else offered[0]

    def _explain(self) -> None:
        if self.explanation is not None and self._words is not None and self.explained != self._told:
            self._told = self.explained
            self.explanation.tell(self._told, self._words)

    def _choose_head(self, row: int, _column: int) -> None:
        if self._trace is not None and row < self._trace.card.side("decoder").n_heads:
            self.look_at(head=row, aligned="head", overlaid=())  # The last row is the mean of all heads and cannot be chosen.

    def _branch(self, symbol: int) -> None:
        """Let decoding write this symbol at the chosen step and continue freely."""
        if self._trace is not None and self._trace.expected:
            before = self._trace.expected[: self._look.step(self._trace)]
            self.wished.emit(BeginWith((*before, symbol)))

    def _follow(self, node: int) -> None:
        if self._trace is not None and self._trace.search is not None:
            self.wished.emit(BeginWith(self._trace.search.ids(node)))

    def _decode_freely(self) -> None:
        self.wished.emit(BeginWith(()))

    def _show_grid(self) -> None:
        self._show_as(grid=True)

    def _show_lines(self) -> None:
        self._show_as(grid=False)

    def _show_as(self, *, grid: bool) -> None:
        self._as_grid = grid
        self.look_at()  # An unchanged Look still draws the page again.

    def _search(self, beam: str) -> None:
        self.wished.emit(SetBeam(int(beam)))


def _doings(trace: Trace) -> tuple[str, ...]:
    """What the page can do with the model of a Trace, what it does first at the beginning."""
    if tells_classes(trace):
        return ("classify",)
    if compares(trace):
        return ("compare",)
    if fills_in(trace):
        return ("hide", "read")
    return ("read", "write") if writes_on(trace) else ("read",)


PAGE = OutputPage
