"""The ModelCard of a model of which only recorded taps are known, and its positions as Tokens.

Such a model is a torch module of the user's, or ran in another program.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from explorer.tokens.token import Token
from explorer.trace.model_card import ModelCard, SideCard
from explorer.trace.stages import stage_of
from explorer.trace.tap_names import ATTENTION_STAGES, place_of, side_name, without_place

NOT_RECORDED = "absent.not_recorded"
_SIDES = ("encoder", "decoder")
_KINDS = ("self_attn", "cross_attn")
_HEADS = ("query", "key", "value", *ATTENTION_STAGES, "mixed", "output", "normed")
_PARTS = (
    *(f"embedding.{part}" for part in ("tokens", "scaled", "positions", "segments", "output")),
    *(f"{kind}.{stage}" for kind in _KINDS for stage in _HEADS),
    *(f"feed_forward.{part}" for part in ("gate", "hidden", "activated", "output", "normed")),
    *(f"{part}{place}" for part in ("norm", "residual") for place in (1, 2, 3)),
    "norm",
    "generator.logits",
    "generator.probabilities",
)
Axes = Mapping[str, tuple[str, ...]]
Shapes = Mapping[str, tuple[int, ...]]


def card_of_seen(name: str, axes: Axes, shapes: Shapes, **told: Any) -> ModelCard:
    """The card of a model of which these taps were seen; their shapes are without the batch axis.

    `told` are fields of the card that are known. Raises TypeError, ValueError for values that no card can have.
    """
    homes = {place_of(tap).side for tap in axes if place_of(tap).layer is not None}
    cards = tuple(_side(side, axes, shapes) for side in ([side for side in _SIDES if side in homes] or ["encoder"]))
    d_model = told.get("d_model") or _width("d_model", axes, shapes) or 1
    there = {without_place(tap) for tap in axes}
    found: dict[str, Any] = {
        "family": name,
        "sides": cards,
        "d_model": d_model,
        "d_head": _width("d_head", axes, shapes) or max(1, d_model // cards[-1].n_heads),
        "vocab_size": next((shapes[tap][-1] for tap in axes if axes[tap][-1:] == ("vocab",)), 0),
        "max_len": max((len(side) for side in _numbers(axes, shapes).values()), default=0),
        "position": "unknown",
        "position_added": False,
        "causal": (),
        "trained": True,  # The file does not say; models that somebody records are mostly trained.
        "absent": unrecorded(there),
        "remakes_maps": False,
        "with_attention": _with_attention(axes, cards) if len(cards) == 1 else (),
        "dtype": "",
        "difference": -1.0,
        "begin": -1,
        "end": -1,
    }
    return ModelCard(name=name, **(found | told))


def unrecorded(there: Collection[str]) -> dict[str, str]:
    """The parts of a model, named without side and layer, that are not in what was recorded, and the key of the reason."""
    return {part: NOT_RECORDED for part in _PARTS if part not in there}


def _side(side: str, axes: Axes, shapes: Shapes) -> SideCard:
    """What the taps of one side say about it."""
    mine = {tap: place for tap in axes if (place := place_of(tap)).side == side and place.layer is not None}
    maps = [tap for tap in mine if axes[tap] == ("head", "query", "key") and shapes[tap][0]]
    heads = shapes[maps[0]][0] if maps else 1
    key_heads = _first(shapes, mine, "self_attn.key", 0) or heads
    return SideCard(
        name=side,
        n_layers=1 + max((place.layer or 0 for place in mine.values()), default=0),
        n_heads=heads,
        n_kv_heads=key_heads if heads % key_heads == 0 else heads,
        d_ff=_first(shapes, mine, "feed_forward.hidden", -1),
        vocab_size=0,
        attentions=tuple(kind for kind in _KINDS if (side, kind) != ("encoder", "cross_attn") and _has(kind, maps)),
    )


def _with_attention(axes: Axes, cards: Sequence[SideCard]) -> tuple[int, ...]:
    """The layers of which attention was recorded; () where that is all of them, or none."""
    places = (place_of(tap) for tap in axes)
    seen = sorted({place.layer for place in places if place.layer is not None and "_attn." in place.part})
    return tuple(seen) if len(seen) < cards[0].n_layers else ()


def _width(width: str, axes: Axes, shapes: Shapes) -> int:
    """How wide the taps of this width are; where there is none, d_model is the width of the widest unknown tap; else 0."""
    ends = {tap: shapes[tap][-1] for tap in axes if axes[tap][-1:] == ("feature",)}
    known = (size for tap, size in ends.items() if not stage_of(tap).plain and stage_of(tap).width == width)
    others = (size for tap, size in ends.items() if stage_of(tap).plain and width == "d_model" and "head" not in axes[tap])
    return next(known, 0) or max(others, default=0)


def _has(kind: str, maps: list[str]) -> bool:
    return any(f".{kind}." in tap for tap in maps)


def _first(shapes: Shapes, mine: Mapping[str, Any], part: str, axis: int) -> int:
    """The size along an axis of the first tap with this part; 0 if there is none."""
    return next((shapes[tap][axis] for tap, place in mine.items() if place.part == part and shapes[tap]), 0)


def numbered_tokens(axes: Axes, shapes: Shapes) -> dict[str, tuple[Token, ...]]:
    """By side a token for each position. Its text is its number from 0, because the words are unknown."""
    return {
        side: tuple(Token(text=str(place), id=place, start=0, end=0, known=True, special=True) for place in places)
        for side, places in _numbers(axes, shapes).items()
    }


def _numbers(axes: Axes, shapes: Shapes) -> dict[str, range]:
    """The positions of each side, as many as its longest tap has."""
    has_target = any(tap.startswith("decoder.") for tap in axes)
    lengths = {"source": 0, "target": 0}
    for tap, names in axes.items():
        for axis, size in zip(names, shapes[tap], strict=True):
            if axis in ("position", "query", "key"):
                side = side_name(tap, axis, has_target=has_target)
                lengths[side] = max(lengths[side], size)
    return {side: range(length) for side, length in lengths.items()}
