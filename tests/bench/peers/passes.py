"""GPT-2 small in Hugging Face's transformers, in TransformerLens 4's bridge and in nnsight.

    python -m tests.bench.peers.passes THREADS

It says first the sum of the logits of 16 tokens, by which one knows that all sides have the same model.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import nnsight
import torch
from tokenizers import Tokenizer, models
from torch import Tensor
from transformer_lens.model_bridge import TransformerBridge
from transformers import PreTrainedTokenizerFast

from tests.bench.peers.gpt2 import own_model, some_ids
from tests.bench.peers.lines import serve


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


def _timed(work: Callable[[Tensor], object]) -> Callable[[int], float]:
    """A pass over `n` ids, in ms."""

    def run(n: int) -> float:
        ids = some_ids(1, n)
        start = time.perf_counter()
        work(ids)
        return (time.perf_counter() - start) * 1e3

    return run


@torch.inference_mode()
def main() -> None:
    """Make all three, each of which wraps the modules of a model of its own, and answer."""
    torch.set_num_threads(int(sys.argv[1]))
    own, lens, sight = own_model(), bridge(own_model()), nnsight.NNsight(own_model())
    answers = {
        "lens": _timed(lens.run_with_cache),
        "sight": _timed(lambda ids: sight_pass(sight, ids)),
        "face": _timed(lambda ids: own(input_ids=ids, use_cache=False)),
    }
    serve(answers, [float(model(some_ids(1, 16)).logits.double().sum()) for model in (own, sight)])


if __name__ == "__main__":
    main()
