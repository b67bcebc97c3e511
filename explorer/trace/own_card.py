"""The ModelCard of our own model, made from its Config before anything is built."""

from functools import lru_cache

from explorer.config import MASK_VALUES, SINUSOID_VARIANTS, Config
from explorer.trace.model_card import ModelCard, SideCard

_FLOAT = 4  # bytes
_ADDED = ("sinusoidal", *SINUSOID_VARIANTS, "learned")
_NORMS = {"torch": "layer", "std-eps": "std-eps"}


@lru_cache(maxsize=64)  # Each keystroke asks for the card several times.
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
    d, symbols = config.d_model, config.n_target_symbols
    norm = 2 * d
    # W_Q, W_K, W_V and W_O are [d, d], with d biases each.
    attention = 4 * d * (d + config.bias)
    feed_forward = 2 * d * config.d_ff + config.d_ff + d
    total = symbols * (d + 1)  # The generator has d weights and a bias for each symbol.
    for side in sides:
        n_attentions = len(side.attentions)
        total += config.n_layers * (n_attentions * (attention + norm) + feed_forward + norm)
        total += norm if config.norm_placement == "pre" else 0
        total += config.max_len * d if config.position == "learned" else 0
        tied = config.tied_embeddings and not (side.name == "encoder" and config.has_two_vocabularies)
        total += 0 if tied else side.vocab_size * d
    return total
