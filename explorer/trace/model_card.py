"""The ModelCard: what pictures, lessons and estimates of memory ask about a model, our own or a foreign one.

Every Trace has a card. `trace.own_card` makes it from the Config of our own model; the source of a foreign model makes it for
that model. Decision: pictures ask the card and never a Config, so that a model without a Config can be drawn. Rejected: a
Config with more knobs, because a knob is something that a user may turn.
"""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import attrs

from explorer.tokens.vocabulary import BEGIN, END
from explorer.trace.tap_names import place_of, without_place

LOGITS, PROBABILITIES = "classifier.logits", "classifier.probabilities"
"""The taps of a classifier. Their axes are text, class, with one row for the text, or position, class.

Rejected: the axis class alone for a text, because every map has rows and columns.
"""


def _labels(told: Iterable[str]) -> tuple[str, ...]:
    return tuple(told)


@attrs.frozen(kw_only=True)
class ClassHead:
    """The labels of the classes, in the order of the numbers that the model gives out for them.

    `of` says what gets a class: the "text" as a whole, or each of its "tokens". `by` says how probabilities are made of the
    logits: by "softmax", where one class is right; by "sigmoid", where each class is right or wrong by itself; or not at all,
    where each "number" means itself.
    """

    labels: tuple[str, ...] = attrs.field(converter=_labels, validator=attrs.validators.min_len(1))
    of: Literal["text", "tokens"] = attrs.field(validator=attrs.validators.in_(("text", "tokens")))
    by: Literal["softmax", "sigmoid", "number"] = attrs.field(validator=attrs.validators.in_(("softmax", "sigmoid", "number")))

    @property
    def tap(self) -> str:
        """The tap of what a reader asks for: probabilities, or the logits of a model that has none."""
        return LOGITS if self.by == "number" else PROBABILITIES

    @property
    def why_not_asked(self) -> str:
        """The key of the text that says why no experiment asks for log p of a class; "" where they do."""
        return {"softmax": "", "number": "absent.numbers"}.get(self.by, "absent.several_classes")

    @classmethod
    def of_values(cls, values: Mapping[str, Any] | None) -> "ClassHead | None":
        """The head that `attrs.asdict` wrote; None for None. Raises TypeError, ValueError."""
        return None if values is None else cls(**values)


_ATTENTIONS = {"encoder": ("self_attn",), "decoder": ("self_attn", "cross_attn")}


def _of(kind: type, least: int | None = None) -> Any:
    """A check that a field has this type and is at least `least`.

    attrs' own validators take ten times as long, and a slider makes a card at each step.
    """

    def check(_card: object, field: "attrs.Attribute[Any]", value: Any) -> None:
        is_one = type(value) is kind  # True and False do not count as whole numbers.
        if not is_one:
            raise TypeError(f"{field.name}: {value!r}")
        if least is not None and value < least:
            raise ValueError(f"{field.name}: {value!r}")

    return check


_text, _truth, _count, _number = _of(str), _of(bool), _of(int, 1), _of(int, 0)


def _numbers(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(values)


def _texts(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(values)


def _fixed(told: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType(dict(told))


@attrs.frozen(kw_only=True)
class SideCard:
    """One side of a model.

    `n_kv_heads` counts the heads of keys and values: fewer than `n_heads` where several query heads share one. `attentions` are
    the names of the attention modules in each layer. `vocab_size` counts the symbols of the side's embedding.
    """

    name: str = attrs.field(validator=_text)
    n_layers: int = attrs.field(validator=_count)
    n_heads: int = attrs.field(validator=_count)
    n_kv_heads: int = attrs.field(validator=_count)
    d_ff: int = attrs.field(validator=_number)
    vocab_size: int = attrs.field(validator=_number)
    attentions: tuple[str, ...] = attrs.field(converter=_texts)

    def __attrs_post_init__(self) -> None:
        if self.n_heads % self.n_kv_heads:
            raise ValueError(f"{self.n_heads} heads over {self.n_kv_heads}")
        if not set(self.attentions) <= set(_ATTENTIONS.get(self.name, ())):
            raise ValueError(f"{self.attentions} in {self.name}")


@attrs.frozen(kw_only=True)
class ModelCard:
    """The card of one model. Raises ValueError or TypeError for values that no model can have.

    `name` is what the user calls the model, `family` is the common name of models with its architecture. `position` is its
    kind of positions; `position_added` says whether they are added to the input, and `position_base` is the base of their
    waves. `causal` has the attentions in which no query sees a later key, such as "decoder.self_attn". `masking` says how a
    mask is read ("usual", or another value of the knob); `mask_value` is the score of a closed cell. `vocab_size` counts the
    symbols of the output, 0 if the model has no output.

    `absent` has the taps that this model lacks and others have: the tap's name without side and layer, and the key of the text
    that says why.

    `held` says how the weights are held: as "float32", as "bfloat16" or "float16" and widened layer by layer, or
    "streamed" from their files, since they are larger than the memory.

    `parallel` says that attention and feed-forward of a layer read the same stream, and are added to it together. `scores_over`
    is what scores are divided by where that is not √d_head; 0 where it is.

    `made_from` are the kinds of packed numbers that its weights were made float32 from, such as "Q4_K"; () for floats.

    `remakes_maps` says whether a head's map follows from its queries and keys by the numbers of this card alone. `begin` is the
    id with which the texts that the model writes begin, and `end` the one after which they end; -1 where it writes none. `mask`
    is the id of the symbol that stands for a hidden token, -1 where the vocabulary has none.

    `n_experts` counts the feed-forward networks among which each token chooses, 0 where there is one for all, and `n_chosen`
    those that it chooses, 0 where that is not seen. `bare_layers` counts the layers without attention, which are of another
    kind, and `with_attention` has the numbers of those whose attention is seen, () where that is all of them. `classes` is the
    head of a classifier, None of any other model.

    `dtype` is the kind of its numbers. `difference` says how far its logits under observation are from those alone, as a share
    of the largest; 0 for our own models, which are observed always, and -1 where nobody has compared them.

    `code` is the key by which the model's folder asks for program code of its own, which is not run; "" where it asks for none.

    `d_value` is the width of each head's values where it is not d_head, else 0.

    `weight_sets` counts the sets of weights of its attentions where several layers share one; 0 where each has its own.

    `chat` says whether it has a template in which a text can be written as a message.
    """

    name: str = attrs.field(validator=_text)
    family: str = attrs.field(validator=_text)
    sides: tuple[SideCard, ...] = attrs.field(validator=_of(tuple))
    d_model: int = attrs.field(validator=_count)
    d_head: int = attrs.field(validator=_count)
    vocab_size: int = attrs.field(validator=_number)
    max_len: int = attrs.field(validator=_number)
    position: str = attrs.field(validator=_text)
    position_added: bool = attrs.field(validator=_truth)
    position_base: float = attrs.field(default=10000.0, converter=float)
    norm_placement: str = attrs.field(default="pre", validator=_text)
    norm_kind: str = attrs.field(default="layer", validator=_text)
    residual: bool = attrs.field(default=True, validator=_truth)
    activation: str = attrs.field(default="relu", validator=_text)
    score_scaling: bool = attrs.field(default=True, validator=_truth)
    temperature: float = attrs.field(default=1.0, converter=float)
    causal: tuple[str, ...] = attrs.field(default=("decoder.self_attn",), converter=_texts)
    masking: str = attrs.field(default="usual", validator=_text)
    mask_value: float = attrs.field(default=-math.inf, converter=float)
    dropout_active: bool = attrs.field(default=False, validator=_truth)
    parameters: int = attrs.field(default=0, validator=_number)
    trained: bool = attrs.field(default=False, validator=_truth)
    absent: Mapping[str, str] = attrs.field(factory=dict, converter=_fixed, hash=False)
    remakes_maps: bool = attrs.field(default=True, validator=_truth)
    begin: int = attrs.field(default=BEGIN, validator=_of(int, -1))
    end: int = attrs.field(default=END, validator=_of(int, -1))
    mask: int = attrs.field(default=-1, validator=_of(int, -1))
    held: str = attrs.field(default="float32", validator=_text)
    dtype: str = attrs.field(default="float32", validator=_text)
    difference: float = attrs.field(default=0.0, converter=float)
    n_experts: int = attrs.field(default=0, validator=_number)
    n_chosen: int = attrs.field(default=0, validator=_number)
    bare_layers: int = attrs.field(default=0, validator=_number)
    chat: bool = attrs.field(default=False, validator=_truth)
    parallel: bool = attrs.field(default=False, validator=_truth)
    made_from: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    scores_over: float = attrs.field(default=0.0, converter=float)
    classes: ClassHead | None = None
    code: str = attrs.field(default="", validator=_text)
    with_attention: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    d_value: int = attrs.field(default=0, validator=_number)
    weight_sets: int = attrs.field(default=0, validator=_number)

    def __attrs_post_init__(self) -> None:
        names = [side.name for side in self.sides]
        if not names or names != sorted(set(names), reverse=True):  # The encoder comes first, and each side once.
            raise ValueError(f"sides: {names}")
        if self.norm_placement not in ("pre", "post"):
            raise ValueError(f"norm_placement: {self.norm_placement}")
        last = max(side.n_layers for side in self.sides) - 1
        if not all(type(each) is int and 0 <= each <= last for each in self.with_attention):
            raise ValueError(f"with_attention: {self.with_attention[:3]}")

    @property
    def architecture(self) -> str:
        """ "encoder-decoder", "encoder-only" or "decoder-only"."""
        return "encoder-decoder" if len(self.sides) == 2 else f"{self.sides[0].name}-only"

    @property
    def attentions(self) -> tuple[str, ...]:
        """Every attention with its side, such as "encoder.self_attn", "decoder.self_attn" and "decoder.cross_attn"."""
        return tuple(f"{side.name}.{attention}" for side in self.sides for attention in side.attentions)

    @property
    def score_divisor(self) -> float:
        """The number by which scores are divided before the mask: √d_head · temperature, or the temperature alone."""
        return (self.scores_over or (math.sqrt(self.d_head) if self.score_scaling else 1.0)) * self.temperature

    def has(self, side: str) -> bool:
        """Whether the model has this side, "encoder" or "decoder"."""
        return any(each.name == side for each in self.sides)

    def side(self, name: str) -> SideCard:
        """The side to which a name belongs: the name of a side, of an attention ("decoder.cross_attn") or of a tap.

        Names that begin with no side, such as "generator.logits", belong to the last side, which leads to the output.
        """
        first = place_of(name).side
        return next((side for side in self.sides if side.name == first), self.sides[-1])

    def head_in(self, tap: str, head: int) -> int:
        """The head of a tap that the attention's head `head` uses: several heads may share one head of keys and values."""
        side = self.side(tap)
        if tap.endswith((".key", ".value")):
            return head // (side.n_heads // side.n_kv_heads)
        return head

    def head_width(self, tap: str) -> int:
        """How many features a head has at a tap: those of values, and of what it mixes of them, may be others."""
        return self.d_value if self.d_value and tap.endswith((".value", ".mixed")) else self.d_head

    def attention_layers(self, attention: str) -> tuple[int, ...]:
        """The numbers of the layers that have an attention, or the attention of a tap: of some models not all have one."""
        return self.with_attention or tuple(range(self.side(attention).n_layers))

    def blocks(self, side: str, layer: int) -> tuple[str, ...]:
        """The names of a layer's blocks: its attentions, or "other" in a layer of another kind, and its network."""
        return (*(self.side(side).attentions if layer in self.attention_layers(side) else ("other",)), "feed_forward")

    def lacks_attention(self, tap: str) -> bool:
        """Whether a tap would stand in an attention of a layer that has none."""
        place = place_of(tap)
        return "_attn." in place.part and place.layer is not None and place.layer not in self.attention_layers(tap)

    def why_absent(self, tap: str) -> str:
        """The key of the text that says why this model has no such tap; "" if no reason is known."""
        return self.absent.get(without_place(tap), "")

    def values(self) -> dict[str, Any]:
        """The card in types that JSON has; `of_values` reads it."""
        made = {field.name: getattr(self, field.name) for field in attrs.fields(ModelCard)}
        sides = [attrs.asdict(side) for side in self.sides]
        classes = None if self.classes is None else attrs.asdict(self.classes)
        return made | {"sides": sides, "mask_value": repr(self.mask_value), "absent": dict(self.absent), "classes": classes}

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> "ModelCard":
        """The card that `values` wrote. Raises TypeError, ValueError."""
        sides = tuple(SideCard(**side) for side in values["sides"])
        return cls(**{**values, "sides": sides, "classes": ClassHead.of_values(values.get("classes"))})
