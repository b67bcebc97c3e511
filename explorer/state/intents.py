"""Intents: what widgets ask for, as small frozen values that turn the present State into a new one.

Quick intents of one `gesture`, such as typing or dragging a slider, are one step of undo; an intent with the gesture "" is
a step of its own. An intent that changes only the Look or the page is no step.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol

import attrs

from explorer.errors import FolderIsGone, KnobDoesNothing, NoModelInside, NotAModel, NotATrace, UnknownPreset
from explorer.presets import load_preset
from explorer.state.look import SAMPLING, Look
from explorer.state.state import LessonPlace, Settings, State
from explorer.state.wish import Wish
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace


class OnScreen(Protocol):
    """The answer on screen: a wish and the trace that answers it."""

    @property
    def wish(self) -> Wish:
        """The wish that was answered."""

    @property
    def trace(self) -> Trace:
        """The recorded trace."""


@attrs.frozen
class Intent(ABC):
    """The base of intents. `is_step` is False for intents that undo ignores."""

    is_step: ClassVar[bool] = True

    @property
    def gesture(self) -> str:
        """The kind of gesture, which undo groups by; "" groups with nothing."""
        return ""

    @abstractmethod
    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The new State; the same State where there is nothing to do. Raises ExplorerError."""


def wishing(state: State, **fields: Any) -> State:
    """The State with these fields of its Wish."""
    return attrs.evolve(state, wish=attrs.evolve(state.wish, **fields))


@attrs.frozen
class SetText(Intent):
    """Set the source to the sentence that was typed."""

    text: str

    @property
    def gesture(self) -> str:
        """The gesture of typing the source."""
        return "text"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this text. Cuts and prefix are dropped, as they belong to the old sentence."""
        return wishing(state, text=self.text, source_cuts=None, prefix=())


@attrs.frozen
class SetTarget(Intent):
    """Set the target that was typed. With an empty one the model translates by itself, or is given the source."""

    text: str

    @property
    def gesture(self) -> str:
        """The gesture of typing the target."""
        return "target"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this target. Cuts and prefix are dropped, as they belong to the old one."""
        return wishing(state, target=self.text if self.text.strip() else None, target_cuts=None, prefix=())


@attrs.frozen
class SetChat(Intent):
    """Write the text as a message in a foreign model's chat template, or read it as it is."""

    on: bool

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with the template or without it. What was written after the other text is dropped."""
        return wishing(state, chat=self.on, prefix=())


@attrs.frozen
class BeginWith(Intent):
    """Make the translation begin with these ids; the model continues it."""

    ids: tuple[int, ...]

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this prefix. A typed target is dropped."""
        return wishing(state, prefix=self.ids, target=None, target_cuts=None)


@attrs.frozen
class SetBeam(Intent):
    """Set the beam width of the search."""

    beam: int

    @property
    def gesture(self) -> str:
        """The gesture of trying beam widths."""
        return "beam"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this beam width. Raises BadField."""
        return wishing(state, beam=self.beam)


@attrs.frozen
class SetTrained(Intent):
    """Use the trained weights and their model shape, or random weights of the present shape."""

    trained: bool

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with these weights. Raises UnknownPreset, BadPreset."""
        config = state.wish.config
        if self.trained:
            config = config.with_shape_of(load_preset(state.wish.preset).config)
        return wishing(state, trained=self.trained, config=config)


@attrs.frozen
class SetKnob(Intent):
    """Turn a knob; coupled knobs follow to the nearest valid value."""

    name: str
    value: object

    @property
    def gesture(self) -> str:
        """The gesture of dragging this knob's slider."""
        return f"knob {self.name}"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this knob's value. Raises BadKnob, also for a knob that does not act on the model."""
        if not load_preset(state.wish.preset).acts(self.name):
            raise KnobDoesNothing(name=self.name)
        return wishing(state, config=state.wish.config.nearest_valid(**{self.name: self.value}))

    def settles(self, before: State, after: State) -> bool:
        """Whether the number of heads was adapted although the user did not ask for it."""
        wanted = self.value if self.name == "n_heads" else before.wish.config.n_heads
        return after.wish.config.n_heads != wanted


@attrs.frozen
class SetPreset(Intent):
    """Open another preset. The sentence stays, unless it was the old preset's own."""

    name: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this preset. Raises UnknownPreset, BadPreset."""
        preset, wish = load_preset(self.name), state.wish
        # A recorded pass has a text of its own; the one that was typed waits for the next model.
        text = preset.text if preset.text and wish.text == load_preset(wish.preset).text else wish.text
        cuts = wish.source_cuts if text == wish.text else None
        there = attrs.evolve(state, look=attrs.evolve(state.look, **dict(preset.look)))
        cut = wishing(there, preset=self.name, config=preset.config, text=text, trained=True, prefix=(), source_cuts=cuts)
        # An adapter belongs to its base, a chat template to its folder, and an id to its vocabulary.
        same = self.name == wish.preset
        return wishing(cut, adapter="", adapted=True, chat=wish.chat and same, by_ids=wish.by_ids and same)


@attrs.frozen
class OpenFolder(Intent):
    """Open a model's folder, foreign or trained here, or a file of knobs or with a recorded pass."""

    path: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this model; it is opened by the next pass.

        Raises FolderIsGone, NotAModel, CheckpointAsModel, NotATrace, BadPreset.
        """
        folder = Path(self.path).absolute()
        if not folder.exists():
            raise FolderIsGone(path=str(folder))
        try:
            return SetPreset(str(folder)).applied(state, shown)
        except UnknownPreset as error:
            if folder.is_file():
                raise NotATrace(path=str(folder)) from error
            if type(error) is not NoModelInside:
                raise
            raise NotAModel(path=str(folder), reason="config.json ?") from error


@attrs.frozen
class ResetKnobs(Intent):
    """Set all knobs back to the preset's values."""

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with the preset's knobs. Raises UnknownPreset, BadPreset."""
        return wishing(state, config=load_preset(state.wish.preset).config, trained=True, prefix=())


@attrs.frozen(eq=False)
class OpenStep(Intent):
    """Open a step of a lesson, with its preset, knobs, texts and Look.

    `earlier` are the settings of the steps before it, for a reader who comes from elsewhere, since a step builds on them.
    `place` names the lesson and the step.
    """

    settings: Settings
    earlier: tuple[Settings, ...] = ()
    place: LessonPlace | None = None

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State that the step sets up. Raises UnknownPreset, BadPreset, BadKnob, BadField."""
        for settings in (*self.earlier, self.settings):
            state = state.opened(settings)
        return attrs.evolve(state, lesson=self.place)


@attrs.frozen(eq=False)
class LookAt(Intent):
    """Change fields of the Look, which needs no computation."""

    fields: Mapping[str, Any]
    is_step: ClassVar[bool] = False

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with these fields, fitted to the trace on screen. Raises BadField."""
        look: Look = attrs.evolve(state.look, **self.fields)
        return attrs.evolve(state, look=look if shown is None else look.fitted(shown.trace, to_attention=False))


@attrs.frozen(eq=False)
class SetSampling(LookAt):
    """Set how the next token is sampled: a step of undo, as a knob's is."""

    is_step: ClassVar[bool] = True

    @property
    def gesture(self) -> str:
        """Each field is a gesture."""
        return f"sampling {' '.join(self.fields)}"


def look_at(**fields: Any) -> LookAt:
    """The intent that changes these fields of the Look."""
    return SetSampling(fields) if fields and fields.keys() <= set(SAMPLING) else LookAt(fields)


@attrs.frozen
class OpenPage(Intent):
    """Bring a page to the front."""

    page: str
    is_step: ClassVar[bool] = False

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this page; its key is not checked here."""
        return attrs.evolve(state, page=self.page)


@attrs.frozen
class FollowCell(Intent):
    """Follow one attention cell on the page that plays how it comes about."""

    cell: Cell
    is_step: ClassVar[bool] = False

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this cell, its head and its attention, and the page in front. Raises BadField."""
        cell = self.cell
        there = look_at(
            attention=cell.attention, layer=cell.layer, head=cell.head, cell_query=cell.query, cell_key=cell.key
        ).applied(state, shown)
        return attrs.evolve(there, page="follow")
