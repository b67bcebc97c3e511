"""The GPT-2 shape in TransformerLens and in Hugging Face's transformers, with the weights of our model.

    python -m tests.bench.peers.passes FOLDER THREADS

FOLDER holds `config.json`, and `weights.safetensors` with our parameters by name, our ids and the logits we make of them.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file
from torch import Tensor, nn
from transformer_lens import HookedTransformer, HookedTransformerConfig
from transformers import GPT2Config, GPT2LMHeadModel

from tests.bench.peers.lines import serve

_CLOSE = 1e-3
Weights = dict[str, Tensor]


def face(shape: dict[str, Any], ours: Weights) -> nn.Module:
    """Hugging Face's model with eager attention; its Conv1D has [in, out] where a linear layer has [out, in]."""
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=shape["vocab_size"],
            n_positions=shape["max_len"],
            n_embd=shape["d_model"],
            n_layer=shape["n_layers"],
            n_head=shape["n_heads"],
            n_inner=shape["d_ff"],
            activation_function="gelu",
            layer_norm_epsilon=shape["eps"],
            attn_implementation="eager",
            use_cache=False,
        )
    )
    theirs = {
        "transformer.wte.weight": ours["generator.project.weight"],
        "lm_head.weight": ours["generator.project.weight"],
        "transformer.wpe.weight": ours["decoder.embedding.learned.weight"],
        **_norm("transformer.ln_f", ours),
    }
    for layer in range(shape["n_layers"]):
        here, there = f"decoder.layers.{layer}", f"transformer.h.{layer}"
        parts = [f"{here}.self_attn.project_{part}" for part in ("query", "key", "value")]
        theirs[f"{there}.attn.c_attn.weight"] = torch.cat([ours[f"{part}.weight"] for part in parts]).T
        theirs[f"{there}.attn.c_attn.bias"] = torch.cat([ours[f"{part}.bias"] for part in parts])
        for name, part in (
            ("attn.c_proj", "self_attn.project_output"),
            ("mlp.c_fc", "feed_forward.expand"),
            ("mlp.c_proj", "feed_forward.contract"),
        ):
            theirs[f"{there}.{name}.weight"] = ours[f"{here}.{part}.weight"].T
            theirs[f"{there}.{name}.bias"] = ours[f"{here}.{part}.bias"]
        theirs |= _norm(f"{there}.ln_1", ours, f"{here}.around_self") | _norm(f"{there}.ln_2", ours, f"{here}.around_feed")
    _load(model, theirs)
    return model.eval()


def lens(shape: dict[str, Any], ours: Weights) -> HookedTransformer:
    """TransformerLens' model; its projections are split into heads."""
    model = HookedTransformer(
        HookedTransformerConfig(
            d_model=shape["d_model"],
            d_head=shape["d_model"] // shape["n_heads"],
            n_layers=shape["n_layers"],
            n_ctx=shape["max_len"],
            n_heads=shape["n_heads"],
            d_mlp=shape["d_ff"],
            d_vocab=shape["vocab_size"],
            act_fn="gelu",
            normalization_type="LN",
            positional_embedding_type="standard",
            eps=shape["eps"],
            device="cpu",
            init_weights=False,
        )
    )
    theirs = {
        "embed.W_E": ours["generator.project.weight"],
        "pos_embed.W_pos": ours["decoder.embedding.learned.weight"],
        "unembed.W_U": ours["generator.project.weight"].T,
        "unembed.b_U": ours["generator.project.bias"],
        **_norm("ln_final", ours, ends=("w", "b")),
    }
    for layer in range(shape["n_layers"]):
        theirs |= _lens_layer(f"blocks.{layer}", f"decoder.layers.{layer}", shape["n_heads"], ours)
    _load(model, theirs)
    return model.eval()


def _lens_layer(there: str, here: str, n_heads: int, ours: Weights) -> Weights:
    theirs = _norm(f"{there}.ln1", ours, f"{here}.around_self", ("w", "b"))
    theirs |= _norm(f"{there}.ln2", ours, f"{here}.around_feed", ("w", "b"))
    for letter, part in (("Q", "query"), ("K", "key"), ("V", "value")):
        weight, bias = (ours[f"{here}.self_attn.project_{part}.{end}"] for end in ("weight", "bias"))
        theirs[f"{there}.attn.W_{letter}"] = weight.unflatten(0, (n_heads, -1)).transpose(1, 2)  # [head, in, feature]
        theirs[f"{there}.attn.b_{letter}"] = bias.unflatten(0, (n_heads, -1))
    output = ours[f"{here}.self_attn.project_output.weight"]
    theirs[f"{there}.attn.W_O"] = output.T.unflatten(0, (n_heads, -1))  # [head, feature, out]
    theirs[f"{there}.attn.b_O"] = ours[f"{here}.self_attn.project_output.bias"]
    for end, part in (("in", "expand"), ("out", "contract")):
        theirs[f"{there}.mlp.W_{end}"] = ours[f"{here}.feed_forward.{part}.weight"].T
        theirs[f"{there}.mlp.b_{end}"] = ours[f"{here}.feed_forward.{part}.bias"]
    return theirs


def _norm(there: str, ours: Weights, here: str = "decoder", ends: tuple[str, str] = ("weight", "bias")) -> Weights:
    return {f"{there}.{end}": ours[f"{here}.normalize.{own}"] for end, own in zip(ends, ("weight", "bias"), strict=True)}


def _load(model: nn.Module, weights: Weights) -> None:
    """Every parameter must be given: what is missing may only be a buffer."""
    weights = {name: weight.contiguous().clone() for name, weight in weights.items()}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    left = sorted({name for name, _ in model.named_parameters()} & set(missing)) + list(unexpected)
    if left:
        raise RuntimeError(f"not the same parameters: {left}")


def _away(logits: Tensor, ours: Weights) -> float:
    """How far their logits are from ours. Raises RuntimeError where that is no rounding."""
    away = float((logits - ours["logits"]).abs().max())
    if not away < _CLOSE:
        raise RuntimeError(f"the logits differ by {away}: not the same model")
    return away


def _timed(work: Callable[[Tensor], object], ids: Tensor) -> Callable[[int], float]:
    """A pass over the first `n` ids, in ms."""

    def run(n: int) -> float:
        start = time.perf_counter()
        work(ids[:, :n])
        return (time.perf_counter() - start) * 1e3

    return run


@torch.inference_mode()
def main() -> None:
    """Load both, hold their logits against ours, and answer."""
    folder, threads = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(threads)
    shape = json.loads((folder / "config.json").read_text())
    ours = load_file(folder / "weights.safetensors")
    ids, one, other = ours["ids"], lens(shape, ours), face(shape, ours)
    some = ids[:, : ours["logits"].shape[1]]
    about = {
        "lens": _away(one.run_with_cache(some)[0], ours),
        "face": _away(other(some).logits, ours),
        "versions": f"transformer-lens {_version()}, transformers {transformers.__version__}, torch {torch.__version__}",
    }
    answers = {"lens": _timed(one.run_with_cache, ids), "face": _timed(other, ids)}
    serve(answers, about)


def _version() -> str:
    from importlib.metadata import version

    return version("transformer-lens")


if __name__ == "__main__":
    main()
