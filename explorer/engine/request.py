"""What goes to the compute thread and what comes back: two frozen values."""

from itertools import accumulate

import attrs

from explorer.config import Config
from explorer.lessons.lesson import Step
from explorer.presets import load_preset
from explorer.tokens.cuts import Spans
from explorer.trace.changes import Change, checked
from explorer.trace.trace import Trace


@attrs.frozen(kw_only=True)
class Request:
    """A text and everything that decides what the model makes of it.

    `target` None: a trained model's own translation, for an untrained model the source text itself. Cuts are the
    hand-made spans of tokens, None where the tokenizer cuts. `words` are added to jieba's dictionary for this text.
    A later request has the higher `serial`.

    `trained` False: fresh weights from the seed, even where the preset has trained ones. `prefix` are target ids that
    the model's own translation shall begin with; `beam` is how many sentences its search follows. `refines` True: an
    answer to the same wish is on screen already, so this one gives way at once to whatever comes next.

    `changes` are made inside the pass, in this order. The model's own translation is then what it says under them; the
    experiments are those of the model without them.

    `experiments` are wanted beside the pass (names of `trace.experiments.EXPERIMENTS`); `batch` are further sentences for
    the one of that name. `wanted` are taps and heads of a long text that are looked at, the newest last: of such a text
    not everything is kept (head -1: the tap as a whole). `compared_with` is another wish to be answered with this one, so that
    the two can be compared.
    """

    text: str
    target: str | None = None
    config: Config
    preset: str
    serial: int = 0
    source_cuts: Spans | None = None
    target_cuts: Spans | None = None
    words: tuple[str, ...] = ()
    trained: bool = True
    prefix: tuple[int, ...] = ()
    beam: int = 1
    changes: tuple[Change, ...] = attrs.field(default=(), converter=checked)
    refines: bool = False
    batch: tuple[str, ...] = ()
    experiments: frozenset[str] = frozenset()
    compared_with: "Request | None" = None
    wanted: tuple[tuple[str, int], ...] = ()

    @property
    def has_trained(self) -> bool:
        """Whether the preset has trained weights at all."""
        return load_preset(self.preset).folder is not None

    @property
    def uses_trained(self) -> bool:
        """Whether these are the trained weights: wanted, there, and the model has their shape."""
        preset = load_preset(self.preset)
        return self.trained and preset.folder is not None and self.config.shape == preset.config.shape

    def at_step(self, step: Step) -> "Request":
        """What a lesson's step asks for: its preset, knobs and texts; what it does not say stays. Raises UnknownPreset,
        BadKnob."""
        name = step.preset or self.preset
        config = load_preset(name).config if step.preset else self.config
        text = step.text or self.text
        return attrs.evolve(
            self,
            preset=name,
            config=config.changed(**dict(step.knobs)),
            text=text,
            batch=step.batch,
            target=step.target or None,
            target_cuts=None,
            trained=True,
            prefix=(),
            words=(),
            changes=(),
            compared_with=None,
            source_cuts=_spans(step.cuts) if step.cuts else self.source_cuts if text == self.text else None,
        )

    def of_text(self, text: str) -> "Request":
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
            serial=0,
            refines=False,
            batch=(),
            experiments=frozenset(),
            compared_with=None,
            wanted=(),
        )

    @classmethod
    def from_preset(cls, name: str, text: str | None = None, **knobs: object) -> "Request":
        """A preset with its own sentence, or another one, and some knobs moved. Raises UnknownPreset, BadKnob."""
        preset = load_preset(name)
        return cls(text=preset.text if text is None else text, config=preset.config.changed(**knobs), preset=name)


def _spans(cuts: tuple[str, ...]) -> Spans:
    """Words that follow one another, as spans."""
    ends = tuple(accumulate(map(len, cuts)))
    return tuple(zip((0, *ends), ends, strict=False))


@attrs.frozen(kw_only=True, eq=False)
class Frame:
    """A Trace as it comes back: the request that asked for it, and how long each part took."""

    request: Request
    trace: Trace
    tokens_ms: float
    build_ms: float
    pass_ms: float
    decoding_ms: float = 0.0
    device: str = "CPU"
    devices: tuple[str, ...] = ("cpu",)  # that could have computed it

    @property
    def serial(self) -> int:
        """The request's serial number."""
        return self.request.serial
