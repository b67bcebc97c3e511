"""The ModelCard of a foreign model: most of it is read off a pass, and little is taken from its settings."""

import math
from collections.abc import Iterator, Mapping, Sequence

from explorer.foreign.classes import first_id
from explorer.foreign.families import kind_of_positions
from explorer.foreign.opening import Opened
from explorer.foreign.thin import parameters_of
from explorer.trace.model_card import PROBABILITIES, ModelCard, SideCard
from explorer.trace.own_card import NORMED
from explorer.trace.tap_names import without_place

_UNLIMITED = 2**15  # The limit of tokens for a model whose positions have no end; memory runs out before.
_ATTENTION = ("query", "key", "value", "scores", "scaled", "masked", "weights", "dropped", "mixed")
_ACTIVATIONS = ("hidden_act", "activation_function", "hidden_activation", "dense_act_fn")
_EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")
_BASE = 10000.0


def card_of(opened: Opened, name: str, held: str = "float32", made_from: Sequence[str] = ()) -> ModelCard:
    """The card of an opened model that the user calls `name`, with how its weights are held, and from what they were made."""
    foreign, config = opened.foreign, opened.foreign.model.config.get_text_config()
    shapes = opened.shapes
    streams = foreign.streams
    first = next(iter(opened.attentions.values()))
    # Settings may claim two sides of a model that has one.
    writes = len(_sides(opened)) > 1 and not foreign.classes
    position = kind_of_positions(foreign.model.config, streams)
    return ModelCard(
        name=name,
        family=foreign.model.config.model_type,
        sides=tuple(_side(opened, side, shapes) for side in _sides(opened)),
        d_model=config.hidden_size,
        d_head=first.d_head or config.hidden_size // first.n_heads,
        d_value=_d_value(shapes, first.d_head),
        vocab_size=shapes["generator.logits"][-1] if foreign.has_output else 0,
        max_len=_max_len(opened),
        position=position,
        position_added=any(".embedding.positions" in tap for tap in shapes),
        position_base=_base(config),
        norm_placement="post" if any(side.post for side in foreign.sides.values()) else "pre",
        norm_kind="layer" if streams is None else streams.norm_kind,
        activation=next((str(found) for key in _ACTIVATIONS if (found := getattr(config, key, None))), ""),
        score_scaling=first.factor != 1,
        causal=_causal(opened),
        parameters=sum(parameter.numel() for parameter in parameters_of(foreign.model).values()),
        trained=True,
        held=held,
        made_from=tuple(made_from),
        absent=dict(_absent(opened, shapes)),
        remakes_maps=False,
        # A classifier generates no text.
        begin=first_id(getattr(foreign.model.config, "decoder_start_token_id", None)) if writes else -1,
        end=first_id(config.eos_token_id) if writes else -1,
        dtype=str(foreign.model.dtype).removeprefix("torch."),
        difference=opened.difference,
        n_experts=next((found for key in _EXPERTS if isinstance(found := getattr(config, key, None), int)), 0),
        n_chosen=foreign.n_chosen,
        bare_layers=_bare_layers(opened),
        with_attention=_with_attention(opened) if _bare_layers(opened) else (),
        classes=foreign.classes,
        parallel=any(side.parallel for side in foreign.sides.values()),
        scores_over=_scores_over(opened),
        code=opened.code,
        weight_sets=_weight_sets(opened),
    )


def _d_value(shapes: Mapping[str, tuple[int, ...]], d_head: int) -> int:
    """The width of each head's values where it is not that of its queries and keys; else 0."""
    width = next((shape[-1] for tap, shape in shapes.items() if tap.endswith("_attn.value")), d_head)
    return width if width != d_head else 0


def _scores_over(opened: Opened) -> float:
    """The divisor of the scores, if all attentions share one that is not √d_head; else 0."""
    factors = {about.factor for about in opened.attentions.values()}
    first = next(iter(opened.attentions.values()))
    if len(factors) != 1 or not first.factor or not first.d_head or math.isclose(first.factor, first.d_head**-0.5):
        return 0.0
    return 1 / first.factor


def _weight_sets(opened: Opened) -> int:
    """How many sets of weights the attentions have, if some of them share one; else 0."""
    attentions = opened.foreign.attentions.values()
    sets = {frozenset(parameters_of(module)) for module in attentions}
    return len(sets) if len(sets) < len(attentions) else 0


def _causal(opened: Opened) -> tuple[str, ...]:
    """The attentions in which no query sees a later key, in any layer, such as "decoder.self_attn"."""
    seen: dict[str, list[bool]] = {}
    for name, about in opened.attentions.items():
        seen.setdefault(f"{name.partition('.')[0]}.{name.rpartition('.')[2]}", []).append(about.causal)
    return tuple(name for name, causal in seen.items() if all(causal))


def _bare_layers(opened: Opened) -> int:
    """How many layers of a model with one side have no attention, such as convolutions or state spaces."""
    told = getattr(opened.foreign.model.config.get_text_config(), "num_hidden_layers", 0)
    if len(_sides(opened)) > 1 or not isinstance(told, int):
        return 0
    return max(told - len(_with_attention(opened)), 0)


def _with_attention(opened: Opened) -> tuple[int, ...]:
    """The numbers of the layers with attention."""
    return tuple(sorted({int(name.split(".")[2]) for name in opened.attentions}))


def _sides(opened: Opened) -> tuple[str, ...]:
    return tuple(side for side in ("encoder", "decoder") if any(each.startswith(f"{side}.") for each in opened.attentions))


def _side(opened: Opened, side: str, shapes: Mapping[str, tuple[int, ...]]) -> SideCard:
    mine = {name: about for name, about in opened.attentions.items() if name.startswith(f"{side}.")}
    layers = {int(name.split(".")[2]) for name in mine}
    first = next(iter(mine.values()))
    hidden = shapes.get(f"{side}.layers.0.feed_forward.hidden", (0,))
    attentions = dict.fromkeys(name.rpartition(".")[2] for name in opened.foreign.attentions if name in mine)
    return SideCard(
        name=side,
        n_layers=max(1 + max(layers), len(layers) + _bare_layers(opened)),
        n_heads=first.n_heads,
        n_kv_heads=first.n_kv_heads,
        d_ff=hidden[-1],
        vocab_size=opened.foreign.model.get_input_embeddings().num_embeddings,
        attentions=tuple(attentions),
    )


def _max_len(opened: Opened) -> int:
    """How many tokens a text may have: as many as there are positions, without those that the family leaves unused."""
    config = opened.foreign.model.config.get_text_config()
    told = getattr(config, "max_position_embeddings", None)
    if not isinstance(told, int) or told < 1:
        return _UNLIMITED
    return told - max((side.first_position for side in opened.foreign.sides.values()), default=0)


def _base(config: object) -> float:
    """The base of rotary positions; for other positions, a number without a use."""
    told = getattr(config, "rope_parameters", None)
    base = told.get("rope_theta") if isinstance(told, dict) else None
    return float(base) if isinstance(base, int | float) else _BASE


def _absent(opened: Opened, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, str]]:
    """The taps that this model lacks, without side and layer, each with the key of the reason."""
    foreign, config = opened.foreign, opened.foreign.model.config.get_text_config()
    there = {without_place(tap) for tap in shapes}
    if not opened.agrees:
        for attention in dict.fromkeys(name.rpartition(".")[2] for name in opened.attentions):
            yield from ((f"{attention}.{part}", "absent.disagrees") for part in _ATTENTION)
    elif foreign.by_softmax:
        for attention in dict.fromkeys(name.rpartition(".")[2] for name in opened.attentions):
            missing = (f"{attention}.{part}" for part in _ATTENTION)
            yield from ((part, "absent.softmax_alone") for part in missing if part not in there)
    if not foreign.has_output:
        why = "absent.other_head" if opened.other_head else "absent.no_output"
        why = why if foreign.classes is None else "absent.classifies"
        yield from ((f"generator.{part}", why) for part in ("logits", "probabilities"))
    if foreign.classes is not None and foreign.classes.by == "number":
        yield PROBABILITIES, "absent.numbers"
    if foreign.streams is None:
        named = (
            "embedding.tokens",
            "embedding.output",
            "feed_forward.hidden",
            "feed_forward.activated",
            "feed_forward.output",
            "feed_forward.normed",
            "other.output",
        )
        streams = (
            f"{part}{place}" for part in ("norm", "residual") for place in ("", 1, 2, 3) if (part, place) != ("residual", "")
        )
        experts = ("feed_forward.routing", "feed_forward.chosen")
        every = (*named, *streams, "embedding.positions", "embedding.segments", "feed_forward.gate", *experts)
        across = (f"{attention}.{part}" for attention in ("self_attn", "cross_attn") for part in ("output", "normed"))
        yield from ((part, "absent.unknown_family") for part in (*every, *across))
    else:
        with_experts = any(isinstance(getattr(config, key, None), int) for key in _EXPERTS)
        inner = "absent.inside_experts" if with_experts else "absent.made_otherwise"
        router = "absent.chosen_otherwise" if with_experts else "absent.no_experts"
        reasons = {
            "embedding.positions": "absent.no_positions",
            "embedding.segments": "absent.no_segments",
            "feed_forward.gate": inner if with_experts else "absent.no_gate",
            "feed_forward.hidden": inner,
            "feed_forward.activated": inner,
            "feed_forward.routing": router,
            "feed_forward.chosen": router,
            "other.output": "absent.attention_everywhere",
            "norm": "absent.no_final_norm",
            "norm1": "absent.no_norm_before",
            "norm2": "absent.one_norm" if "norm1" in there else "absent.no_norm_before",
            "residual1": "absent.parallel",
            **dict.fromkeys(NORMED, "absent.no_norm_behind"),
        }
        yield from ((part, reason) for part, reason in reasons.items() if part not in there)
    yield "embedding.scaled", "absent.unknown_family" if foreign.streams is None else "absent.not_scaled"
