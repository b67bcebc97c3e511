"""The follow page: one attention cell, from its query and key to what it passes on, as a sheet or played beat by beat."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QLabel

from explorer.app.pages.layouts import column_in
from explorer.app.pages.page import Page
from explorer.errors import NotKept
from explorer.lang import Words
from explorer.picture.follow_text import figure, title
from explorer.picture.followed import BEATS
from explorer.picture.kinds import Follow
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.follow import follow
from explorer.picture.theme import Theme
from explorer.state.look import Look, attentions
from explorer.trace.trace import Trace
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.controls.transport import Beat, Transport
from explorer.views.painting.pointed import Spot
from explorer.views.pictures.follow import FollowView
from explorer.views.pictures.heatmap import HeatmapView

_MAP_PX = 58
_BOX_PX = 44
_NAMES = ("play", "earlier", "later", "all_beats", "speed", "scrub", "keys")  # texts of the transport


class FollowPage(Page):
    """The picture with its transport below; above it the choice of attention, layer, head and cell."""

    key = "follow"
    least_px = 430

    def __init__(self) -> None:
        super().__init__()
        self._words: Words | None = None
        self.view, self.transport = FollowView(), Transport()
        self.map = HeatmapView(bar=False, bare=True)
        self.map.setFixedSize(_MAP_PX, _MAP_PX)
        self.map.follows = False  # A click shows the cell here.
        self.layer, self.head = WholeNumberBox(), WholeNumberBox()
        self.layer_label, self.head_label = QLabel(), QLabel()
        self.shown = self.card(self.view, follow, title="page.follow")
        self._fill_bar()
        self.shown.layout().addWidget(self.transport)  # type: ignore[union-attr]  # A card has a box layout.
        column_in(self.scrolled()).addWidget(self.shown)
        self.view.setFocus()  # Its keys work as soon as the page is opened from a map.
        self._connect()

    def _fill_bar(self) -> None:
        """Put the choices beside the title: attention, layer, head, and the map in which any cell can be picked."""
        for label, box in ((self.layer_label, self.layer), (self.head_label, self.head)):
            label.setObjectName("faint")
            box.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
            box.setFixedWidth(_BOX_PX)
            box.setAlignment(Qt.AlignmentFlag.AlignCenter)
        chosen = (self.choice("attention"), self.layer_label, self.layer, self.head_label, self.head, self.map)
        for place, each in enumerate(chosen, 2):
            self.shown.bar.insertWidget(place, each)

    def _connect(self) -> None:
        self.layer.valueChanged.connect(self.sets("layer"))
        self.head.valueChanged.connect(self.sets("head"))
        self.map.chose.connect(self._chose_cell)
        self.map.cell_cursor.moved.connect(self._chose_cell)
        self.map.pointed.connect(self.pointed)
        view, transport = self.view, self.transport
        view.moved.connect(self._follow_time)
        view.leaving.connect(self._leave)
        transport.toggled.connect(view.toggle)
        transport.stepped.connect(view.step)
        transport.sought.connect(view.seek)
        transport.all_wanted.connect(view.show_all)
        transport.speed.connect(self._set_speed)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._words = words
        super().draw(trace, look, words)
        side = trace.card.side(look.attention)
        for box, last, value in ((self.layer, side.n_layers - 1, look.layer), (self.head, side.n_heads - 1, look.head)):
            with QSignalBlocker(box):
                box.setRange(0, last)
                box.setValue(value)
        if not attentions(trace):
            self.shown.note.setText(words("follow.nothing"))
            self.shown.note.show()
            self.map.hide()
            return
        self._draw_map(trace, look, words)
        self._follow_time()

    def _draw_map(self, trace: Trace, look: Look, words: Words) -> None:
        """Show the chosen head's weights with the followed cell; hide the map where they were not kept."""
        picture = self.shown.picture
        try:
            made = head_map(trace, Look(attention=look.attention, layer=look.layer, head=look.head), words)
        except NotKept:
            self.map.hide()
            return
        self.map.show()
        self.map.draw(made, words)
        if isinstance(picture, Follow):
            self.map.cell_cursor.put(picture.followed.cell.query, picture.followed.cell.key)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self._words = words
        self.map.setAccessibleName(words("follow.pick"))
        self.transport.name({key: words(f"follow.{key}") for key in _NAMES})
        for label, box, key in ((self.layer_label, self.layer, "layer"), (self.head_label, self.head, "head")):
            label.setText(words(f"follow.{key}"))
            box.setAccessibleName(words(f"follow.{key}"))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.transport.set_theme(theme)
        self.map.set_theme(theme)

    def light(self, tokens: frozenset[Spot]) -> None:
        super().light(tokens)
        self.map.light(tokens)

    def _follow_time(self) -> None:
        """Let the transport show what the view shows."""
        picture, table, words = self.view.picture, self.view.table, self._words
        if picture is None or table is None or words is None:
            return
        numbers = picture.followed
        parts = tuple(
            Beat(title(numbers, beat, words), figure(numbers, beat, words), table.start(place))
            for place, beat in enumerate(BEATS)
        )
        self.transport.put(parts, table.total, self.view.time_s, whole=self.view.whole, playing=self.view.playing)

    def _set_speed(self, factor: float) -> None:
        self.view.speed = factor

    def _chose_cell(self, query: int, key: int) -> None:
        self.look_at(cell_query=query, cell_key=key)

    def _leave(self) -> None:
        self.open(self.before or "attention")


PAGE = FollowPage
