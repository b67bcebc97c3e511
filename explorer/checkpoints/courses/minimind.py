"""minimind, whose classes bear the names of transformers: its second version is a Llama, its third a Qwen3."""

from typing import Any

from explorer.checkpoints.courses.llama import llama_settings
from explorer.checkpoints.layout import Known, Layout, TensorRow

_LAYER = "model.layers.{i}"
_TOLD = {"max_position_embeddings": "max_position_embeddings", "rms_norm_eps": "rms_norm_eps", "rope_theta": "rope_theta"}


def _same(name: str, shape: str) -> TensorRow:
    """A tensor that keeps its name."""
    return TensorRow(name, shape, name)


def _rows(*norms: TensorRow, queries: str) -> tuple[TensorRow, ...]:
    return (
        _same("model.embed_tokens.weight", "V d"),
        _same(f"{_LAYER}.input_layernorm.weight", "d"),
        *norms,
        _same(f"{_LAYER}.self_attn.q_proj.weight", f"{queries} d"),
        _same(f"{_LAYER}.self_attn.k_proj.weight", "k d"),
        _same(f"{_LAYER}.self_attn.v_proj.weight", "k d"),
        _same(f"{_LAYER}.self_attn.o_proj.weight", f"d {queries}"),
        _same(f"{_LAYER}.post_attention_layernorm.weight", "d"),
        _same(f"{_LAYER}.mlp.gate_proj.weight", "F d"),
        _same(f"{_LAYER}.mlp.down_proj.weight", "d F"),
        _same(f"{_LAYER}.mlp.up_proj.weight", "F d"),
        _same("model.norm.weight", "d"),
        TensorRow("lm_head.weight", "V d", "lm_head.weight", absent="allowed"),
        TensorRow("model.freqs_cos", "R p", absent="allowed"),
        TensorRow("model.freqs_sin", "R p", absent="allowed"),
    )


def _qwen_settings(known: Known) -> dict[str, Any]:
    return llama_settings(known) | {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}


MINIMIND_3 = Layout(
    course="minimind",
    marks=("model.embed_tokens.weight", "model.layers.0.self_attn.q_norm.weight", "model.layers.0.mlp.gate_proj.weight"),
    rows=_rows(
        _same(f"{_LAYER}.self_attn.q_norm.weight", "D"),  # It has the width of one head, which tells how many there are.
        _same(f"{_LAYER}.self_attn.k_norm.weight", "D"),
        queries="q",
    ),
    settings=_qwen_settings,
    assumed={
        "rope_theta": 1000000.0,
        "rms_norm_eps": 1e-6,
        "max_position_embeddings": 32768,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    told=_TOLD,
    embedding="model.embed_tokens.weight",
    output="lm_head.weight",
)

MINIMIND_2 = Layout(
    course="minimind",
    marks=("model.embed_tokens.weight", "model.layers.0.self_attn.q_proj.weight", "model.layers.0.mlp.gate_proj.weight"),
    rows=_rows(queries="d"),
    settings=llama_settings,
    assumed={
        "rope_theta": 1000000.0,
        "rms_norm_eps": 1e-5,
        "max_position_embeddings": 32768,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    told=_TOLD,
    embedding="model.embed_tokens.weight",
    output="lm_head.weight",
)
