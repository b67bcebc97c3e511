"""The GPT-2 shape in Hugging Face's transformers, in TransformerLens 4's bridge and in nnsight, with the weights of our model.

    python -m tests.bench.peers.passes FOLDER THREADS

FOLDER holds `config.json`, and `weights.safetensors` with our parameters by name, our ids and the logits we make of them.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nnsight
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel

from tests.bench.peers.bridges import bridge, sight_pass
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


def _norm(there: str, ours: Weights, here: str = "decoder") -> Weights:
    return {f"{there}.{end}": ours[f"{here}.normalize.{end}"] for end in ("weight", "bias")}


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
    ids, own = ours["ids"], face(shape, ours)
    lens, sight = bridge(face(shape, ours)), nnsight.NNsight(face(shape, ours))  # Each of them wraps the modules of a model.
    some = ids[:, : ours["logits"].shape[1]]
    names = ("transformer-lens", "nnsight", "transformers", "torch")
    about = {
        "lens": _away(lens.run_with_cache(some)[0], ours),
        "face": _away(own(some).logits, ours),
        "versions": ", ".join(f"{name} {version(name)}" for name in names),
    }
    answers = {
        "lens": _timed(lens.run_with_cache, ids),
        "sight": _timed(lambda some: sight_pass(sight, some), ids),
        "face": _timed(own, ids),
        "full": _timed(lambda some: own(some, output_attentions=True, output_hidden_states=True), ids),
    }
    serve(answers, about)


if __name__ == "__main__":
    main()
