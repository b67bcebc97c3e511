"""The Config: all knobs of our own model, each declared once.

The constructor refuses values that do not fit; `Config.nearest_valid` adapts coupled knobs instead, for sliders.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypedDict

import attrs

from explorer.errors import HeadsDoNotFit, MisspelledKnob, UnknownKnob
from explorer.knobs import Knob, Range, Value, declared, knob

_FEWEST_SYMBOLS = 8
_SEEDS, _OFFERED_SEEDS = (0, 999_999), (0, 9999)  # The box beside the slider has room for six figures.

SINUSOID_VARIANTS = ("sinusoidal-doubled", "sinusoidal-halved", "sinusoidal-per-feature", "sine-only")
"""Variants of the paper's sinusoids that tutorials write or print; `model.positions` has their formulas."""

MASK_VALUES: Mapping[str, float] = MappingProxyType({"-inf": -math.inf, "-1e9": -1e9})
"""The score of a masked cell, for each choice of the knob `mask_value`.

A cell counts as masked where its score is exactly one of these; float32 and float64 hold both exactly. `trace.measures`
finds masked cells in arrays, `model.masks` in tensors.
"""


@attrs.frozen(kw_only=True)
class Config:
    """All knobs together. Raises BadKnob for values that are out of range or do not fit together.

    They stand in the order of use: what can be turned while a text is on screen comes first, what replaces trained weights by
    untrained ones comes last. No group has knobs of both kinds.
    """

    causal_mask: bool = knob(True, group="masks", applies="pass", paper=True)
    causal_mask_encoder: bool = knob(False, group="masks", applies="pass", paper=False)
    causal_mask_cross: bool = knob(False, group="masks", applies="pass", paper=False)
    masking: str = knob(
        "usual", group="masks", applies="pass", choices=("usual", "inverted", "zeros", "zeros-decoder"), paper="usual"
    )
    mask_value: str = knob("-inf", group="masks", applies="pass", choices=tuple(MASK_VALUES), paper="-inf")
    position: str = knob(
        "sinusoidal",
        group="masks",
        applies="pass",
        choices=("sinusoidal", "learned", "rotary", "alibi", "none", *SINUSOID_VARIANTS),
        weighing=("learned",),
        in_modules=True,
        paper="sinusoidal",
    )
    position_base: float = knob(10000.0, group="masks", applies="pass", valid=(2, 1e6), step=1, logarithmic=True, paper=10000.0)
    embedding_scale: float = knob(1.0, group="masks", applies="pass", valid=(0, 4), step=0.05, paper=1.0)

    temperature: float = knob(1.0, group="attention", applies="pass", valid=(0.1, 5), step=0.05, paper=1.0)
    score_scaling: bool = knob(True, group="attention", applies="pass", paper=True)

    residual: bool = knob(True, group="layer", applies="pass", paper=True)
    norm_placement: str = knob("pre", group="layer", applies="pass", choices=("pre", "post"), paper="post")
    norm_kind: str = knob("torch", group="layer", applies="pass", choices=("torch", "std-eps"), in_modules=True, paper="torch")
    activation: str = knob("relu", group="layer", applies="pass", choices=("relu", "gelu"), in_modules=True, paper="relu")

    tokenizer: str = knob(
        "jieba", group="tokens", applies="pass", choices=("jieba", "jieba-full", "jieba-search", "characters", "spaces", "bpe")
    )
    jieba_hmm: bool = knob(True, group="tokens", applies="pass")

    no_repeat_ngram: int = knob(0, group="decoding", applies="pass", valid=(0, 8))

    dropout: float = knob(0.1, group="randomness", applies="pass", valid=(0, 0.9), step=0.05)
    dropout_active: bool = knob(False, group="randomness", applies="pass")
    dropout_seed: int = knob(0, group="randomness", applies="pass", valid=_SEEDS, offered=_OFFERED_SEEDS)

    memory_budget: int = knob(1024, group="computation", applies="pass", valid=(16, 65536), unit="MB", logarithmic=True)
    device: str = knob("cpu", group="computation", applies="pass", choices=("cpu", "cuda", "mps"))

    architecture: str = knob(
        "encoder-decoder", group="shape", applies="weights", choices=("encoder-decoder", "encoder-only", "decoder-only")
    )
    n_layers: int = knob(2, group="shape", applies="weights", valid=(1, 64))
    n_heads: int = knob(4, group="shape", applies="weights", valid=(1, 64))
    d_model: int = knob(64, group="shape", applies="weights", valid=(4, 1024), step=4)
    d_ff: int = knob(256, group="shape", applies="weights", valid=(4, 4096), step=4)
    max_len: int = knob(1024, group="shape", applies="weights", valid=(2, 8192), logarithmic=True)
    vocab_size: int = knob(8000, group="shape", applies="weights", valid=(_FEWEST_SYMBOLS, 65536), step=100, logarithmic=True)
    target_vocab_size: int = knob(0, group="shape", applies="weights", valid=(0, 65536), step=100)
    vocabulary: str = knob("bundled", group="shape", applies="weights", choices=("bundled", "sentence"), paper="bundled")
    bias: bool = knob(True, group="shape", applies="weights")
    tied_embeddings: bool = knob(False, group="shape", applies="weights")

    initialization: str = knob(
        "independent",
        group="initialization",
        applies="weights",
        choices=("independent", "cloned-layers", "cloned-projections"),
        in_modules=False,
        paper="independent",
    )
    norm_shift: float = knob(
        0.0, group="initialization", applies="weights", valid=(-2, 2), step=0.1, in_modules=False, paper=0.0
    )
    seed: int = knob(0, group="initialization", applies="weights", valid=_SEEDS, offered=_OFFERED_SEEDS, in_modules=False)

    def __attrs_post_init__(self) -> None:
        if self.d_model % self.n_heads:
            raise HeadsDoNotFit(n_heads=self.n_heads, d_model=self.d_model)

    @property
    def d_head(self) -> int:
        """The number of features of one head: d_model / n_heads."""
        return self.d_model // self.n_heads

    @property
    def score_divisor(self) -> float:
        """The divisor of Q·Kᵀ before the softmax: √d_head · temperature, or the temperature alone without score scaling."""
        return (math.sqrt(self.d_head) if self.score_scaling else 1.0) * self.temperature

    @property
    def n_target_symbols(self) -> int:
        """The size of the target's vocabulary: vocab_size if both sides share one. The special symbols always fit."""
        return max(_FEWEST_SYMBOLS, self.target_vocab_size) if self.has_two_vocabularies else self.vocab_size

    @property
    def has_two_vocabularies(self) -> bool:
        """Whether source and target have vocabularies of their own."""
        return self.architecture == "encoder-decoder" and self.target_vocab_size > 0

    @property
    def shape(self) -> tuple[object, ...]:
        """The values that decide the weights: knobs that apply to weights, and choices that bring weights of their own."""
        return tuple(
            getattr(self, knob.name) if knob.applies == "weights" else getattr(self, knob.name) in knob.weighing
            for knob in KNOBS
            if knob.applies == "weights" or knob.weighing
        )

    def with_shape_of(self, other: "Config") -> "Config":
        """This Config with the shape of another one."""
        mine, theirs = self.values(), other.values()
        taken = {
            knob.name: theirs[knob.name]
            for knob in KNOBS
            if knob.applies == "weights" or (mine[knob.name] in knob.weighing) != (theirs[knob.name] in knob.weighing)
        }
        return self.changed(**taken)

    def differing(self, other: "Config") -> tuple[Knob, ...]:
        """The knobs in which two Configs differ."""
        mine, theirs = self.values(), other.values()
        return tuple(knob for knob in KNOBS if mine[knob.name] != theirs[knob.name])

    def values(self) -> dict[str, Value]:
        """All knobs' values by name."""
        return {knob.name: getattr(self, knob.name) for knob in KNOBS}

    def changed(self, **values: object) -> "Config":
        """A Config with other values. Raises BadKnob."""
        if not values:
            return self  # A new Config would check each knob again.
        for name in values:
            find_knob(name)
        return Config(**self.values() | values)  # type: ignore[arg-type]  # The constructor checks each value.

    def nearest_valid(self, **values: object) -> "Config":
        """The nearest Config that can be built: numbers are brought into range, and n_heads becomes a divisor of d_model.

        Raises UnknownKnob, KnobNotAChoice and KnobNotANumber, for which there is no nearest value.
        """
        settled = self.values()
        for name, value in values.items():
            declared = find_knob(name)
            settled[name] = declared.nearest(value) if declared.kind in ("int", "float") else declared.check(value)
        settled["n_heads"] = _divisor(int(settled["d_model"]), int(settled["n_heads"]), self.n_heads)
        return Config(**settled)  # type: ignore[arg-type]  # The constructor checks each value.


class KnobValues(TypedDict, total=False):
    """The knobs as keyword arguments, for editors and type checkers; a test compares it with the Config."""

    causal_mask: bool
    causal_mask_encoder: bool
    causal_mask_cross: bool
    masking: Literal["usual", "inverted", "zeros", "zeros-decoder"]
    mask_value: Literal["-inf", "-1e9"]
    position: Literal[
        "sinusoidal",
        "learned",
        "rotary",
        "alibi",
        "none",
        "sinusoidal-doubled",
        "sinusoidal-halved",
        "sinusoidal-per-feature",
        "sine-only",
    ]
    position_base: float
    embedding_scale: float
    temperature: float
    score_scaling: bool
    residual: bool
    norm_placement: Literal["pre", "post"]
    norm_kind: Literal["torch", "std-eps"]
    activation: Literal["relu", "gelu"]
    tokenizer: Literal["jieba", "jieba-full", "jieba-search", "characters", "spaces", "bpe"]
    jieba_hmm: bool
    no_repeat_ngram: int
    dropout: float
    dropout_active: bool
    dropout_seed: int
    memory_budget: int
    device: Literal["cpu", "cuda", "mps"]
    architecture: Literal["encoder-decoder", "encoder-only", "decoder-only"]
    n_layers: int
    n_heads: int
    d_model: int
    d_ff: int
    max_len: int
    vocab_size: int
    target_vocab_size: int
    vocabulary: Literal["bundled", "sentence"]
    bias: bool
    tied_embeddings: bool
    initialization: Literal["independent", "cloned-layers", "cloned-projections"]
    norm_shift: float
    seed: int


def _divisor(d_model: int, wanted: int, before: int) -> int:
    """The divisor of d_model to use for n_heads: the next one in the direction in which a slider moved from `before`.

    So the slider is never stuck. If n_heads did not move, or there is no divisor in that direction, the nearest divisor.
    """
    divisors = [n for n in range(1, min(d_model, int(find_knob("n_heads").valid.high)) + 1) if d_model % n == 0]
    onward = [n for n in divisors if (n >= wanted > before) or (n <= wanted < before)]
    return min(onward or divisors, key=lambda n: (abs(n - wanted), -n))


KNOBS = declared(Config)
GROUPS = tuple(dict.fromkeys(knob.group for knob in KNOBS))
"""The groups of knobs, in the order of their declaration."""
UNTRAINED_GROUPS = tuple(dict.fromkeys(knob.group for knob in KNOBS if knob.applies == "weights"))
"""The groups whose knobs replace trained weights by untrained ones."""

BEAM = Knob(name="beam", kind="int", default=4, group="decoding", applies="pass", valid=Range(1, 8))
"""The beam width: a knob of decoding, not of the model."""

_BY_NAME: Mapping[str, Knob] = {each.name: each for each in KNOBS}


def counting_knobs(config: Config) -> dict[str, Value]:
    """The knobs that, with the weights, make the function from ids to probabilities, by name."""
    values = config.values()
    return {each.name: values[each.name] for each in KNOBS if each.group in ("masks", "attention", "layer")}


def departures(config: Config) -> tuple[tuple[str, Value, Value], ...]:
    """(knob, its value here, the paper's value) for all knobs in which a Config departs from Vaswani et al. 2017."""
    values = config.values()
    return tuple(
        (knob.name, values[knob.name], knob.paper)
        for knob in KNOBS
        if knob.paper is not None and values[knob.name] != knob.paper
    )


def as_paper(config: Config) -> Config:
    """The Config with the same sizes and everything else as in the paper."""
    return config.changed(**{name: paper for name, _here, paper in departures(config)})


def find_knob(name: str) -> Knob:
    """The declaration of a knob. Raises UnknownKnob, and MisspelledKnob if a knob has a similar name."""
    try:
        return _BY_NAME[name]
    except KeyError:
        import difflib  # Only an error needs it.

        nearest = difflib.get_close_matches(str(name)[:200], list(_BY_NAME), n=1)
        raise (MisspelledKnob(name=name, nearest=nearest[0]) if nearest else UnknownKnob(name=name)) from None
