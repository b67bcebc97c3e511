"""The ModelCard of our own model, made from its Config before anything is built."""

from collections.abc import Iterator
from functools import lru_cache

from explorer.config import MASK_VALUES, SINUSOID_VARIANTS, Config
from explorer.fast_ways import OF_WHOLE_PASSES, understands
from explorer.trace import block_sizes
from explorer.trace.model_card import ModelCard, SideCard
from explorer.trace.stages import STAGES

_FLOAT = 4  # bytes
_ADDED = ("sinusoidal", *SINUSOID_VARIANTS, "learned")
NORMED = ("self_attn.normed", "cross_attn.normed", "feed_forward.normed")
_ABSENT = {
    "embedding.segments": "absent.no_segments",
    "feed_forward.gate": "absent.no_gate",
    **dict.fromkeys(NORMED, "absent.no_norm_behind"),
    "other.output": "absent.attention_everywhere",
    "feed_forward.routing": "absent.no_experts",
    "feed_forward.chosen": "absent.no_experts",
}
_NORMS = {"torch": "layer", "std-eps": "std-eps"}


@lru_cache(maxsize=64)  # row "a key to everything painted": asked 25 times, 1.3 of 36 ms
def card_of(config: Config, name: str = "", trained: bool = False) -> ModelCard:
    """The card of the model that a Config describes; `name` is the name of its preset."""
    causal = {
        "encoder.self_attn": config.causal_mask_encoder,
        "decoder.self_attn": config.causal_mask,
        "decoder.cross_attn": config.causal_mask_cross,
    }
    sides = _sides(config)
    attentions = {f"{side.name}.{attention}" for side in sides for attention in side.attentions}
    return ModelCard(
        name=name,
        family="transformer",
        sides=sides,
        d_model=config.d_model,
        d_head=config.d_head,
        vocab_size=config.n_target_symbols,
        max_len=config.max_len,
        position=config.position,
        position_added=config.position in _ADDED,
        position_base=config.position_base,
        norm_placement=config.norm_placement,
        norm_kind=_NORMS[config.norm_kind],
        residual=config.residual,
        activation=config.activation,
        score_scaling=config.score_scaling,
        temperature=config.temperature,
        causal=tuple(attention for attention, is_causal in causal.items() if is_causal and attention in attentions),
        masking=config.masking,
        mask_value=MASK_VALUES[config.mask_value],
        dropout_active=config.dropout_active,
        parameters=_parameters(config, sides),
        trained=trained,
        remakes_maps=understands(config, OF_WHOLE_PASSES),
        absent=_ABSENT,
    )


def parameter_bytes(config: Config) -> int:
    """The size in bytes of the weights of a Config's model."""
    return _FLOAT * card_of(config).parameters


def _sides(config: Config) -> tuple[SideCard, ...]:
    """The sides that the architecture has. A decoder has cross-attention if there is an encoder."""
    across = ("cross_attn",) if config.architecture == "encoder-decoder" else ()
    attentions = {"encoder": ("self_attn",), "decoder": ("self_attn", *across)}
    symbols = {"encoder": config.vocab_size, "decoder": config.n_target_symbols}
    return tuple(
        SideCard(
            name=name,
            n_layers=config.n_layers,
            n_heads=config.n_heads,
            n_kv_heads=config.n_heads,
            d_ff=config.d_ff,
            vocab_size=symbols[name],
            attentions=attentions[name],
        )
        for name in ("encoder", "decoder")
        if config.architecture in ("encoder-decoder", f"{name}-only")
    )


def _parameters(config: Config, sides: tuple[SideCard, ...]) -> int:
    """How many numbers the model computes with. Tied ones count once; the unused final norms of post-norm do not count."""
    names = tuple(side.name for side in sides)
    total = block_sizes.embedding_size(config, names) + block_sizes.position_size(config, names)
    for side in sides:
        attentions = len(side.attentions) * block_sizes.attention_size(config)
        total += config.n_layers * (attentions + block_sizes.feed_forward_size(config)) + block_sizes.final_norm_size(config)
    return total + block_sizes.generator_size(config)


def own_taps(card: ModelCard) -> tuple[str, ...]:
    """The names of all taps that a pass of the model will record, in the order of the flow within each layer."""
    return tuple(tap for side in card.sides for tap in _of_side(card, side)) + _named(card, "generator")


def _of_side(card: ModelCard, side: SideCard) -> Iterator[str]:
    for tap in _named(card, "embedding"):
        yield f"{side.name}.{tap}"
    for layer in range(side.n_layers):
        for place, kind in enumerate((*side.attentions, "feed_forward"), start=1):
            inner = _named(card, "feed_forward" if kind == "feed_forward" else "attention")
            named = (f"{kind}.{tap.partition('.')[2]}" for tap in inner)
            parts = (part for part in named if part not in card.absent)
            yield from (f"{side.name}.layers.{layer}.{part}" for part in (*parts, f"norm{place}", f"residual{place}"))
    yield f"{side.name}.norm"


def _named(card: ModelCard, kind: str) -> tuple[str, ...]:
    """The stages of one kind that the model has: "embedding.tokens" and so on."""
    return tuple(stage.key for stage in STAGES if stage.key.startswith(f"{kind}.") and stage.key not in card.absent)
