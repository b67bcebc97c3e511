"""The Wish: what a person wants computed, with texts, tokenization, preset, knobs and changes."""

import attrs

from explorer.config import BEAM, Config
from explorer.presets import load_preset, preset_names, titles
from explorer.state.fields import between
from explorer.tokens.cuts import Spans
from explorer.trace.changes import Change, checked, switched_on


@attrs.frozen(kw_only=True)
class Wish:
    """A text and everything that decides what the model computes from it.

    `target` None means a trained model's own translation, or the source text itself for an untrained model. Cuts are token
    spans made by hand; None leaves tokenization to the tokenizer. `words` are added to jieba's dictionary for this text.

    `trained` False means random weights from the seed, even if the preset has trained ones. The model's own translation begins
    with the target ids of `prefix`; `beam` is the width of its search.

    `changes` are made inside the pass, in this order, and also affect the model's own translation; changes that are switched
    off are not made. Experiments run inside them, except a few that say so (`trace.found.experiments`).

    `chat` writes the text as a message in a foreign model's chat template; tokens are then those of the whole prompt.

    `by_ids` reads the text as a row of ids, whole numbers with spaces between them: the tokens are exactly those.

    `taps` are names of taps, with * for any part of a name: only these are recorded. () means all of them.

    `batch` holds further sentences that go through the model together with the text. `compared_with` is another wish that is
    answered together with this one. `other` is the second sentence of activation patching, whose activations are patched into
    this one's pass; "" means the first suggestion. `toward` and `away` are the two sets of sentences of a steering vector; two
    empty sets mean the suggested ones.

    `adapter` is the folder of a LoRA adapter for a foreign model, "" for none; `adapted` False switches it off.
    """

    text: str
    target: str | None = None
    config: Config
    preset: str
    source_cuts: Spans | None = None
    target_cuts: Spans | None = None
    words: tuple[str, ...] = ()
    trained: bool = True
    prefix: tuple[int, ...] = ()
    beam: int = attrs.field(default=1, validator=between(BEAM.valid.low, BEAM.valid.high))
    changes: tuple[Change, ...] = attrs.field(default=(), converter=checked)
    batch: tuple[str, ...] = ()
    other: str = ""
    toward: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    adapter: str = ""
    adapted: bool = True
    compared_with: "Wish | None" = None
    chat: bool = False
    by_ids: bool = False
    taps: tuple[str, ...] = ()

    @property
    def has_trained(self) -> bool:
        """Whether the preset has trained weights."""
        return load_preset(self.preset).folder is not None

    @property
    def title(self) -> str:
        """The title of a model from a folder; for all others the preset's key."""
        return titles((self.preset,))[0] if self.preset not in preset_names() else self.preset

    @property
    def worn(self) -> str:
        """The folder of the adapter that is on; "" for none."""
        return self.adapter if self.adapted else ""

    @property
    def foreign(self) -> bool:
        """Whether the model is a foreign one, from a folder, or a recorded pass, from a file."""
        return load_preset(self.preset).foreign is not None or self.recorded

    @property
    def recorded(self) -> bool:
        """Whether there is no model, but the file of a recorded pass."""
        return load_preset(self.preset).recorded is not None

    @property
    def preset_translates(self) -> bool:
        """Whether the preset has weights trained to translate."""
        return load_preset(self.preset).translates

    @property
    def reads_english(self) -> bool:
        """Whether the preset has weights trained to read English."""
        return load_preset(self.preset).reads_english

    @property
    def uses_trained(self) -> bool:
        """Whether the trained weights are used: they exist, are wanted, and fit the model's shape."""
        preset = load_preset(self.preset)
        return self.trained and preset.folder is not None and self.config.shape == preset.config.shape

    @property
    def writes(self) -> bool:
        """Whether the model generates translations, which changes can break."""
        return self.preset_translates and self.uses_trained

    @property
    def active(self) -> tuple[Change, ...]:
        """The changes that are switched on, in their order."""
        return switched_on(self.changes)

    @property
    def searches(self) -> bool:
        """Whether the target is the model's own translation, found by a beam search, which is slower than greedy decoding."""
        return self.preset_translates and self.target is None and self.beam > 1

    def of_text(self, text: str) -> "Wish":
        """The wish for the same model's pass over another text, without changes, from which activations are patched. A typed
        target stays.
        """
        same = text == self.text
        return attrs.evolve(
            self,
            text=text,
            source_cuts=self.source_cuts if same else None,
            prefix=self.prefix if same else (),
            changes=(),
            batch=(),
            other="",
            toward=(),
            away=(),
            compared_with=None,
        )

    def of_prompts(self) -> "Wish":
        """The wish for the same model's passes over other texts, inside the changes that are on; none has a typed target."""
        return attrs.evolve(self.of_text(""), changes=self.active, target=None, target_cuts=None, taps=())

    @classmethod
    def from_preset(cls, name: str, text: str | None = None, **knobs: object) -> "Wish":
        """A preset's Wish with its own sentence or `text`, and some knobs changed. Raises UnknownPreset, BadKnob."""
        preset = load_preset(name)
        return cls(text=preset.text if text is None else text, config=preset.changed(**knobs), preset=name)
