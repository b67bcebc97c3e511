"""GGUF files of tiny models, written by the format's description alone."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14, "BF16": 30}
Tensor = tuple[str, tuple[int, ...], bytes]  # its kind, its shape with the slowest axis first, and its bytes


def text(told: str) -> bytes:
    raw = told.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(told: Any) -> bytes:
    """A value with the number of its type before it."""
    if isinstance(told, bool):
        return struct.pack("<I?", 7, told)
    if isinstance(told, int):
        return struct.pack("<II", 4, told)
    if isinstance(told, float):
        return struct.pack("<If", 6, told)
    if isinstance(told, str):
        return struct.pack("<I", 8) + text(told)
    inner = value(told[0])[:4] if told else struct.pack("<I", 4)
    return struct.pack("<I", 9) + inner + struct.pack("<Q", len(told)) + b"".join(value(each)[4:] for each in told)


def gguf(told: Mapping[str, Any], tensors: Mapping[str, Tensor], version: int = 3) -> bytes:
    """The bytes of a file."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(told))
    head += b"".join(text(key) + value(each) for key, each in told.items())
    at, body = 0, b""
    for name, (kind, shape, raw) in tensors.items():
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape[::-1])
        head += struct.pack("<IQ", KINDS[kind], at)
        padded = raw + bytes(-len(raw) % 32)
        at, body = at + len(padded), body + padded
    return head + bytes(-len(head) % 32) + body


def plain(array: NDArray[np.float32], kind: str) -> Tensor:
    """A tensor of floats; of bfloat16 the lower half of each number is cut off."""
    whole = np.ascontiguousarray(array, np.float32)
    if kind == "BF16":
        raw = (whole.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    else:
        raw = whole.astype(np.float16).tobytes() if kind == "F16" else whole.tobytes()
    return kind, whole.shape, raw


def in_pairs(weight: NDArray[np.float32], n_heads: int) -> NDArray[np.float32]:
    """Rows in which the two features that are turned together stand side by side, as llama.cpp stores them."""
    by_half = weight.reshape(n_heads, 2, -1, *weight.shape[1:])  # [head, half, pair, …]
    return by_half.swapaxes(1, 2).reshape(weight.shape)


def by_their_names(family: str, weights: Mapping[str, NDArray[np.float32]], n_heads: int, n_kv: int) -> dict[str, Any]:
    """The tensors of a model of transformers under the names of GGUF, in its order."""
    found = {}
    for name, array in weights.items():
        stem, _, part = name.rpartition(".")
        layer = next((piece for piece in stem.split(".") if piece.isdigit()), "")
        known = _GPT2 if family == "gpt2" else _LLAMA
        end = next((each for each in known if stem.endswith(each)), None)
        if end is None:
            continue
        turned = family == "gpt2" and end in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj") and part == "weight"
        stored = array.T if turned else array
        if family == "llama" and end in ("q_proj", "k_proj"):
            stored = in_pairs(array, n_heads if end == "q_proj" else n_kv)
        found[f"{f'blk.{layer}.' if layer else ''}{known[end]}.{part}"] = stored
    return found


_LLAMA = {
    "embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "q_norm": "attn_q_norm",
    "k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}
_GPT2 = {
    "wte": "token_embd",
    "wpe": "position_embd",
    "ln_f": "output_norm",
    "ln_1": "attn_norm",
    "attn.c_attn": "attn_qkv",
    "attn.c_proj": "attn_output",
    "ln_2": "ffn_norm",
    "mlp.c_fc": "ffn_up",
    "mlp.c_proj": "ffn_down",
}


def told_of(family: str, config: Any) -> dict[str, Any]:
    """What the header of such a model says."""
    if family == "gpt2":
        own = {
            "embedding_length": config.n_embd,
            "block_count": config.n_layer,
            "feed_forward_length": 4 * config.n_embd,
            "attention.head_count": config.n_head,
            "context_length": config.n_positions,
            "attention.layer_norm_epsilon": config.layer_norm_epsilon,
        }
    else:
        own = {
            "embedding_length": config.hidden_size,
            "block_count": config.num_hidden_layers,
            "feed_forward_length": config.intermediate_size,
            "attention.head_count": config.num_attention_heads,
            "attention.head_count_kv": config.num_key_value_heads,
            "attention.key_length": config.hidden_size // config.num_attention_heads,
            "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
            "context_length": config.max_position_embeddings,
            "rope.freq_base": 10000.0,
        }
    return {"general.architecture": family} | {f"{family}.{key}": each for key, each in own.items()}


def write_gguf(
    path: Path, model: Any, family: str, kind: str = "F32", further: Mapping[str, Tensor] | None = None, **told: Any
) -> Path:
    """The file of a model, with further tensors; norms and biases stay as float32, as llama.cpp leaves them."""
    weights = {name: each.detach().numpy() for name, each in model.named_parameters()}
    config = model.config
    n_heads = getattr(config, "num_attention_heads", 1)
    named = by_their_names(family, weights, n_heads, getattr(config, "num_key_value_heads", n_heads) or n_heads)
    tensors = {name: plain(each, kind if each.ndim > 1 else "F32") for name, each in named.items()}
    tensors |= further or {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf(told_of(family, config) | told, tensors))
    return path


def packed_folder(path: Path, family: str, kind: str = "F32", further: dict[str, Any] | None = None, **told: Any) -> Path:
    """A folder of the tiny model of a family, packed in one file, with a vocabulary beside it."""
    from tests.foreign.models import fresh, write_tokenizer  # It imports transformers.

    write_gguf(path / "model.gguf", fresh(family), family, kind, further, **told)
    write_tokenizer(path)
    return path
