"""The Wish: what a person wants computed, with texts, cuts, preset, knobs and changes."""

import attrs

from explorer.config import BEAM, Config
from explorer.presets import load_preset, preset_names, titles
from explorer.state.fields import between
from explorer.tokens.cuts import Spans
from explorer.trace.changes import Change, checked, switched_on


@attrs.frozen(kw_only=True)
class Wish:
    """A text and everything that decides what the model computes from it.

    `target` None stands for a trained model's own translation, and for the source text itself if the model is untrained.
    Cuts are spans of tokens made by hand; None where the tokenizer cuts. `words` are added to jieba's dictionary for this
    text.

    `trained` False means random weights from the seed, even if the preset has trained ones. `prefix` holds target ids that
    the model's own translation must begin with; `beam` is how many sentences its search follows.

    `changes` are made inside the pass, in this order, and affect the model's own translation too; those that are switched
    off are not made. Experiments are made inside them, but for a few that say so (`trace.found.experiments`).

    `chat` writes the text as a message in the chat template of a model of others; tokens are then those of the whole prompt.

    `batch` holds further sentences that go through the model together with the text. `compared_with` is another wish that
    is answered together with this one, for comparison. `other` is the second sentence of patching, whose numbers are put
    into this one's pass; "" stands for the first that is suggested. `toward` and `away` are two sets of sentences, of
    which a vector that steers is made; two empty sets stand for those that are suggested.

    `adapter` is the folder of a LoRA adapter for somebody's model, "" for none; `adapted` False takes it off.
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

    @property
    def has_trained(self) -> bool:
        """Whether the preset has trained weights."""
        return load_preset(self.preset).folder is not None

    @property
    def title(self) -> str:
        """What a model from a folder is called; the preset's key for all others."""
        return titles((self.preset,))[0] if self.preset not in preset_names() else self.preset

    @property
    def worn(self) -> str:
        """The folder of the adapter that is on; "" for none."""
        return self.adapter if self.adapted else ""

    @property
    def foreign(self) -> bool:
        """Whether the model is somebody else's, from a folder, or a pass that was recorded before, from a file."""
        return load_preset(self.preset).foreign is not None or self.recorded

    @property
    def recorded(self) -> bool:
        """Whether there is no model, but the file of a pass that was recorded before."""
        return load_preset(self.preset).recorded is not None

    @property
    def preset_translates(self) -> bool:
        """Whether the preset has weights that were trained to translate."""
        return load_preset(self.preset).translates

    @property
    def uses_trained(self) -> bool:
        """Whether the trained weights are used: they are wanted, exist, and fit the model's shape."""
        preset = load_preset(self.preset)
        return self.trained and preset.folder is not None and self.config.shape == preset.config.shape

    @property
    def writes(self) -> bool:
        """Whether the model that is shown writes translations of its own, which changes can break."""
        return self.preset_translates and self.uses_trained

    @property
    def active(self) -> tuple[Change, ...]:
        """The changes that are switched on, in their order."""
        return switched_on(self.changes)

    @property
    def searches(self) -> bool:
        """Whether the target is the model's own translation, found by a beam search, which is slower than a greedy one."""
        return self.preset_translates and self.target is None and self.beam > 1

    def of_text(self, text: str) -> "Wish":
        """The wish for the same model's pass over another text, without changes, from which a patch is taken.

        A typed target stays.
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

    @classmethod
    def from_preset(cls, name: str, text: str | None = None, **knobs: object) -> "Wish":
        """A preset's Wish with its own sentence or `text`, and some knobs changed. Raises UnknownPreset, BadKnob."""
        preset = load_preset(name)
        return cls(text=preset.text if text is None else text, config=preset.changed(**knobs), preset=name)
