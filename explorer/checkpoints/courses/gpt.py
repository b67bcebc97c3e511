"""nanoGPT and both generations of minGPT, which become GPT-2 of transformers.

Their layers are nn.Linear, [out, in]; GPT-2's are [in, out]. nanoGPT without biases equals GPT-2 with biases of zero.
"""

from typing import Any

from explorer.checkpoints.layout import Known, Layout, TensorRow, turned

_END = 50256  # GPT-2's own token, where the vocabulary is GPT-2's


def _settings(known: Known) -> dict[str, Any]:
    """config.json of a GPT-2 of this shape."""
    sizes = known.sizes
    end = _END if sizes["V"] > _END else None
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "vocab_size": sizes["V"],
        "n_positions": sizes["T"],
        "n_embd": sizes["d"],
        "n_layer": known.n_layers,
        "n_head": known.n_heads,
        "n_inner": sizes["F"],
        "tie_word_embeddings": known.tied,
        "bos_token_id": end,
        "eos_token_id": end,
        **known.chosen,
    }


_LAYER = "transformer.h.{i}"
_OF_BOTH = (
    TensorRow("transformer.wte.weight", "V d", "transformer.wte.weight"),
    TensorRow("transformer.wpe.weight", "T d", "transformer.wpe.weight"),
    TensorRow(f"{_LAYER}.ln_1.weight", "d", f"{_LAYER}.ln_1.weight"),
    TensorRow(f"{_LAYER}.ln_1.bias", "d", f"{_LAYER}.ln_1.bias", absent="zeros"),
    TensorRow(f"{_LAYER}.attn.c_attn.weight", "3d d", f"{_LAYER}.attn.c_attn.weight", turned),
    TensorRow(f"{_LAYER}.attn.c_attn.bias", "3d", f"{_LAYER}.attn.c_attn.bias", absent="zeros"),
    TensorRow(f"{_LAYER}.attn.c_proj.weight", "d d", f"{_LAYER}.attn.c_proj.weight", turned),
    TensorRow(f"{_LAYER}.attn.c_proj.bias", "d", f"{_LAYER}.attn.c_proj.bias", absent="zeros"),
    TensorRow(f"{_LAYER}.attn.bias", "1 1 T T", absent="allowed"),  # the causal mask
    TensorRow(f"{_LAYER}.ln_2.weight", "d", f"{_LAYER}.ln_2.weight"),
    TensorRow(f"{_LAYER}.ln_2.bias", "d", f"{_LAYER}.ln_2.bias", absent="zeros"),
    TensorRow(f"{_LAYER}.mlp.c_fc.weight", "F d", f"{_LAYER}.mlp.c_fc.weight", turned),
    TensorRow(f"{_LAYER}.mlp.c_fc.bias", "F", f"{_LAYER}.mlp.c_fc.bias", absent="zeros"),
    TensorRow(f"{_LAYER}.mlp.c_proj.weight", "d F", f"{_LAYER}.mlp.c_proj.weight", turned),
    TensorRow(f"{_LAYER}.mlp.c_proj.bias", "d", f"{_LAYER}.mlp.c_proj.bias", absent="zeros"),
    TensorRow("transformer.ln_f.weight", "d", "transformer.ln_f.weight"),
    TensorRow("transformer.ln_f.bias", "d", "transformer.ln_f.bias", absent="zeros"),
    TensorRow("lm_head.weight", "V d", "lm_head.weight", absent="allowed"),
)
_MARKS = ("transformer.wte.weight", "transformer.wpe.weight", "transformer.h.0.attn.c_attn.weight")

NANO_GPT = Layout(
    course="nanoGPT",
    marks=_MARKS,
    rows=_OF_BOTH,
    settings=_settings,
    # Before June 2023 its code had GELU's approximation by tanh, "gelu_new".
    assumed={"activation_function": "gelu", "layer_norm_epsilon": 1e-5},
    embedding="transformer.wte.weight",
    output="lm_head.weight",
    tied=True,
)

MIN_GPT = Layout(
    course="minGPT",
    marks=_MARKS,
    rows=_OF_BOTH,
    settings=_settings,
    assumed={"activation_function": "gelu_new", "layer_norm_epsilon": 1e-5},
    embedding="transformer.wte.weight",
    output="lm_head.weight",
    tied=False,
)

_BLOCK = "blocks.{i}"

FIRST_MIN_GPT = Layout(
    course="minGPT",
    marks=("tok_emb.weight", "pos_emb", "blocks.0.attn.query.weight"),
    rows=(
        TensorRow("tok_emb.weight", "V d", "transformer.wte.weight"),
        TensorRow("pos_emb", "1 T d", "transformer.wpe.weight", lambda parts, _sizes: parts[0][0]),
        TensorRow(f"{_BLOCK}.ln1.weight", "d", f"{_LAYER}.ln_1.weight"),
        TensorRow(f"{_BLOCK}.ln1.bias", "d", f"{_LAYER}.ln_1.bias"),
        TensorRow(
            f"{_BLOCK}.attn.query.weight",
            "d d",
            f"{_LAYER}.attn.c_attn.weight",
            turned,
            more=(f"{_BLOCK}.attn.key.weight", f"{_BLOCK}.attn.value.weight"),
        ),
        TensorRow(
            f"{_BLOCK}.attn.query.bias",
            "d",
            f"{_LAYER}.attn.c_attn.bias",
            more=(f"{_BLOCK}.attn.key.bias", f"{_BLOCK}.attn.value.bias"),
        ),
        TensorRow(f"{_BLOCK}.attn.proj.weight", "d d", f"{_LAYER}.attn.c_proj.weight", turned),
        TensorRow(f"{_BLOCK}.attn.proj.bias", "d", f"{_LAYER}.attn.c_proj.bias"),
        TensorRow(f"{_BLOCK}.attn.mask", "1 1 T T", absent="allowed"),
        TensorRow(f"{_BLOCK}.ln2.weight", "d", f"{_LAYER}.ln_2.weight"),
        TensorRow(f"{_BLOCK}.ln2.bias", "d", f"{_LAYER}.ln_2.bias"),
        TensorRow(f"{_BLOCK}.mlp.0.weight", "F d", f"{_LAYER}.mlp.c_fc.weight", turned),
        TensorRow(f"{_BLOCK}.mlp.0.bias", "F", f"{_LAYER}.mlp.c_fc.bias"),
        TensorRow(f"{_BLOCK}.mlp.2.weight", "d F", f"{_LAYER}.mlp.c_proj.weight", turned),
        TensorRow(f"{_BLOCK}.mlp.2.bias", "d", f"{_LAYER}.mlp.c_proj.bias"),
        TensorRow("ln_f.weight", "d", "transformer.ln_f.weight"),
        TensorRow("ln_f.bias", "d", "transformer.ln_f.bias"),
        TensorRow("head.weight", "V d", "lm_head.weight"),
    ),
    settings=_settings,
    assumed={"activation_function": "gelu", "layer_norm_epsilon": 1e-5},
    embedding="tok_emb.weight",
    output="head.weight",
)
