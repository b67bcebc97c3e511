"""Settings of further families in transformers, whose streams are found by watching a pass."""

from typing import Any

_SIZES = {"vocab_size": 40, "max_position_embeddings": 32}
_LAYERS = _SIZES | {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
_ENCODER = _LAYERS | {"pad_token_id": 0}
_DECODER = _ENCODER | {"num_key_value_heads": 2, "bos_token_id": 1, "eos_token_id": 2}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
_LOCAL = {"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 8}
_ROUTED = {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1}
_BOTH = {"d_model": 32, "decoder_start_token_id": 2, "pad_token_id": 1, "eos_token_id": 3, "bos_token_id": 0}
_ENDS = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}
_T5 = _ENDS | {"vocab_size": 40, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}


_SIDES = {"layers": 2, "attention_heads": 4, "ffn_dim": 48}
_BART = _SIZES | _BOTH | {f"{side}_{part}": size for side in ("encoder", "decoder") for part, size in _SIDES.items()}
MORE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "arcee": ("ArceeConfig", "ArceeForCausalLM", _DECODER),
    "apertus": ("ApertusConfig", "ApertusForCausalLM", _DECODER),
    "bitnet": ("BitNetConfig", "BitNetForCausalLM", _DECODER),
    "ernie4_5_moe": (
        "Ernie4_5_MoeConfig",
        "Ernie4_5_MoeForCausalLM",
        _DECODER | {"moe_num_experts": 4, "moe_k": 2, "moe_intermediate_size": 16},
    ),
    "jetmoe": ("JetMoeConfig", "JetMoeForCausalLM", _DECODER | {"kv_channels": 8, "num_local_experts": 4}),
    "ministral": ("MinistralConfig", "MinistralForCausalLM", _DECODER | {"head_dim": 8}),
    "persimmon": ("PersimmonConfig", "PersimmonForCausalLM", _DECODER),
    "phimoe": ("PhimoeConfig", "PhimoeForCausalLM", _DECODER | {"num_local_experts": 4}),
    "seed_oss": ("SeedOssConfig", "SeedOssForCausalLM", _DECODER | {"head_dim": 8}),
    "vaultgemma": ("VaultGemmaConfig", "VaultGemmaForCausalLM", _DECODER | {"head_dim": 8}),
    "minimax_m2": ("MiniMaxM2Config", "MiniMaxM2ForCausalLM", _DECODER | _LOCAL),
    "glm4_moe": ("Glm4MoeConfig", "Glm4MoeForCausalLM", _DECODER | _ROUTED | {"moe_intermediate_size": 16, "head_dim": 8}),
    "hunyuan_moe": (
        "HunYuanMoEV1Config",
        "HunYuanMoEV1ForCausalLM",
        _DECODER | {"num_experts": 4, "moe_topk": 2, "head_dim": 8},
    ),
    "flex_olmo": ("FlexOlmoConfig", "FlexOlmoForCausalLM", _DECODER | {"num_experts": 4, "num_experts_per_tok": 2}),
    "lfm2_moe": (
        "Lfm2MoeConfig",
        "Lfm2MoeForCausalLM",
        _DECODER | _EXPERTS | {"num_dense_layers": 1, "layer_types": ["full_attention", "conv"]},
    ),
    "modernbert-decoder": ("ModernBertDecoderConfig", "ModernBertDecoderForCausalLM", _ENCODER | {"eos_token_id": 2}),
    "bert-generation": ("BertGenerationConfig", "BertGenerationDecoder", _ENCODER | {"is_decoder": True}),
    "ctrl": (
        "CTRLConfig",
        "CTRLLMHeadModel",
        {"vocab_size": 40, "n_positions": 32, "n_embd": 32, "dff": 48, "n_layer": 2, "n_head": 4},
    ),
    "xglm": ("XGLMConfig", "XGLMForCausalLM", _SIZES | {"d_model": 32, "ffn_dim": 48, "num_layers": 2, "attention_heads": 4}),
    "camembert": ("CamembertConfig", "CamembertForMaskedLM", _ENCODER),
    "xlm-roberta": ("XLMRobertaConfig", "XLMRobertaForMaskedLM", _ENCODER),
    "xlm-roberta-xl": ("XLMRobertaXLConfig", "XLMRobertaXLForMaskedLM", _ENCODER),
    "data2vec-text": ("Data2VecTextConfig", "Data2VecTextForMaskedLM", _ENCODER),
    "ernie": ("ErnieConfig", "ErnieForMaskedLM", _ENCODER),
    "roformer": ("RoFormerConfig", "RoFormerForMaskedLM", _ENCODER),
    "rembert": ("RemBertConfig", "RemBertForMaskedLM", _ENCODER | {"input_embedding_size": 16, "output_embedding_size": 24}),
    "roberta-prelayernorm": ("RobertaPreLayerNormConfig", "RobertaPreLayerNormForMaskedLM", _ENCODER),
    "eurobert": ("EuroBertConfig", "EuroBertForMaskedLM", _ENCODER | {"num_key_value_heads": 4}),
    "megatron-bert": ("MegatronBertConfig", "MegatronBertForMaskedLM", _ENCODER),
    "convbert": ("ConvBertConfig", "ConvBertForMaskedLM", _ENCODER | {"embedding_size": 32}),
    "plbart": ("PLBartConfig", "PLBartForConditionalGeneration", _BART),
    "switch_transformers": (
        "SwitchTransformersConfig",
        "SwitchTransformersForConditionalGeneration",
        _T5 | {"num_experts": 4, "num_decoder_layers": 2, "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1},
    ),
}
"""The class of their settings, their own class, and the settings."""

_PROPHET = {
    f"num_{side}_{part}": size for side in ("encoder", "decoder") for part, size in {"layers": 2, "attention_heads": 4}.items()
}
_PROPHET |= _SIZES | {"hidden_size": 32, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "decoder_start_token_id": 2}
_FALCON_H1 = {"mamba_d_ssm": 32, "mamba_n_heads": 4, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1}
_GPT = {"vocab_size": 40, "n_positions": 32, "n_embd": 32, "n_layer": 2, "n_head": 4}
_JAPANESE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_multiple_size": 2}

_ZAMBA = _DECODER | {"num_hidden_layers": 6, "num_key_value_heads": 4, "n_mamba_heads": 2, "mamba_d_state": 4}
_ZAMBA |= {"layers_block_type": ["mamba", "hybrid"] * 3}  # Their attention is one.
_MAMBA_2 = {"n_mamba_heads": 8, "mamba_headdim": 8, "mamba_ngroups": 1, "num_mem_blocks": 2, "adapter_rank": 4}

NO_SUM: dict[str, tuple[str, str, dict[str, Any]]] = {
    "doge": ("DogeConfig", "DogeForCausalLM", _DECODER),
    "falcon_h1": ("FalconH1Config", "FalconH1ForCausalLM", _DECODER | _FALCON_H1),
    "gpt_neox_japanese": ("GPTNeoXJapaneseConfig", "GPTNeoXJapaneseForCausalLM", _SIZES | _JAPANESE),
    "minimax": ("MiniMaxConfig", "MiniMaxForCausalLM", _DECODER | _LOCAL),
    "mobilebert": ("MobileBertConfig", "MobileBertForMaskedLM", _ENCODER | {"embedding_size": 32, "intra_bottleneck_size": 32}),
    "openai-gpt": ("OpenAIGPTConfig", "OpenAIGPTLMHeadModel", _GPT),
    "prophetnet": ("ProphetNetConfig", "ProphetNetForConditionalGeneration", _PROPHET),
    "zamba": ("ZambaConfig", "ZambaForCausalLM", _ZAMBA | {"mamba_dt_rank": 4}),
    "zamba2": ("Zamba2Config", "Zamba2ForCausalLM", _ZAMBA | _MAMBA_2),
    "squeezebert": ("SqueezeBertConfig", "SqueezeBertForMaskedLM", _ENCODER | {"embedding_size": 32}),
}
"""Those that pass on no plain sum: factors that are learned or depend on the token, several rows for a token, other axes."""
