"""Families in GGUF: the names of its keys and tensors in the settings and the classes of transformers.

GGUF has the same models under names of its own (llama.cpp). A further family is a further row here. Where the numbers
themselves are stored in another order, the row says so.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import BadWeights, NotAModel, PartOfGguf, Quantized, UnknownFamily
from explorer.foreign.gguf_header import GgufHeader
from explorer.foreign.gguf_rope import DIVISORS
from explorer.foreign.settings import check_number
from explorer.json_text import shown
from explorer.tokens.gguf_vocabulary import ends_of_answers

_LAYER = re.compile(r"blk\.(\d{1,5})\.(.+)")
_REQUIRED = object()


@attrs.frozen(kw_only=True)
class GgufFamily:
    """One family: the class of its model, the settings by key, and the tensors by name, those of a layer with {}.

    A setting may have a default. `transposed` are the tensors that GPT-2's own classes store transposed; `halves` are those
    whose rows of rotary features stand in pairs and not in halves, with the setting that counts their heads.
    """

    architecture: str
    settings: Mapping[str, str | tuple[str, Any]]
    whole: Mapping[str, str]
    layer: Mapping[str, str]
    transposed: frozenset[str] = frozenset()
    halves: Mapping[str, str] = attrs.field(factory=dict)


_LLAMA = GgufFamily(
    architecture="LlamaForCausalLM",
    settings={
        "hidden_size": "embedding_length",
        "num_hidden_layers": "block_count",
        "intermediate_size": "feed_forward_length",
        "num_attention_heads": "attention.head_count",
        "num_key_value_heads": ("attention.head_count_kv", None),
        "head_dim": ("attention.key_length", None),
        "rms_norm_eps": "attention.layer_norm_rms_epsilon",
        "max_position_embeddings": "context_length",
        "rope_theta": ("rope.freq_base", 10000.0),
    },
    whole={"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"},
    layer={
        "attn_norm": "model.layers.{}.input_layernorm",
        "attn_q": "model.layers.{}.self_attn.q_proj",
        "attn_k": "model.layers.{}.self_attn.k_proj",
        "attn_v": "model.layers.{}.self_attn.v_proj",
        "attn_output": "model.layers.{}.self_attn.o_proj",
        "ffn_norm": "model.layers.{}.post_attention_layernorm",
        "ffn_gate": "model.layers.{}.mlp.gate_proj",
        "ffn_up": "model.layers.{}.mlp.up_proj",
        "ffn_down": "model.layers.{}.mlp.down_proj",
    },
    halves={"attn_q": "num_attention_heads", "attn_k": "num_key_value_heads"},
)
_QWEN2 = attrs.evolve(_LLAMA, architecture="Qwen2ForCausalLM", halves={})
_QWEN3 = attrs.evolve(
    _QWEN2,
    architecture="Qwen3ForCausalLM",
    layer={
        **_LLAMA.layer,
        "attn_q_norm": "model.layers.{}.self_attn.q_norm",
        "attn_k_norm": "model.layers.{}.self_attn.k_norm",
    },
)
_GPT2 = GgufFamily(
    architecture="GPT2LMHeadModel",
    settings={
        "n_embd": "embedding_length",
        "n_layer": "block_count",
        "n_inner": "feed_forward_length",
        "n_head": "attention.head_count",
        "n_positions": "context_length",
        "layer_norm_epsilon": "attention.layer_norm_epsilon",
    },
    whole={
        "token_embd": "transformer.wte",
        "position_embd": "transformer.wpe",
        "output_norm": "transformer.ln_f",
        "output": "lm_head",
    },
    layer={
        "attn_norm": "transformer.h.{}.ln_1",
        "attn_qkv": "transformer.h.{}.attn.c_attn",
        "attn_output": "transformer.h.{}.attn.c_proj",
        "ffn_norm": "transformer.h.{}.ln_2",
        "ffn_up": "transformer.h.{}.mlp.c_fc",
        "ffn_down": "transformer.h.{}.mlp.c_proj",
    },
    transposed=frozenset({"attn_qkv", "attn_output", "ffn_up", "ffn_down"}),
)
GGUF_FAMILIES: Mapping[str, GgufFamily] = {"llama": _LLAMA, "qwen2": _QWEN2, "qwen3": _QWEN3, "gpt2": _GPT2}
"""By `general.architecture`, which here is the family's name in transformers, too. Mistral is a llama in GGUF."""


@attrs.frozen
class TensorPlace:
    """Where a tensor is in the file: its name there, whether it is transposed, and of how many heads the rows are in pairs."""

    name: str
    transposed: bool = False
    n_heads: int = 0


def settings_of(header: GgufHeader, path: str) -> dict[str, Any]:
    """The settings that config.json would hold. Raises NotAModel, NotANumber, UnknownFamily, Quantized, PartOfGguf."""
    parts = header.told.get("split.count", 0)
    if isinstance(parts, int) and parts > 1:  # The first part has the whole header and a part of the tensors.
        raise PartOfGguf(path=path, count=parts)
    family = header.told.get("general.architecture")
    row = GGUF_FAMILIES.get(family) if isinstance(family, str) else None
    if row is None:
        raise UnknownFamily(path=path, family=shown(family).strip('"'))
    made: dict[str, Any] = {"model_type": family, "architectures": [row.architecture]}
    for name, about in row.settings.items():
        key, default = (about, _REQUIRED) if isinstance(about, str) else about
        value = header.told.get(f"{family}.{key}", default)
        if value is _REQUIRED:
            raise NotAModel(path=path, reason=f"{family}.{key}: —")
        if value is not None:
            check_number(Path(path), f"{family}.{key}", value)
            made[name] = value
    scaled = header.told.get(f"{family}.rope.scaling.type", "none")
    # Both change the computation in ways that the rows do not describe.
    for other, what in (
        (scaled not in ("none", "linear"), f"rope.scaling {shown(scaled)}"),
        (header.told.get(f"{family}.expert_count"), "experts"),
    ):
        if other:
            raise UnknownFamily(path=path, family=f"{family} · {what}")
    if "token_embd.weight" not in header.tensors:
        raise NotAModel(path=path, reason="token_embd.weight: —")
    made["vocab_size"] = header.tensors["token_embd.weight"].shape[0]
    made["tie_word_embeddings"] = "output.weight" not in header.tensors
    number = header.told.get("tokenizer.ggml.bos_token_id")
    made["bos_token_id"] = number if type(number) is int and number < made["vocab_size"] else None
    made["eos_token_id"] = [number for number in ends_of_answers(header.told) if number < made["vocab_size"]] or None
    return made


def places_of(header: GgufHeader, settings: Mapping[str, Any], path: str) -> dict[str, TensorPlace]:
    """The tensors of the file by their names in the model. Raises BadWeights for one that no row knows."""
    row = GGUF_FAMILIES[settings["model_type"]]
    found: dict[str, TensorPlace] = {}
    for name in header.tensors:
        if name == DIVISORS and "rope_parameters" in settings:
            continue
        stem, _, part = name.rpartition(".")
        layer = _LAYER.fullmatch(stem)
        known = row.layer.get(layer[2]) if layer else row.whole.get(stem)
        if known is None or part not in ("weight", "bias"):
            raise BadWeights(path=path, reason=f"{name[:80]} ?")
        kind = layer[2] if layer else ""
        heads = row.halves.get(kind)
        found[f"{known.format(layer[1]) if layer else known}.{part}"] = TensorPlace(
            name,
            transposed=kind in row.transposed and part == "weight",
            n_heads=0 if heads is None else int(settings.get(heads, settings["num_attention_heads"])),
        )
    return found


def kinds_of(header: GgufHeader) -> tuple[str, ...]:
    """The packed kinds of the file's tensors, the one of most numbers first; () for a file of floats."""
    counted: dict[str, int] = {}
    for tensor in header.tensors.values():
        counted[tensor.kind] = counted.get(tensor.kind, 0) + tensor.n_bytes
    return tuple(sorted((kind for kind in counted if kind.startswith("Q")), key=lambda kind: -counted[kind]))


def refused_kind(path: str, kind: int) -> Quantized:
    """The error for numbers packed in a way that this program does not read."""
    return Quantized(path=path, method=f"GGUF {kind}")
