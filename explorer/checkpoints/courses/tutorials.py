"""The tutorials A and B, which define a whole model each. They become our own Transformer, whose knobs describe them exactly.

Their masks are given to a pass and are no part of the class, so here they are the usual ones. Their tables of positions are
compared with our formulas: tutorial A's code doubles the exponent, and who has mended it gets the paper's.
"""

from collections.abc import Mapping

from explorer.checkpoints.layout import Known, Layout, TensorRow
from explorer.config import Config

_LINEAR = ("weight", "bias")
_E, _D = "encoder.layers.{i}", "decoder.layers.{i}"


def _config(known: Known, *, bias: bool) -> Config:
    """The knobs of a tutorial's model. Raises BadKnob for a size out of range."""
    sizes = known.sizes
    return Config(
        n_layers=known.n_layers,
        n_heads=known.n_heads,
        d_model=sizes["d"],
        d_ff=sizes["F"],
        max_len=sizes["T"],
        vocab_size=sizes["V"],
        target_vocab_size=sizes["W"],
        position=known.position,
        norm_kind="std-eps",
        mask_value="-1e9",
        bias=bias,
        tokenizer="spaces",
    )


def _attention(source: str, target: str, names: Mapping[str, str], *, bias: bool) -> tuple[TensorRow, ...]:
    """The four projections of one attention."""
    return tuple(
        TensorRow(f"{source}.{theirs}.{part}", "d d" if part == "weight" else "d", f"{target}.{ours}.{part}")
        for theirs, ours in names.items()
        for part in _LINEAR[: 2 if bias else 1]
    )


def _feed_forward(source: str, target: str) -> tuple[TensorRow, ...]:
    return (
        TensorRow(f"{source}.linear_1.weight", "F d", f"{target}.expand.weight"),
        TensorRow(f"{source}.linear_1.bias", "F", f"{target}.expand.bias"),
        TensorRow(f"{source}.linear_2.weight", "d F", f"{target}.contract.weight"),
        TensorRow(f"{source}.linear_2.bias", "d", f"{target}.contract.bias"),
    )


def _norm(source: str, target: str, shift: str) -> tuple[TensorRow, ...]:
    """Scale and shift of a norm: our `weight` and `bias`, their `alpha` and `shift`."""
    return (
        TensorRow(f"{source}.alpha", "d", f"{target}.normalize.weight"),
        TensorRow(f"{source}.{shift}", "d", f"{target}.normalize.bias"),
    )


_A = {"q_linear": "project_query", "k_linear": "project_key", "v_linear": "project_value", "out": "project_output"}

TUTORIAL_A = Layout(
    course="tutorial-a",
    marks=("encoder.embed.weight", "encoder.layers.0.attn.q_linear.weight", "decoder.layers.0.attn_2.q_linear.weight"),
    rows=(
        TensorRow("encoder.embed.weight", "V d", "encoder.embedding.look_up.weight"),
        TensorRow("decoder.embed.weight", "W d", "decoder.embedding.look_up.weight"),
        TensorRow("encoder.pe.pe", "1 T d"),
        TensorRow("decoder.pe.pe", "1 T d"),
        *_norm(f"{_E}.norm_1", f"{_E}.around_self", "beta"),
        *_norm(f"{_E}.norm_2", f"{_E}.around_feed", "beta"),
        *_attention(f"{_E}.attn", f"{_E}.self_attn", _A, bias=True),
        *_feed_forward(f"{_E}.ff", f"{_E}.feed_forward"),
        *_norm("encoder.norm", "encoder", "beta"),
        *_norm(f"{_D}.norm_1", f"{_D}.around_self", "beta"),
        *_norm(f"{_D}.norm_2", f"{_D}.around_cross", "beta"),
        *_norm(f"{_D}.norm_3", f"{_D}.around_feed", "beta"),
        *_attention(f"{_D}.attn_1", f"{_D}.self_attn", _A, bias=True),
        *_attention(f"{_D}.attn_2", f"{_D}.cross_attn", _A, bias=True),
        *_feed_forward(f"{_D}.ff", f"{_D}.feed_forward"),
        *_norm("decoder.norm", "decoder", "beta"),
        TensorRow("out.weight", "W d", "generator.project.weight"),
        TensorRow("out.bias", "W", "generator.project.bias"),
    ),
    config=lambda known: _config(known, bias=True),
    pe=("encoder.pe.pe", "decoder.pe.pe"),
)

_B = {"w_q": "project_query", "w_k": "project_key", "w_v": "project_value", "w_o": "project_output"}

TUTORIAL_B = Layout(
    course="tutorial-b",
    marks=("source_embed.embedding.weight", "encoder.layers.0.self_attn.w_q.weight", "generator.project.weight"),
    rows=(
        TensorRow("source_embed.embedding.weight", "V d", "encoder.embedding.look_up.weight"),
        TensorRow("target_embed.embedding.weight", "W d", "decoder.embedding.look_up.weight"),
        TensorRow("source_pos.pe", "1 T d"),
        TensorRow("target_pos.pe", "1 T d"),
        *_norm(f"{_E}.sublayer.0.norm", f"{_E}.around_self", "bias"),
        *_norm(f"{_E}.sublayer.1.norm", f"{_E}.around_feed", "bias"),
        *_attention(f"{_E}.self_attn", f"{_E}.self_attn", _B, bias=False),
        *_feed_forward(f"{_E}.feed_forward", f"{_E}.feed_forward"),
        *_norm("encoder.norm", "encoder", "bias"),
        *_norm(f"{_D}.sublayer.0.norm", f"{_D}.around_self", "bias"),
        *_norm(f"{_D}.sublayer.1.norm", f"{_D}.around_cross", "bias"),
        *_norm(f"{_D}.sublayer.2.norm", f"{_D}.around_feed", "bias"),
        *_attention(f"{_D}.self_attn", f"{_D}.self_attn", _B, bias=False),
        *_attention(f"{_D}.cross_attn", f"{_D}.cross_attn", _B, bias=False),
        *_feed_forward(f"{_D}.feed_forward", f"{_D}.feed_forward"),
        *_norm("decoder.norm", "decoder", "bias"),
        TensorRow("generator.project.weight", "W d", "generator.project.weight"),
        TensorRow("generator.project.bias", "W", "generator.project.bias"),
    ),
    config=lambda known: _config(known, bias=False),
    pe=("source_pos.pe", "target_pos.pe"),
)
