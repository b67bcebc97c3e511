"""happy-llm (chapter 5), llama2.c and the first minimind, which bear the names of Meta. They become Llama of transformers.

Their rotary positions turn neighbouring features 2i and 2i+1; Llama of transformers turns feature i with i + d_head/2. The rows
of W_Q and W_K are put into that order, head by head, which changes no score.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from explorer.checkpoints.layout import Known, Layout, TensorRow


def halves(parts: Sequence[Tensor], sizes: Mapping[str, int]) -> Tensor:
    """[head · feature, in] with the even features of each head first, and then the odd ones."""
    pairs = torch.unflatten(parts[0], 0, (-1, sizes["D"] // 2, 2))  # [head, pair, 2, in]
    return pairs.transpose(1, 2).flatten(0, 2)


def llama_settings(known: Known) -> dict[str, Any]:
    """config.json of a Llama of this shape; of Qwen3, which also normalizes Q and K, as `chosen` says."""
    sizes = known.sizes
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": sizes["V"],
        "hidden_size": sizes["d"],
        "intermediate_size": sizes["F"],
        "num_hidden_layers": known.n_layers,
        "num_attention_heads": known.n_heads,
        "num_key_value_heads": sizes["k"] // sizes["D"],
        "head_dim": sizes["D"],
        "hidden_act": "silu",
        "attention_bias": False,
        "tie_word_embeddings": known.tied,
        **known.chosen,
    }


_LAYER, _TARGET = "layers.{i}", "model.layers.{i}"

LLAMA_2 = Layout(
    course="happy-llm / llama2.c",
    marks=("tok_embeddings.weight", "layers.0.attention.wq.weight", "layers.0.feed_forward.w1.weight"),
    rows=(
        TensorRow("tok_embeddings.weight", "V d", "model.embed_tokens.weight"),
        TensorRow(f"{_LAYER}.attention_norm.weight", "d", f"{_TARGET}.input_layernorm.weight"),
        TensorRow(f"{_LAYER}.attention.wq.weight", "d d", f"{_TARGET}.self_attn.q_proj.weight", halves),
        TensorRow(f"{_LAYER}.attention.wk.weight", "k d", f"{_TARGET}.self_attn.k_proj.weight", halves),
        TensorRow(f"{_LAYER}.attention.wv.weight", "k d", f"{_TARGET}.self_attn.v_proj.weight"),
        TensorRow(f"{_LAYER}.attention.wo.weight", "d d", f"{_TARGET}.self_attn.o_proj.weight"),
        TensorRow(f"{_LAYER}.attention.mask", "1 1 T T", absent="allowed"),
        TensorRow(f"{_LAYER}.ffn_norm.weight", "d", f"{_TARGET}.post_attention_layernorm.weight"),
        TensorRow(f"{_LAYER}.feed_forward.w1.weight", "F d", f"{_TARGET}.mlp.gate_proj.weight"),
        TensorRow(f"{_LAYER}.feed_forward.w2.weight", "d F", f"{_TARGET}.mlp.down_proj.weight"),
        TensorRow(f"{_LAYER}.feed_forward.w3.weight", "F d", f"{_TARGET}.mlp.up_proj.weight"),
        TensorRow("norm.weight", "d", "model.norm.weight"),
        TensorRow("output.weight", "V d", "lm_head.weight", absent="allowed"),
        TensorRow("freqs_cos", "R p", absent="allowed"),
        TensorRow("freqs_sin", "R p", absent="allowed"),
    ),
    settings=llama_settings,
    # The first minimind has the same names and turns by a base of 1000000.
    assumed={"rope_theta": 10000.0, "rms_norm_eps": 1e-5, "max_position_embeddings": 512, "bos_token_id": 1, "eos_token_id": 2},
    told={"max_seq_len": "max_position_embeddings", "norm_eps": "rms_norm_eps", "rope_theta": "rope_theta"},
    embedding="tok_embeddings.weight",
    output="output.weight",
)
