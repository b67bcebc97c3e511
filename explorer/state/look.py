"""The Look: which part of a Trace is shown, and in which colours. Changing it needs no new pass."""

from typing import TYPE_CHECKING, Any

import attrs

from explorer.state.fields import bad_field, between, one_of
from explorer.trace.choices import HEAD_MEASURES, PATCHED, SALIENCIES
from explorer.trace.found.part import WAY
from explorer.trace.tap_names import ATTENTION_STAGES

if TYPE_CHECKING:
    from explorer.trace.trace import Trace


ALIGNED = ("head", "layer", "all", "layer_max", "all_max", "rollout")
"""How heads are combined: the chosen one alone, the mean or maximum of its layer or of all, or the rollout up to its layer."""
SPECIALS = ("shown", "hidden")
UNITS = ("tokens", "words")
"""The rows and columns of an attention map: tokens, or whole words with all of their tokens."""
DRAWN = ("map", "lines", "arcs")
"""How attention is drawn: as a map, as lines between two rows of tokens, or as arcs over one row."""
ATTENTIONS = ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")
ATTENTION_STEPS = ("query", "key", "value", "scores", "scaled", "masked", "weights", "dropped", "mixed", "merged", "output")
"""The steps of one attention head. Vaswani et al. 2017, figure 2; `picture.makers.attention_steps` draws them."""
MATCHED = ("token", "place")
"""How tokens of two different sentences are compared: equal tokens with each other, or the first with the first."""
GRADIENTS_OF = ("", "target", "word")
"""Of what the page of tensors shows gradients: of nothing, of the whole target, or of the word at the chosen position."""
TENSORS = ("taps", "parameters", "circuits")
"""What the page of tensors lists: what the pass recorded, the weights of its model, or products of a head's weights."""
CHANGED_HEADS = ("largest", "looked")
UNIT_COLOURS = ("cividis", "viridis")
SIGNED_COLOURS = ("blue-red", "purple-orange", "blue-red-dark", "blue-orange-dark")
SAMPLING = ("sampling_temperature", "top_k", "top_p")
"""The fields that say how the next token is drawn. A user sets them like knobs, though nothing is computed for them."""
PART_ORDERS = ("layers", "size")
"""How the parts of a logit stand: in the order of computation, or the largest first."""
HEAD_ORDERS = ("layers", "measure")
"""How the wall of heads stands: by layer and head, or the largest measure first."""
LENSES = ("lens", "jacobian")
LENS_CELLS = ("words", "ranks")
"""What a cell of the lens shows: the layer's likeliest word, or the rank of the generated word."""
BANDS = ("weights", "contributions")
"""What the river's bands show: attention weights, or what they add to the difference of two logits."""
INSIDE = ("", "head", "key", "score", "network")
"""How far a part of a logit is opened: not at all; a head by its keys; a key's value; its score; a network."""
_MOST_STEPS = 4096  # characters of a way
_MOST_OVERLAID = 1024
_MOST = 2**31  # layers, heads, positions; larger numbers are typing errors


def _way(_look: object, field: "attrs.Attribute[str]", value: object) -> None:
    """Check that a field is a way into a sum. Raises BadField."""
    if not isinstance(value, str) or len(value) > _MOST_STEPS or not WAY.match(value):
        raise bad_field(field.name, value)


def _heads(_look: object, field: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
    """Check that a field is a set of heads, in order. Raises BadField."""
    ordered = len(value) <= _MOST_OVERLAID and value == tuple(sorted(set(value)))
    if not ordered or any(not 0 <= head <= _MOST for head in value):
        raise bad_field(field.name, value)


@attrs.frozen(kw_only=True)
class Look:
    """The chosen attention, layer, head and stage; the side for pictures that both sides have; the inspector's tap.

    Raises BadField for values that no model could have.
    """

    attention: str = attrs.field(default="encoder.self_attn", validator=one_of(ATTENTIONS))
    layer: int = attrs.field(default=0, validator=between(0, _MOST))
    head: int = attrs.field(default=0, validator=between(0, _MOST))
    stage: str = attrs.field(default="weights", validator=one_of(ATTENTION_STAGES))
    side: str = attrs.field(default="encoder", validator=one_of(("encoder", "decoder")))
    tap: str = ""
    # The page of tensors: what it lists, the parameter or circuit that it shows, and which matrix of a stack of several.
    tensors: str = attrs.field(default="taps", validator=one_of(TENSORS))
    gradients: str = attrs.field(default="", validator=one_of(GRADIENTS_OF))
    parameter: str = ""
    matrix: int = attrs.field(default=0, validator=between(0, _MOST))
    position: int = attrs.field(default=-1, validator=between(-1, _MOST))  # of the prediction; -1: none is chosen
    unit_colours: str = attrs.field(default="cividis", validator=one_of(UNIT_COLOURS))
    signed_colours: str = attrs.field(default="blue-red", validator=one_of(SIGNED_COLOURS))
    # Maps and lines show one head, or several combined; weights below the threshold, and special tokens, may be hidden.
    aligned: str = attrs.field(default="head", validator=one_of(ALIGNED))
    drawn: str = attrs.field(default="map", validator=one_of(DRAWN))  # how the attention page shows them
    # Heads whose lines lie over one another, in order; they count as long as the chosen head is one of them.
    overlaid: tuple[int, ...] = attrs.field(default=(), validator=_heads)
    threshold: float = attrs.field(default=0.0, validator=between(0, 1))
    specials: str = attrs.field(default="shown", validator=one_of(SPECIALS))
    unit: str = attrs.field(default="tokens", validator=one_of(UNITS))
    matched: str = attrs.field(default="token", validator=one_of(MATCHED))
    # The head that the compare page puts at the left, of the pinned pass or of this one; -1: the chosen one.
    beside_layer: int = attrs.field(default=-1, validator=between(-1, _MOST))
    beside_head: int = attrs.field(default=-1, validator=between(-1, _MOST))
    patched: str = attrs.field(default="stream", validator=one_of(PATCHED))  # what the patching page patches
    saliency: str = attrs.field(default="integrated", validator=one_of(SALIENCIES))  # how saliency is estimated
    part: str = attrs.field(default="query", validator=one_of(ATTENTION_STEPS))  # the step that the stepper page shows
    # The cell of the step's result that is opened as a sum of products; -1: the one with the largest number.
    sum_row: int = attrs.field(default=-1, validator=between(-1, _MOST))
    sum_column: int = attrs.field(default=-1, validator=between(-1, _MOST))
    # The head whose maps the change page compares: the one that differs most, or the chosen one.
    changed_head: str = attrs.field(default="largest", validator=one_of(CHANGED_HEADS))
    vector: int = attrs.field(default=-1, validator=between(-1, _MOST))  # the token with neighbours; -1: the first word
    # The metric of each head that its thumbnail shows, if any, and the order of the thumbnails.
    measure: str = attrs.field(default="", validator=one_of(("", *HEAD_MEASURES)))
    head_order: str = attrs.field(default="layers", validator=one_of(HEAD_ORDERS))
    opened: str = attrs.field(default="", validator=one_of(("", "attention", "feed_forward")))  # in the river, in place
    # The cell of the chosen head on the page that follows a weight; -1: the most interesting one.
    cell_query: int = attrs.field(default=-1, validator=between(-1, _MOST))
    cell_key: int = attrs.field(default=-1, validator=between(-1, _MOST))
    # Attribution: the rival (-1: the likeliest other word), the order of the parts, and which of them is opened.
    rival: int = attrs.field(default=-1, validator=between(-1, _MOST))
    part_order: str = attrs.field(default="layers", validator=one_of(PART_ORDERS))
    inside: str = attrs.field(default="", validator=one_of(INSIDE))
    way: str = attrs.field(default="", validator=_way)  # the numbers of Q, K and V that were opened on the way there
    lens: str = attrs.field(default="lens", validator=one_of(LENSES))
    lens_cells: str = attrs.field(default="words", validator=one_of(LENS_CELLS))
    bands: str = attrs.field(default="weights", validator=one_of(BANDS))  # what the river's bands show
    # The lanes that the river shows: from the first token to before the end; an end of 0 means the end of the text.
    source_first: int = attrs.field(default=0, validator=between(0, _MOST))
    source_end: int = attrs.field(default=0, validator=between(0, _MOST))
    target_first: int = attrs.field(default=0, validator=between(0, _MOST))
    target_end: int = attrs.field(default=0, validator=between(0, _MOST))
    shift: int = attrs.field(default=1, validator=between(1, _MOST))  # k of M(k)
    # The trainings that the page of trainings shows, by the preset's name or folder: one, and another beside it; "": the first.
    run: str = ""
    beside_run: str = ""
    sampling_temperature: float = attrs.field(default=1.0, validator=between(1e-3, 1e3))
    top_k: int = attrs.field(default=0, validator=between(0, _MOST))  # 0: all
    top_p: float = attrs.field(default=1.0, validator=between(0, 1))

    def attention_tap(self, stage: str = "") -> str:
        """The tap of the chosen attention in the chosen layer, at the chosen stage or at `stage`."""
        side, _, kind = self.attention.partition(".")
        return f"{side}.layers.{self.layer}.{kind}.{stage or self.stage}"

    def drawn_heads(self) -> tuple[int, ...]:
        """The heads whose lines are drawn, in order; none if a mean, a maximum or a rollout is drawn instead."""
        if self.aligned != "head":
            return ()
        return self.overlaid if self.head in self.overlaid else (self.head,)

    def excerpt(self, side: str, n_tokens: int) -> tuple[int, int]:
        """The first token of the source or the target whose lane the river shows, and the one after the last."""
        first, end = getattr(self, f"{side}_first"), getattr(self, f"{side}_end") or n_tokens
        return (first, min(end, n_tokens)) if first < min(end, n_tokens) else (0, n_tokens)

    def step(self, trace: "Trace") -> int:
        """The chosen position of the output, from 0.

        If none is chosen, it is the step at which the model was least sure of the word that it generated; without
        generated words, the last one.
        """
        from explorer.trace.measures.measures import (
            most_uncertain_step,  # NumPy, which a bare import of the package leaves out.
        )

        if "generator.probabilities" not in trace:  # A model without an output has positions all the same.
            n_positions = len(trace.side("generator.probabilities"))
            return self.position if 0 <= self.position < n_positions else n_positions - 1
        n_steps = trace.shape("generator.probabilities")[0]
        step = self.position if 0 <= self.position < n_steps else most_uncertain_step(trace)
        return step if step >= 0 else n_steps - 1

    def fitted(self, trace: "Trace", *, to_attention: bool = True) -> "Look":
        """The nearest Look for this trace: attention, layer, head, side, tap and position are replaced if missing.

        A layer without attention is replaced as well, by the nearest one with attention, unless `to_attention` is False.
        """
        offered = attentions(trace)
        attention = self.attention if self.attention in offered or not offered else offered[0]
        sides = sides_of(trace)
        side = self.side if self.side in sides else sides[0]
        layer = min(self.layer, *(trace.card.side(name).n_layers - 1 for name in (attention, side)))
        if to_attention:
            layer = min(trace.card.attention_layers(attention), key=lambda each: abs(each - layer), default=layer)
        has_cell = bool(offered) and self._has_cell(trace, attention)
        n_heads = trace.card.side(attention).n_heads
        return attrs.evolve(
            self,
            attention=attention,
            layer=layer,
            cell_query=self.cell_query if has_cell else -1,
            cell_key=self.cell_key if has_cell else -1,
            head=min(self.head, n_heads - 1),
            overlaid=tuple(head for head in self.overlaid if head < n_heads),
            **self._beside(trace.card.attention_layers(attention), n_heads),
            side=side,
            tap=self.tap if self.tap in trace else trace.names()[0],
            rival=self.rival if self.rival < trace.card.vocab_size else -1,
            position=self.position if self.position < len(trace.side("generator.logits")) else -1,
            **self._excerpts(trace),
        )

    def _beside(self, layers: tuple[int, ...], n_heads: int) -> dict[str, Any]:
        """The head at the left of the compare page; none where there is no such head."""
        there = self.beside_layer in layers and 0 <= self.beside_head < n_heads
        return {} if there else {"beside_layer": -1, "beside_head": -1}

    def _excerpts(self, trace: "Trace") -> dict[str, Any]:
        """The excerpts of the river; of a text that has become too short for one, all is shown."""
        lengths = {"source": len(trace.tokens.source), "target": len(trace.tokens.target)}
        ends = {side: getattr(self, f"{side}_end") for side in lengths}
        return {f"{side}_{end}": 0 for side, n in lengths.items() if ends[side] > n for end in ("first", "end")}

    def _has_cell(self, trace: "Trace", attention: str) -> bool:
        """Whether the attention's maps, which have one shape in all layers, have the chosen cell."""
        _heads, n_queries, n_keys = trace.shape(_first_weights(trace, attention))
        return 0 <= self.cell_query < n_queries and 0 <= self.cell_key < n_keys


def attentions(trace: "Trace") -> tuple[str, ...]:
    """The kinds of attention that a trace has."""
    return tuple(name for name in ATTENTIONS if _first_weights(trace, name) in trace)


def _first_weights(trace: "Trace", attention: str) -> str:
    """The tap of an attention's weights in the first layer that has it."""
    side, _, kind = attention.partition(".")
    return f"{side}.layers.{trace.card.attention_layers(attention)[0]}.{kind}.weights"


def sides_of(trace: "Trace") -> tuple[str, ...]:
    """The sides that a trace's model has: "encoder", "decoder" or both."""
    return tuple(side.name for side in trace.card.sides)


def toggled(look: Look, head: int) -> dict[str, object]:
    """One head more or one less; the last one stays. If a mean is drawn, this head alone."""
    drawn = look.drawn_heads()
    if head not in drawn:
        return _drawn(look, (*drawn, head))
    return _drawn(look, tuple(each for each in drawn if each != head) or drawn)


def alone(look: Look, head: int, n_heads: int) -> dict[str, object]:
    """This head without others; all heads if it is alone already."""
    return every(look, n_heads) if look.drawn_heads() == (head,) else _drawn(look, (head,))


def every(look: Look, n_heads: int) -> dict[str, object]:
    """All heads of the layer; the chosen one alone if all are drawn already."""
    heads = tuple(range(n_heads))
    return _drawn(look, (look.head,) if look.drawn_heads() == heads else heads)


def _drawn(look: Look, heads: tuple[int, ...]) -> dict[str, object]:
    """The fields with which these heads are drawn. The chosen head is one of them: the same as before, if it can be."""
    chosen = look.head if look.head in heads else heads[-1]
    return {"aligned": "head", "head": chosen, "overlaid": tuple(sorted(heads)) if len(heads) > 1 else ()}
