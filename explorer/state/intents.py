"""What a widget asks for: small frozen values that make a new State of the one that is there.

`gesture`: intents of one kind in quick succession are one step of undo, such as a word typed or a slider dragged; "" is a
step of its own. What is only looked at is no step.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import attrs

from explorer.config import as_paper
from explorer.presets import load_preset
from explorer.state.look import Look
from explorer.state.state import Settings, State
from explorer.state.wish import Wish
from explorer.tokens.cuts import Spans, merged, split
from explorer.trace.trace import Trace


class Shown(Protocol):
    """The answer on screen: what was wished, and what came of it."""

    @property
    def wish(self) -> Wish:
        """What was answered."""

    @property
    def trace(self) -> Trace:
        """What was recorded."""


@attrs.frozen
class Intent:
    """`applied` gives the State that is asked for, the same one where there is nothing to do. Raises ExplorerError."""

    is_step: ClassVar[bool] = True

    @property
    def gesture(self) -> str:
        """The kind, for undo."""
        return ""

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State that is asked for."""
        raise NotImplementedError


def _wishing(state: State, **fields: Any) -> State:
    return attrs.evolve(state, wish=attrs.evolve(state.wish, **fields))


@attrs.frozen
class SetText(Intent):
    """The sentence that was typed."""

    text: str

    @property
    def gesture(self) -> str:
        """Typing."""
        return "text"

    def applied(self, state: State, shown: Shown | None) -> State:
        """Cuts and the beginning of a translation belonged to the old sentence."""
        return _wishing(state, text=self.text, source_cuts=None, prefix=())


@attrs.frozen
class SetTarget(Intent):
    """The target that was typed. An empty one is none: the model says its own, or is given the source."""

    text: str

    @property
    def gesture(self) -> str:
        """Typing."""
        return "target"

    def applied(self, state: State, shown: Shown | None) -> State:
        """Cuts belonged to the old target."""
        return _wishing(state, target=self.text if self.text.strip() else None, target_cuts=None, prefix=())


@attrs.frozen
class BeginWith(Intent):
    """Let the translation begin with these ids, and go on by itself."""

    ids: tuple[int, ...]

    def applied(self, state: State, shown: Shown | None) -> State:
        """A target of one's own gives way."""
        return _wishing(state, prefix=self.ids, target=None, target_cuts=None)


@attrs.frozen
class SetBeam(Intent):
    """How many sentences the search for a translation follows."""

    beam: int

    @property
    def gesture(self) -> str:
        """Trying widths."""
        return "beam"

    def applied(self, state: State, shown: Shown | None) -> State:
        """Raises BadField."""
        return _wishing(state, beam=self.beam)


@attrs.frozen
class SetTrained(Intent):
    """The trained weights, with the shape that they have, or fresh ones of the same shape."""

    trained: bool

    def applied(self, state: State, shown: Shown | None) -> State:
        """Raises UnknownPreset, BadPreset."""
        config = state.wish.config
        if self.trained:
            config = config.with_shape_of(load_preset(state.wish.preset).config)
        return _wishing(state, trained=self.trained, config=config)


@attrs.frozen
class SetKnob(Intent):
    """A knob was turned; coupled ones are settled."""

    name: str
    value: object

    @property
    def gesture(self) -> str:
        """Dragging this knob's slider."""
        return f"knob {self.name}"

    def applied(self, state: State, shown: Shown | None) -> State:
        """Raises BadKnob."""
        return _wishing(state, config=state.wish.config.nearest_valid(**{self.name: self.value}))

    def settles(self, before: State, after: State) -> bool:
        """Whether the number of heads was adapted, which nobody asked for."""
        wanted = self.value if self.name == "n_heads" else before.wish.config.n_heads
        return after.wish.config.n_heads != wanted


@attrs.frozen
class SetPreset(Intent):
    """Another preset; the sentence stays unless it was the old preset's own."""

    name: str

    def applied(self, state: State, shown: Shown | None) -> State:
        """Raises UnknownPreset, BadPreset."""
        preset, wish = load_preset(self.name), state.wish
        text = preset.text if wish.text == load_preset(wish.preset).text else wish.text
        cuts = wish.source_cuts if text == wish.text else None
        there = attrs.evolve(state, look=attrs.evolve(state.look, **dict(preset.look)))
        return _wishing(there, preset=self.name, config=preset.config, text=text, trained=True, prefix=(), source_cuts=cuts)


@attrs.frozen
class ResetKnobs(Intent):
    """The preset's knobs again."""

    def applied(self, state: State, shown: Shown | None) -> State:
        """Raises UnknownPreset, BadPreset."""
        return _wishing(state, config=load_preset(state.wish.preset).config, trained=True, prefix=())


@attrs.frozen
class CutTokens(Intent):
    """Cut the tokens of a side anew: "merge" token `index` with the next, "split" it at code point `at`, or "reset" all."""

    side: str
    action: str
    index: int = 0
    at: int = 0

    def applied(self, state: State, shown: Shown | None) -> State:
        """Tokens of a sentence that is not the wished one are left alone. Raises BadCut."""
        wish = state.wish
        translated = self.side == "target" and shown is not None and bool(shown.trace.expected)
        of_target = self.side == "target" and (translated or wish.target is not None)
        field = "target_cuts" if of_target else "source_cuts"
        if self.action == "reset":
            return _wishing(state, **{field: None, "words": ()})
        if shown is None or _is_old(shown.wish, wish, self.side):
            return state
        tokens, index = getattr(shown.trace.tokens, self.side), self.index
        if translated:  # a translation that is cut by hand becomes a target of one's own; its begin symbol is no text
            tokens, index = tokens[1:], index - 1
        spans: Spans = tuple((token.start, token.end) for token in tokens)
        if not 0 <= index < len(spans):
            return state
        spans = merged(spans, index) if self.action == "merge" else split(spans, index, self.at)
        return _wishing(state, **{field: spans}, **({"target": shown.trace.target} if translated else {}))


def _is_old(shown: Wish, wished: Wish, side: str) -> bool:
    return shown.text != wished.text or (side == "target" and shown.target != wished.target)


@attrs.frozen
class AddWord(Intent):
    """Put a word into jieba's dictionary for this text."""

    word: str

    def applied(self, state: State, shown: Shown | None) -> State:
        """Nothing, where it is there already."""
        if not self.word or self.word in state.wish.words:
            return state
        words = (*state.wish.words, self.word)
        return _wishing(state, words=words, source_cuts=None, target_cuts=None, prefix=())


@attrs.frozen
class SetBatch(Intent):
    """Further sentences to go through the model together with the typed one."""

    texts: tuple[str, ...]

    @property
    def gesture(self) -> str:
        """Typing."""
        return "batch"

    def applied(self, state: State, shown: Shown | None) -> State:
        """They replace the others."""
        return _wishing(state, batch=self.texts)


@attrs.frozen
class Compare(Intent):
    """Put a state aside to compare with: "now" this one, "paper" this one as the paper has it, "swap" exchanges the two,
    "" lets the other one go."""

    what: str

    def applied(self, state: State, shown: Shown | None) -> State:
        """Nothing, where there is nothing to swap with."""
        here, other = attrs.evolve(state.wish, compared_with=None), state.wish.compared_with
        if self.what == "swap":
            return state if other is None else attrs.evolve(state, wish=attrs.evolve(other, compared_with=here))
        if self.what == "paper":
            return _wishing(state, compared_with=attrs.evolve(here, config=as_paper(here.config)))
        return _wishing(state, compared_with=here if self.what == "now" else None)


@attrs.frozen(eq=False)
class OpenStep(Intent):
    """A step of a lesson: its preset, knobs and texts, and what it looks at."""

    settings: Settings

    def applied(self, state: State, shown: Shown | None) -> State:
        """Raises UnknownPreset, BadPreset, BadKnob, BadField."""
        return state.opened(self.settings)


@attrs.frozen(eq=False)
class LookAt(Intent):
    """Look at something else; nothing is computed."""

    fields: Mapping[str, Any]
    is_step: ClassVar[bool] = False

    def applied(self, state: State, shown: Shown | None) -> State:
        """Fitted to the answer on screen. Raises BadField."""
        look: Look = attrs.evolve(state.look, **self.fields)
        return attrs.evolve(state, look=look if shown is None else look.fitted(shown.trace))


def look_at(**fields: Any) -> LookAt:
    """The intent to change these fields of the Look."""
    return LookAt(fields)


@attrs.frozen
class OpenPage(Intent):
    """Bring a page to the front."""

    page: str
    is_step: ClassVar[bool] = False

    def applied(self, state: State, shown: Shown | None) -> State:
        """The pages know which there are."""
        return attrs.evolve(state, page=self.page)
