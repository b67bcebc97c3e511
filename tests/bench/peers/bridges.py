"""One shape of `shapes.py` in TransformerLens 4's bridge and in nnsight.

python -m tests.bench.peers.bridges SHAPE THREADS
"""

import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import nnsight
import torch
from tokenizers import Tokenizer, models
from torch import Tensor
from transformer_lens.model_bridge import TransformerBridge
from transformers import PreTrainedTokenizerFast

from tests.bench.peers.lines import serve
from tests.bench.peers.shapes import own_model, own_pass, some_ids


def bridge(model: Any) -> Any:
    """A model of transformers in the bridge, which asks for a folder and a tokenizer even where both are given to it."""
    words = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", eos_token="[UNK]", pad_token="[UNK]")
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return TransformerBridge.boot_transformers(folder, hf_model=model, tokenizer=tokenizer, device="cpu").eval()


def sight_pass(model: Any, ids: Tensor) -> Any:
    """A pass of a model in nnsight that keeps what every module gives out."""
    with model.trace(ids) as tracer:
        cache = tracer.cache()
    return cache  # noqa: RET504  # The library reads the lines of the block, where it may not return.


def _timed(shape: str, work: Callable[[Tensor], object]) -> Callable[[int], float]:
    """A pass over `n` ids, in ms."""

    def run(n: int) -> float:
        ids = some_ids(shape, n)
        start = time.perf_counter()
        work(ids)
        return (time.perf_counter() - start) * 1e3

    return run


def _heads(lens: Any, ids: Tensor) -> Tensor:
    """[head of all layers, word] what zeroing a head's output adds to log p of each next token: the usual loop."""

    def log_p(logits: Tensor) -> Tensor:
        rows = logits[:, :-1].log_softmax(dim=-1)
        return rows.gather(-1, ids[:, 1:, None])[0, :, 0]  # [word]

    plain, found = log_p(lens(ids)), []
    for layer in range(lens.cfg.n_layers):
        for head in range(lens.cfg.n_heads):

            def zero(z: Tensor, hook: object, head: int = head) -> Tensor:
                z[:, :, head] = 0.0
                return z

            logits = lens.run_with_hooks(ids, fwd_hooks=[(f"blocks.{layer}.attn.hook_z", zero)])
            found.append(log_p(logits) - plain)
    return torch.stack(found)


@torch.inference_mode()
def main() -> None:
    """Load both, say what the model itself gives out, and answer."""
    shape, threads = sys.argv[1], int(sys.argv[2])
    torch.set_num_threads(threads)
    sight = nnsight.NNsight(own_model(shape))
    lens = bridge(own_model(shape)) if shape != "MiniLM" else None  # It knows BERT with an output over its vocabulary alone.
    names = ("transformer-lens", "nnsight", "transformers", "torch")
    own = own_pass(own_model(shape), some_ids(shape, 16))[0]
    about = {"sum": float(own.double().sum()), "versions": ", ".join(f"{name} {version(name)}" for name in names)}
    answers = {
        "lens": _timed(shape, lambda ids: lens.run_with_cache(ids)),
        "sight": _timed(shape, lambda ids: sight_pass(sight, ids)),
        "heads": lambda n: _heads(lens, some_ids(shape, n)).tolist(),
        "heads_ms": _timed(shape, lambda ids: _heads(lens, ids)),
    }
    serve(answers, about)


if __name__ == "__main__":
    main()
