"""What a person wants computed: texts, cuts, model, knobs."""

import attrs

from explorer.config import BEAM, Config
from explorer.presets import load_preset
from explorer.state.fields import between
from explorer.tokens.cuts import Spans
from explorer.trace.changes import Change, checked


@attrs.frozen(kw_only=True)
class Wish:
    """A text and everything that decides what the model makes of it.

    `target` None: a trained model's own translation, for an untrained model the source text itself. Cuts are the
    hand-made spans of tokens, None where the tokenizer cuts. `words` are added to jieba's dictionary for this text.

    `trained` False: fresh weights from the seed, even where the preset has trained ones. `prefix` are target ids that
    the model's own translation shall begin with; `beam` is how many sentences its search follows.

    `changes` are made inside the pass, in this order. The model's own translation is then what it says under them; the
    experiments are those of the model without them.

    `batch` are further sentences that go through the model together with the text, where somebody looks at a batch.
    `compared_with` is another wish to be answered with this one, so that the two can be compared.
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
    compared_with: "Wish | None" = None

    @property
    def has_trained(self) -> bool:
        """Whether the preset has trained weights at all."""
        return load_preset(self.preset).folder is not None

    @property
    def uses_trained(self) -> bool:
        """Whether these are the trained weights: wanted, there, and the model has their shape."""
        preset = load_preset(self.preset)
        return self.trained and preset.folder is not None and self.config.shape == preset.config.shape

    @property
    def searches(self) -> bool:
        """Whether the target is the model's own, found by a search that a greedy one is quicker than."""
        return self.has_trained and self.target is None and self.beam > 1

    def of_text(self, text: str) -> "Wish":
        """The same model's pass over another text, with nothing changed: what a patch is taken from. A target that was given
        stays.
        """
        same = text == self.text
        return attrs.evolve(
            self,
            text=text,
            source_cuts=self.source_cuts if same else None,
            prefix=self.prefix if same else (),
            changes=(),
            batch=(),
            compared_with=None,
        )

    @classmethod
    def from_preset(cls, name: str, text: str | None = None, **knobs: object) -> "Wish":
        """A preset with its own sentence, or another one, and some knobs moved. Raises UnknownPreset, BadKnob."""
        preset = load_preset(name)
        return cls(text=preset.text if text is None else text, config=preset.config.changed(**knobs), preset=name)
