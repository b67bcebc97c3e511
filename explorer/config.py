"""Every hyperparameter, declared once: range, step, cost. Sliders, flags, checks and hints are made from this table.

The constructor refuses what does not fit; `Config.nearest_valid` settles coupled knobs for a slider instead.
Names and hints stand in the language files under `knob.<name>`.
"""

import math
import numbers
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import attrs

from explorer.errors import HeadsDoNotFit, KnobNotAChoice, KnobNotANumber, KnobNotWhole, KnobOutOfRange, UnknownKnob

Cost = Literal["forward", "rebuild"]
"""forward: same weights, a new pass. rebuild: a new model."""

Value = int | float | bool | str

_FEWEST_SYMBOLS = 16

SINUSOID_VARIANTS = ("sinusoidal-doubled", "sinusoidal-halved", "sinusoidal-per-feature", "sine-only")
"""What tutorials write or print in place of the paper's sinusoids; `model.positions` has their formulas."""

MASK_VALUES: Mapping[str, float] = MappingProxyType({"-inf": -math.inf, "-1e9": -1e9})
"""The score of a closed cell by the knob `mask_value`. A cell is closed where its score is one of these, to the last bit:
float32 and float64 hold both exactly. `trace.measures` asks arrays for closed cells, `model.masks` tensors.
"""


@attrs.frozen
class Knob:
    """One declared hyperparameter.

    `kind` is "int", "float", "bool" or "choice"; `low`, `high` and `step` are in `unit`; a `logarithmic` knob moves
    by factors.
    """

    name: str
    kind: str
    default: Value
    group: str
    cost: Cost
    low: float = 0
    high: float = 1
    step: float = 1
    choices: tuple[str, ...] = ()
    logarithmic: bool = False

    def check(self, value: object) -> Value:
        """`value` as this knob keeps it. Raises KnobOutOfRange, KnobNotAChoice or KnobNotANumber."""
        if self.kind == "choice":
            if not isinstance(value, str) or value not in self.choices:
                raise KnobNotAChoice(name=self.name, choices=", ".join(self.choices), got=value)
            return value
        if self.kind == "bool":
            return self._truth(value)
        number = self._number(value)
        if not self.low <= number <= self.high:
            raise KnobOutOfRange(name=self.name, low=self._plain(self.low), high=self._plain(self.high), got=value)
        if self.kind == "int" and number != int(number):
            raise KnobNotWhole(name=self.name, got=value)
        return self._plain(number)

    def _truth(self, value: object) -> bool:
        if isinstance(value, str):
            value = {
                "true": True,
                "on": True,
                "yes": True,
                "1": True,
                "false": False,
                "off": False,
                "no": False,
                "0": False,
            }.get(value.lower(), value)
        if not isinstance(value, bool):
            raise KnobNotAChoice(name=self.name, choices="true, false", got=value)
        return value

    def _number(self, value: object) -> int | float:
        """Any number, infinity too: it is out of range, but one can say on which side. NumPy's are welcome."""
        if isinstance(value, bool) or not isinstance(value, (numbers.Real, str)):
            raise KnobNotANumber(name=self.name, got=value)
        try:
            number = int(value) if isinstance(value, numbers.Integral) else float(value)
        except OverflowError:  # a fraction larger than any float
            number = math.inf if value > 0 else -math.inf  # type: ignore[operator]  # only numbers are too large
        except ValueError:
            raise KnobNotANumber(name=self.name, got=value) from None
        if number != number:  # NaN
            raise KnobNotANumber(name=self.name, got=value)
        return number

    def _plain(self, number: float) -> int | float:
        return int(number) if self.kind == "int" else float(number)

    def nearest(self, value: object) -> int | float:
        """The closest number this knob allows; steps are for sliders and bind nobody else. Raises KnobNotANumber."""
        number = min(max(self._number(value), self.low), self.high)
        return self._plain(round(number) if self.kind == "int" else number)


def knob(default: Value, *, group: str, cost: Cost, **ranges: Any) -> Any:
    """Declare one field of Config; its kind follows from the default."""
    kind = "choice" if "choices" in ranges else type(default).__name__
    about = dict(kind=kind, default=default, group=group, cost=cost, **ranges)

    def checked(value: object, _self: object, field: "attrs.Attribute[Any]") -> Value:
        return Knob(name=field.name, **about).check(value)

    converter = attrs.Converter(checked, takes_self=True, takes_field=True)
    return attrs.field(default=default, metadata=about, converter=converter)


@attrs.frozen(kw_only=True)
class Config:
    """All knobs together. Raises a BadKnob for anything out of range or not fitting together."""

    architecture: str = knob(
        "encoder-decoder", group="shape", cost="rebuild", choices=("encoder-decoder", "encoder-only", "decoder-only")
    )
    n_layers: int = knob(2, group="shape", cost="rebuild", low=1, high=64)
    n_heads: int = knob(4, group="shape", cost="rebuild", low=1, high=64)
    d_model: int = knob(64, group="shape", cost="rebuild", low=4, high=1024, step=4)
    d_ff: int = knob(256, group="shape", cost="rebuild", low=4, high=4096, step=4)
    max_len: int = knob(1024, group="shape", cost="rebuild", low=2, high=8192, logarithmic=True)
    vocab_size: int = knob(8000, group="shape", cost="rebuild", low=_FEWEST_SYMBOLS, high=65536, step=100, logarithmic=True)
    target_vocab_size: int = knob(0, group="shape", cost="rebuild", low=0, high=65536, step=100)

    position: str = knob(
        "sinusoidal",
        group="position",
        cost="forward",
        choices=("sinusoidal", "learned", "rotary", "alibi", "none", *SINUSOID_VARIANTS),
    )
    position_base: float = knob(10000.0, group="position", cost="forward", low=2, high=1e6, step=1, logarithmic=True)
    embedding_scale: float = knob(1.0, group="position", cost="forward", low=0, high=4, step=0.05)

    score_scaling: bool = knob(True, group="attention", cost="forward")
    temperature: float = knob(1.0, group="attention", cost="forward", low=0.1, high=5, step=0.05)
    causal_mask: bool = knob(True, group="attention", cost="forward")
    causal_mask_encoder: bool = knob(False, group="attention", cost="forward")
    causal_mask_cross: bool = knob(False, group="attention", cost="forward")
    masking: str = knob("usual", group="attention", cost="forward", choices=("usual", "inverted", "zeros", "zeros-decoder"))
    mask_value: str = knob("-inf", group="attention", cost="forward", choices=tuple(MASK_VALUES))
    bias: bool = knob(True, group="attention", cost="rebuild")

    residual: bool = knob(True, group="layer", cost="forward")
    norm_placement: str = knob("pre", group="layer", cost="forward", choices=("pre", "post"))
    norm_kind: str = knob("torch", group="layer", cost="forward", choices=("torch", "std-eps"))
    norm_shift: float = knob(0.0, group="layer", cost="rebuild", low=-2, high=2, step=0.1)
    activation: str = knob("relu", group="layer", cost="forward", choices=("relu", "gelu"))
    tied_embeddings: bool = knob(False, group="layer", cost="rebuild")

    dropout: float = knob(0.1, group="chance", cost="forward", low=0, high=0.9, step=0.05)
    dropout_active: bool = knob(False, group="chance", cost="forward")
    dropout_seed: int = knob(0, group="chance", cost="forward", low=0, high=9999)
    initialization: str = knob(
        "independent", group="chance", cost="rebuild", choices=("independent", "cloned-layers", "cloned-projections")
    )
    seed: int = knob(0, group="chance", cost="rebuild", low=0, high=9999)

    memory_budget: int = knob(1024, group="machine", cost="forward", low=16, high=65536, logarithmic=True)
    device: str = knob("cpu", group="machine", cost="forward", choices=("cpu", "cuda", "mps"))

    tokenizer: str = knob(
        "jieba", group="tokens", cost="forward", choices=("jieba", "jieba-full", "jieba-search", "characters", "spaces", "bpe")
    )
    vocabulary: str = knob("bundled", group="tokens", cost="rebuild", choices=("bundled", "sentence"))
    jieba_hmm: bool = knob(True, group="tokens", cost="forward")

    def __attrs_post_init__(self) -> None:
        if self.d_model % self.n_heads:
            raise HeadsDoNotFit(n_heads=self.n_heads, d_model=self.d_model)

    @property
    def d_head(self) -> int:
        """Features of one head: d_model / n_heads."""
        return self.d_model // self.n_heads

    @property
    def score_divisor(self) -> float:
        """What Q·Kᵀ is divided by before the softmax: √d_head · temperature; where scores stay unscaled, the temperature."""
        return (math.sqrt(self.d_head) if self.score_scaling else 1.0) * self.temperature

    @property
    def n_target_symbols(self) -> int:
        """Rows of the target's vocabulary: vocab_size where both sides share one. The special symbols always fit."""
        return max(_FEWEST_SYMBOLS, self.target_vocab_size) if self.has_two_vocabularies else self.vocab_size

    @property
    def has_two_vocabularies(self) -> bool:
        """True: source and target are looked up in vocabularies of their own."""
        return self.architecture == "encoder-decoder" and self.target_vocab_size > 0

    @property
    def shape(self) -> tuple[object, ...]:
        """What decides the weights: knobs of cost "rebuild", and whether positions are learned."""
        return (*(getattr(self, knob.name) for knob in KNOBS if knob.cost == "rebuild"), self.position == "learned")

    def with_shape_of(self, other: "Config") -> "Config":
        """The shape of another Config with one's own knobs of cost "forward"."""
        rebuild = {knob.name: getattr(other, knob.name) for knob in KNOBS if knob.cost == "rebuild"}
        learned = (self.position == "learned") != (other.position == "learned")
        return self.changed(**rebuild, position=other.position if learned else self.position)

    def values(self) -> dict[str, Value]:
        """Every knob's value by name."""
        return attrs.asdict(self)

    def changed(self, **values: object) -> "Config":
        """A Config with other values. Raises a BadKnob."""
        for name in values:
            find_knob(name)
        return Config(**self.values() | values)  # type: ignore[arg-type]  # the constructor checks each value

    def nearest_valid(self, **values: object) -> "Config":
        """The closest Config that can be built: numbers are brought into range, n_heads becomes a divisor of d_model.

        Raises UnknownKnob, KnobNotAChoice and KnobNotANumber, for which there is no nearest.
        """
        settled = self.values()
        for name, value in values.items():
            declared = find_knob(name)
            settled[name] = declared.nearest(value) if declared.kind in ("int", "float") else declared.check(value)
        settled["n_heads"] = _divisor(int(settled["d_model"]), int(settled["n_heads"]), self.n_heads)
        return Config(**settled)  # type: ignore[arg-type]  # the constructor checks each value


def _divisor(d_model: int, wanted: int, before: int) -> int:
    """The divisor of d_model that a slider means: the next one in the direction it moved, so that it is never stuck.

    Where n_heads did not move itself, or there is none further on, the closest.
    """
    divisors = [n for n in range(1, min(d_model, int(find_knob("n_heads").high)) + 1) if d_model % n == 0]
    onward = [n for n in divisors if (n >= wanted > before) or (n <= wanted < before)]
    return min(onward or divisors, key=lambda n: (abs(n - wanted), -n))


KNOBS: tuple[Knob, ...] = tuple(Knob(name=field.name, **field.metadata) for field in attrs.fields(Config))
_BY_NAME: Mapping[str, Knob] = {each.name: each for each in KNOBS}


def find_knob(name: str) -> Knob:
    """The declaration of a knob. Raises UnknownKnob."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise UnknownKnob(name=name) from None
