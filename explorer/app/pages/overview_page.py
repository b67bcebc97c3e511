"""The overview page: the river, one picture of the whole pass."""

from PySide6.QtCore import QTimer

from explorer.app.pages.card import Card
from explorer.app.pages.layouts import column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.river import river
from explorer.picture.river.place import Place
from explorer.picture.theme import Theme
from explorer.state.intents import BeginWith, OpenPage
from explorer.state.look import Look
from explorer.trace.found.experiments import WHY
from explorer.trace.trace import Trace
from explorer.views.controls.transport import PlayBar
from explorer.views.pictures.river import RiverView

_STEP_MS = 600  # each step is looked at for so long while they are played


class OverviewPage(Page):
    """The river fills the page; a click on it changes the Look. A block that is clicked again opens in place."""

    key = "overview"
    shows_masks = True
    least_px = 380  # what the river needs; a low window with the invitation has hardly more

    def __init__(self) -> None:
        super().__init__()
        self._trace: Trace | None = None
        self._look = Look()
        self.river = RiverView()
        self.card_ = self.card(self.river, river, "attention")
        _fill_page(self.card_)
        self.river.chose.connect(self._chose)
        self.river.laid_out.connect(self._place)
        self._playing = QTimer(self)
        self._playing.timeout.connect(self._play_on)
        self.play_bar = PlayBar()
        self.play_bar.toggled.connect(self._toggle)
        column = column_in(self.scrolled())
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.card_, 1)
        column.addWidget(self.play_bar)

    def forget(self) -> None:
        self._trace = None

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._trace, self._look = trace, look
        # Contributions are made with weights that are asked for only while bands show them.
        self.look_into(frozenset({WHY.key}) if look.bands == "contributions" else frozenset())
        self.invites = self.invites and not look.opened
        self.play_bar.hint.setVisible(self.invites)
        self.play_bar.setVisible(_n_steps(trace) > 1)
        super().draw(trace, look, words)
        picture = self.river.picture
        if picture is not None and picture.wanted:
            self.wanted.emit(picture.wanted)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.play_bar.speak(words)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.play_bar.set_theme(theme)

    def _toggle(self) -> None:
        self._chose(Place("play"))

    def _place(self) -> None:
        """Let the strip above stand in line with the river's columns."""
        if self.spans != self.river.columns:
            self.spans = self.river.columns
            self.placed.emit()

    def _chose(self, place: Place) -> None:
        """Look at what was clicked: a head, a block, a step; a candidate is written instead."""
        played = self._playing.isActive()
        self._pause()
        match place.kind:
            case "play" if not played:
                self._play()
            case "head":
                self.look_at(attention=place.attention, layer=place.layer, head=place.head, aligned="head", overlaid=())
            case "block" if place.attention.endswith("_attn"):
                again = (place.attention, place.layer) == (self._look.attention, self._look.layer)
                self.look_at(attention=place.attention, layer=place.layer, opened="attention" if again else "")
            case "block" if not self._attends(place):  # The river has nothing to open in place there.
                self.look_at(layer=place.layer, side=place.attention.partition(".")[0])
                self.wished.emit(OpenPage("layers"))
            case "block":
                side = place.attention.partition(".")[0]  # Closing it again leaves one in its layer.
                self.look_at(layer=place.layer, side=side, attention=f"{side}.self_attn", opened="feed_forward")
            case "pool":
                self.look_at(aligned="head" if place.side == self._pooled() else place.side)
            case "open":
                self.look_at(opened="attention")
            case "bands":
                self.look_at(bands=place.side)
            case "close":
                self.look_at(opened="")
            case "excerpt":
                self.look_at(**{f"{place.side}_first": place.index, f"{place.side}_end": place.end})
            case "step":
                self.look_at(position=place.index)
            case "pair" if place.attention.startswith("decoder"):
                picture = self.river.picture
                if picture is not None:
                    self.look_at(position=picture.half_of(place.attention, "query").writes(place.query)[0])
            case "token" | "vector" if place.side == "target" and self.river.picture is not None:
                half = self.river.picture.halves[-1]
                self.look_at(position=half.writes(half.lane(place.index))[0] if half.groups else place.index)
            case "words":
                self.look_at(unit="tokens" if self._look.unit == "words" else "words")
            case "candidate":
                self._branch(place.index)

    def _attends(self, place: Place) -> bool:
        """Whether the layer of a place has attention."""
        return self._trace is None or place.layer in self._trace.card.attention_layers(place.attention)

    def _pooled(self) -> str:
        """What stands for the heads now; "" for one head."""
        return "" if self.river.picture is None else self.river.picture.pooled

    def _play(self) -> None:
        """Go through the steps, from the first one if the last was looked at."""
        if self._trace is not None:
            last = _n_steps(self._trace) - 1
            step = self._look.step(self._trace)
            self.look_at(position=0 if step >= last else step + 1)
            self._playing.start(round(_STEP_MS / self.play_bar.speed))
            self.play_bar.show_playing(playing=True)

    def _pause(self) -> None:
        self._playing.stop()
        self.play_bar.show_playing(playing=False)

    def _play_on(self) -> None:
        """Go one step further; stop at the last one, or when the page is not seen any more."""
        trace = self._trace
        self._playing.setInterval(round(_STEP_MS / self.play_bar.speed))
        last = 0 if trace is None else _n_steps(trace) - 1
        step = 0 if trace is None else self._look.step(trace)
        if step >= last or not self.isVisible():
            self._pause()
        else:
            self.look_at(position=step + 1)

    def _branch(self, rank: int) -> None:
        """Let decoding write another symbol at the chosen step and continue freely."""
        picture = self.river.picture
        if self._trace is not None and self._trace.expected and picture is not None:
            before = self._trace.expected[: self._look.step(self._trace)]
            self.wished.emit(BeginWith((*before, picture.written.candidates[rank][2])))


def _n_steps(trace: Trace) -> int:
    """How many words were generated, or tokens predicted; 0 for a model that predicts none."""
    return len(trace.side("generator.probabilities")) if "generator.probabilities" in trace else 0


def _fill_page(card: Card) -> None:
    """Take away the card's title line, note, frame and margins: the river has captions and a legend of its own."""
    card.setObjectName("bare")
    card.tells_note = False
    layout = card.layout()
    assert layout is not None  # A card has a layout.
    layout.setContentsMargins(0, 0, 0, 0)
    for widget in (card.title, card.formula, card.shape, card.line.open):
        widget.hide()


PAGE = OverviewPage
