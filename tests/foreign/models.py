"""Tiny models with random weights, and folders of them, made without a network."""

import json
import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from packaging.version import Version

from explorer.foreign.attention import register
from explorer.foreign.opening import Opened, with_taps
from tests.foreign.more_models import MORE, NO_SUM
from tests.sweeps import sweep

SETTINGS = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "n_layer": 1,
    "n_head": 2,
    "n_embd": 8,
    "vocab_size": 11,
}
_DTYPES = {"float32": "F32", "float16": "F16", "int64": "I64", "int8": "I8"}


def write_safetensors(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """A safetensors file, written by the format's description."""
    head, at = {}, 0
    for name, array in tensors.items():
        end = at + array.nbytes
        head[name] = {"dtype": _DTYPES[array.dtype.name], "shape": list(array.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in tensors.values()))


def write_folder(folder: Path, **changed: Any) -> Path:
    """A folder that passes the check, without a real model in it; a setting of None is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {key: value for key, value in (SETTINGS | changed).items() if value is not None}
    (folder / "config.json").write_text(json.dumps(settings))
    write_safetensors(folder / "model.safetensors", {"wte.weight": np.zeros((11, 8), np.float32), "b": np.zeros(8, np.float16)})
    return folder


_SIZES = {"vocab_size": 40, "max_position_embeddings": 32}
_ENCODER = _SIZES | {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
_LLAMA = _ENCODER | {"num_key_value_heads": 2}
_BOTH = _SIZES | {"d_model": 32, "decoder_start_token_id": 2, "pad_token_id": 1, "eos_token_id": 3, "bos_token_id": 0}
_SIDE = {"layers": 2, "attention_heads": 4, "ffn_dim": 48}
_BART = _BOTH | {f"{side}_{part}": size for side in ("encoder", "decoder") for part, size in _SIDE.items()}
_T5 = {"vocab_size": 40, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
_T5 |= {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}
_GPT2 = {"vocab_size": 40, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 32, "bos_token_id": 0, "eos_token_id": 0}
_DISTILBERT = _SIZES | {"dim": 32, "hidden_dim": 48, "n_layers": 2, "n_heads": 4}
_MODERN = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}

_EXPERTS = _LLAMA | {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 16}

WHOLE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", _GPT2),
    "llama": ("LlamaConfig", "LlamaForCausalLM", _LLAMA),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM", _LLAMA),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", _LLAMA | {"head_dim": 8}),
    "mistral": ("MistralConfig", "MistralForCausalLM", _LLAMA | {"sliding_window": 4}),
    "bert": ("BertConfig", "BertForMaskedLM", _ENCODER),
    "bert without an output": ("BertConfig", "BertModel", _ENCODER),
    "roberta": ("RobertaConfig", "RobertaForMaskedLM", _ENCODER | {"pad_token_id": 0}),
    "t5": ("T5Config", "T5ForConditionalGeneration", _T5),
    "t5 gated": ("T5Config", "T5ForConditionalGeneration", _T5 | {"feed_forward_proj": "gated-gelu"}),
    "marian": ("MarianConfig", "MarianMTModel", _BART),
    "bart": ("BartConfig", "BartForConditionalGeneration", _BART),
    "mbart": ("MBartConfig", "MBartForConditionalGeneration", _BART),
    "m2m_100": ("M2M100Config", "M2M100ForConditionalGeneration", _BART),
    "pegasus": ("PegasusConfig", "PegasusForConditionalGeneration", _BART),
    "albert": ("AlbertConfig", "AlbertForMaskedLM", _ENCODER | {"embedding_size": 16}),  # Its layers are one.
    "electra": ("ElectraConfig", "ElectraForMaskedLM", _ENCODER | {"embedding_size": 32}),
    "electra of two widths": ("ElectraConfig", "ElectraForMaskedLM", _ENCODER | {"embedding_size": 16}),
    "distilbert": ("DistilBertConfig", "DistilBertForMaskedLM", _DISTILBERT),
    "mt5": ("MT5Config", "MT5ForConditionalGeneration", _T5),
    "gemma2": ("Gemma2Config", "Gemma2ForCausalLM", _LLAMA | {"head_dim": 8, "sliding_window": 4}),  # It bounds its scores.
    "gpt_neox": ("GPTNeoXConfig", "GPTNeoXForCausalLM", _ENCODER),
    "gpt_neox in turn": ("GPTNeoXConfig", "GPTNeoXForCausalLM", _ENCODER | {"use_parallel_residual": False}),
    "phi": ("PhiConfig", "PhiForCausalLM", _LLAMA | {"num_attention_heads": 4}),
    "gemma": ("GemmaConfig", "GemmaForCausalLM", _LLAMA | {"head_dim": 8}),
    "smollm3": ("SmolLM3Config", "SmolLM3ForCausalLM", _LLAMA | {"pad_token_id": 0}),
    "mixtral": ("MixtralConfig", "MixtralForCausalLM", _LLAMA | {"num_local_experts": 4, "num_experts_per_tok": 2}),
    "qwen2_moe": (
        "Qwen2MoeConfig",
        "Qwen2MoeForCausalLM",
        _EXPERTS | {"shared_expert_intermediate_size": 16, "mlp_only_layers": [0]},
    ),
    "qwen3_moe": ("Qwen3MoeConfig", "Qwen3MoeForCausalLM", _EXPERTS | {"head_dim": 8, "norm_topk_prob": True}),
}
"""Models whose whole pass is seen: the class of their settings, their own class, and the settings."""

FURTHER: dict[str, tuple[str, str, dict[str, Any]]] = {
    "olmo2": ("Olmo2Config", "Olmo2ForCausalLM", _LLAMA),  # Its norms stand behind its blocks alone.
    "modernbert": ("ModernBertConfig", "ModernBertForMaskedLM", _ENCODER | _MODERN),
    "gpt_oss": (
        "GptOssConfig",
        "GptOssForCausalLM",
        _LLAMA | {"head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2},
    ),  # Its rows have sinks.
}
"""Models whose layers have fewer norms, or whose rows do not sum to 1."""

ALL = WHOLE | FURTHER
_GPTS = {"vocab_size": 40, "n_positions": 32, "n_embd": 32, "n_layer": 2, "n_head": 4, "bos_token_id": 0, "eos_token_id": 0}
_NEO = {"vocab_size": 40, "max_position_embeddings": 32, "hidden_size": 32, "num_layers": 2, "num_heads": 4, "window_size": 4}
_FALCON = {"new_decoder_architecture": True, "num_kv_heads": 2}

BY_SOFTMAX: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bloom": ("BloomConfig", "BloomForCausalLM", {"hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": 40}),
    "falcon": ("FalconConfig", "FalconForCausalLM", _ENCODER),
    "falcon of two norms": ("FalconConfig", "FalconForCausalLM", _ENCODER | _FALCON),
    "falcon in turn": ("FalconConfig", "FalconForCausalLM", _ENCODER | {"parallel_attn": False, "alibi": True, "bias": True}),
    "gpt_neo": ("GPTNeoConfig", "GPTNeoForCausalLM", _NEO | {"attention_types": [[["global", "local"], 1]]}),
    "mpnet": ("MPNetConfig", "MPNetForMaskedLM", _ENCODER),
    "deberta_v2": ("DebertaV2Config", "DebertaV2ForMaskedLM", _ENCODER | {"relative_attention": True, "pos_att_type": ["p2c"]}),
}
"""Models whose attention knows no function by name: what its softmax reads and gives is seen."""


NO_STREAM: dict[str, tuple[str, str, dict[str, Any]]] = {
    "xlm": ("XLMConfig", "XLMWithLMHeadModel", {"vocab_size": 40, "emb_dim": 32, "n_layers": 2, "n_heads": 4, "causal": True})
}
"""One whose attentions, norms and networks are in lists of their own: there are no layers."""


_MIXES = {"num_hidden_layers": 4, "layer_types": ["linear_attention", "full_attention"] * 2, "head_dim": 8}
_LINEAR = {"linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8}
_MAMBA = {"mamba_d_state": 4, "mamba_dt_rank": 4, "use_mamba_kernels": False}
_JAMBA = {"num_hidden_layers": 5, "attn_layer_period": 2, "attn_layer_offset": 1, "num_experts": 2} | _MAMBA

SOME_LAYERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "qwen3_next": (
        "Qwen3NextConfig",
        "Qwen3NextForCausalLM",
        _EXPERTS | _MIXES | _LINEAR | {"shared_expert_intermediate_size": 16},
    ),
    "qwen3_5": ("Qwen3_5TextConfig", "Qwen3_5ForCausalLM", _LLAMA | _MIXES | _LINEAR),
    "jamba": ("JambaConfig", "JambaForCausalLM", _LLAMA | _JAMBA),  # Its last layer has no attention.
}
"""Models in which every second layer has attention, and the others mix tokens in another way."""


_MLA = {"kv_lora_rank": 12, "q_lora_rank": 12, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 6}
_DEEPSEEK = _MLA | {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "first_k_dense_replace": 1}
_DEEPSEEK |= {"num_key_value_heads": 4, "n_group": 2, "topk_group": 1}
_PADDED = _LLAMA | {"pad_token_id": 0, "eos_token_id": 1}
_SCALED = {"residual_multiplier": 0.3, "embedding_multiplier": 3.0, "logits_scaling": 2.0, "attention_multiplier": 0.2}
_OPT = _SIZES | {"hidden_size": 32, "ffn_dim": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "word_embed_proj_dim": 32}
_MPT = {"d_model": 32, "n_heads": 4, "n_layers": 2, "vocab_size": 40, "max_seq_len": 32}

FOUND: dict[str, tuple[str, str, dict[str, Any]]] = {
    "phi3": ("Phi3Config", "Phi3ForCausalLM", _PADDED),
    "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM", _LLAMA | {"head_dim": 8, "sliding_window": 4}),
    "olmo": ("OlmoConfig", "OlmoForCausalLM", _LLAMA),
    "olmo3": ("Olmo3Config", "Olmo3ForCausalLM", _LLAMA),
    "cohere": ("CohereConfig", "CohereForCausalLM", _PADDED),
    "cohere2": ("Cohere2Config", "Cohere2ForCausalLM", _PADDED),
    "granite": ("GraniteConfig", "GraniteForCausalLM", _LLAMA | _SCALED),
    "granitemoe": (
        "GraniteMoeConfig",
        "GraniteMoeForCausalLM",
        _LLAMA | _SCALED | {"num_local_experts": 4, "num_experts_per_tok": 2},
    ),
    "glm": ("GlmConfig", "GlmForCausalLM", _PADDED | {"head_dim": 8}),
    "glm4": ("Glm4Config", "Glm4ForCausalLM", _PADDED | {"head_dim": 8}),
    "deepseek_v2": ("DeepseekV2Config", "DeepseekV2ForCausalLM", _LLAMA | _DEEPSEEK | {"n_group": 1}),
    "deepseek_v2 lite": (
        "DeepseekV2Config",
        "DeepseekV2ForCausalLM",
        _LLAMA | _DEEPSEEK | {"n_group": 1, "q_lora_rank": None},
    ),  # Its queries are made in one step.
    "deepseek_v3": ("DeepseekV3Config", "DeepseekV3ForCausalLM", _LLAMA | _DEEPSEEK),
    "starcoder2": ("Starcoder2Config", "Starcoder2ForCausalLM", _LLAMA),
    "gpt_bigcode": ("GPTBigCodeConfig", "GPTBigCodeForCausalLM", _GPTS),
    "codegen": ("CodeGenConfig", "CodeGenForCausalLM", _GPTS | {"rotary_dim": 4}),
    "mpt": ("MptConfig", "MptForCausalLM", _MPT),
    "blenderbot": ("BlenderbotConfig", "BlenderbotForConditionalGeneration", _BART),
    "blenderbot-small": ("BlenderbotSmallConfig", "BlenderbotSmallForConditionalGeneration", _BART),
    "umt5": ("UMT5Config", "UMT5ForConditionalGeneration", _T5),
    "deberta": ("DebertaConfig", "DebertaForMaskedLM", _ENCODER | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "stablelm": ("StableLmConfig", "StableLmForCausalLM", _LLAMA),
    "stablelm in parallel": ("StableLmConfig", "StableLmForCausalLM", _LLAMA | {"use_parallel_residual": True}),
    "opt": ("OPTConfig", "OPTForCausalLM", _OPT),  # Its networks read the rows of all texts below each other.
    "lfm2": ("Lfm2Config", "Lfm2ForCausalLM", _LLAMA | {"layer_types": ["conv", "full_attention"]}),
    "nemotron": ("NemotronConfig", "NemotronForCausalLM", _LLAMA),
    "hunyuan": ("HunYuanDenseV1Config", "HunYuanDenseV1ForCausalLM", _LLAMA | {"head_dim": 8}),
    "ernie4_5": ("Ernie4_5Config", "Ernie4_5ForCausalLM", _LLAMA | {"head_dim": 8}),
    "exaone4": ("Exaone4Config", "Exaone4ForCausalLM", _LLAMA | {"sliding_window": 4}),
    "helium": ("HeliumConfig", "HeliumForCausalLM", _LLAMA | {"head_dim": 8}),
    "olmoe": ("OlmoeConfig", "OlmoeForCausalLM", _LLAMA | {"num_experts": 4, "num_experts_per_tok": 2}),
    "biogpt": ("BioGptConfig", "BioGptForCausalLM", _ENCODER),
    "albert of groups": (
        "AlbertConfig",
        "AlbertForMaskedLM",
        _ENCODER | {"embedding_size": 16, "num_hidden_layers": 4, "num_hidden_groups": 2, "inner_group_num": 2},
    ),  # Each of its two groups has two layers.
    "esm": ("EsmConfig", "EsmForMaskedLM", _ENCODER | {"pad_token_id": 0, "mask_token_id": 3}),
} | MORE
"""Models whose streams no table names: they are found by watching a pass."""

TELLING = ("gpt2", "bert", "t5", "mixtral")
"""Each has what the others lack: a decoder alone, an encoder alone, both sides, rotary positions with experts."""


def families(names: Iterable[str]) -> list[Any]:
    """The families of one parameter; all but the telling ones, or the first where none of them is there, are exhaustive."""
    swept = list(names)
    return sweep(swept, telling=[name for name in TELLING if name in swept] or swept[:1])


STREAM_BY_SOFTMAX = ["falcon", "falcon of two norms", "falcon in turn", "gpt_neo"]
"""Those of them with a decoder and with matrices that the tests know."""

GPTJ = "GPTJConfig", "GPTJForCausalLM", _GPTS | {"rotary_dim": 4}
if Version(version("transformers")) >= Version("5.24"):  # From there on its attention knows functions by name.
    WHOLE["gptj"] = ALL["gptj"] = GPTJ
else:
    BY_SOFTMAX["gptj"] = GPTJ
    STREAM_BY_SOFTMAX.append("gptj")


def fresh(name: str) -> Any:
    """A model with random weights that are large enough to matter."""
    import transformers

    settings, kind, values = (ALL | BY_SOFTMAX | SOME_LAYERS | NO_STREAM | NO_SUM | FOUND)[name]
    torch.manual_seed(1)
    # As in opening a folder: some choose the class of their attention by it.
    chosen = {"attn_implementation": "eager"} if name in BY_SOFTMAX | NO_STREAM else {}
    config = getattr(transformers, settings)(**values, **chosen)
    model = getattr(transformers, kind)(config).eval()
    for path, parameter in model.named_parameters():
        if name not in ("marian", "pegasus") or "embed_positions" not in path:  # Its waves are in no file.
            parameter.data += 0.3 * torch.randn_like(parameter)
    return model


def opened_anew(name: str) -> Opened:
    """The same model with taps."""
    register()
    return with_taps(fresh(name), name)


@lru_cache(maxsize=32)
def opened(name: str) -> Opened:
    """One that all tests share: nobody may change it."""
    return opened_anew(name)


def ids_of(opened: Opened) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Both sides' ids [batch 1, position]; None for a side that the model lacks."""
    ids, short = torch.tensor([[5, 9, 30, 9, 22, 7, 11]]), torch.tensor([[2, 14, 6, 33]])
    if opened.foreign.model.config.is_encoder_decoder:
        return ids, short
    causal = any(each.startswith("decoder.") for each in opened.attentions)
    return (None, ids) if causal else (ids, None)


def write_model(folder: Path, name: str) -> Path:
    """A folder of a model as its own library writes it."""
    fresh(name).save_pretrained(folder)
    write_tokenizer(folder)
    return folder


def write_tokenizer(folder: Path) -> None:
    """A vocabulary of forty pieces, a few words and all letters, with [CLS] and [SEP] around a text."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    first = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "the", "fox", "and", "dog", "我", "爱", "un", "##able", "##s")
    pieces = [*first, *"abcdefghijklmnopqrstuvwxyz", "[MASK]"]
    made = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    made.add_special_tokens([*pieces[:4], "[MASK]"])
    made.save(str(folder / "tokenizer.json"))
