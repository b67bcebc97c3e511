"""Which knobs a fast way understands.

A fast way computes the numbers of `Transformer.forward` by other operations, so it must implement each knob that acts on them.
It names the knobs that it obeys. Every other knob, even one added later, must stand at its default, which changes nothing; else
the fast way steps aside. A test turns every knob and compares every fast way with the whole pass.
"""

import attrs

from explorer.config import Config

BEFORE_THE_PASS = frozenset(
    {
        "tokenizer", "jieba_hmm", "vocabulary", "vocab_size", "target_vocab_size", "max_len",  # ids
        "n_layers", "n_heads", "d_model", "d_ff", "bias", "tied_embeddings", "initialization", "norm_shift", "seed",  # weights
        "memory_budget", "device",  # what is kept, and where
        "no_repeat_ngram",  # what is written; `engine/decoding` obeys it, and no pass
    }
)  # fmt: skip
"""Knobs that act on ids, on weights or on memory: every way of computing obeys them."""

MASKS = frozenset({"causal_mask", "causal_mask_encoder", "causal_mask_cross", "masking", "mask_value"})
"""Knobs of masks."""

LAYERS = frozenset(
    {
        "architecture", "position", "position_base", "embedding_scale",
        "temperature", "score_scaling", "residual", "norm_placement", "norm_kind", "activation",
    }
)  # fmt: skip
"""Knobs of embeddings and layers."""

DROPOUT = frozenset({"dropout", "dropout_active", "dropout_seed"})
"""Knobs of dropout, for ways that ask whether it is on."""

OF_WHOLE_PASSES = BEFORE_THE_PASS | MASKS | LAYERS | DROPOUT
"""All of these, for ways that obey every knob there is."""


def understands(config: Config, knobs: frozenset[str]) -> bool:
    """Whether every knob that is not among `knobs` stands at its default."""
    return not not_understood(config, knobs)


def not_understood(config: Config, knobs: frozenset[str]) -> tuple[str, ...]:
    """The knobs that are not among `knobs` and do not stand at their defaults."""
    others = (field for field in attrs.fields(type(config)) if field.name not in knobs)
    return tuple([field.name for field in others if getattr(config, field.name) != field.default])
