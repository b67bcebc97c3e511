"""The investigation of the manual's chapter "From a paper to a figure" in TransformerLens 4, transformers and matplotlib.

python -m tests.bench.peers.induction, where these are installed. It prints what each part found, and the seconds of the whole.
"""

import random
import tempfile
import time
from typing import Any

import matplotlib.pyplot as plt
import torch
from tokenizers import Tokenizer, models
from torch import Tensor
from transformer_lens import patching
from transformer_lens.model_bridge import TransformerBridge
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

LETTERS = "abcdefghijklmnopqrst"
IDS = {letter: number for number, letter in enumerate(LETTERS)}
SPACE, WINDOW, EPOCHS, BATCH, N = 20, 65, 12, 12, 50
SIZES = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}


def trained(rng: random.Random) -> Any:
    """A Llama of two layers, trained on sequences that stand twice, in the bridge."""
    halves = ["".join(rng.sample(LETTERS, rng.randint(6, 14))) for _ in range(6000)]
    stream = torch.tensor([IDS.get(letter, SPACE) for letter in " ".join(half + half for half in halves)])
    windows = stream[: len(stream) // WINDOW * WINDOW].view(-1, WINDOW)
    torch.manual_seed(0)
    own = LlamaForCausalLM(LlamaConfig(vocab_size=SPACE + 1, max_position_embeddings=WINDOW, **SIZES))
    optimizer = torch.optim.AdamW(own.parameters(), lr=3e-3)
    for _epoch in range(EPOCHS):
        for batch in windows[torch.randperm(len(windows))].split(BATCH):
            loss = own(input_ids=batch, labels=batch).loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(own.parameters(), 1.0)
            optimizer.step()
    words = Tokenizer(models.WordLevel(IDS | {"[UNK]": SPACE}, unk_token="[UNK]"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", eos_token="[UNK]", pad_token="[UNK]")
    with tempfile.TemporaryDirectory() as folder:
        own.save_pretrained(folder)
        bridge = TransformerBridge.boot_transformers(folder, hf_model=own, tokenizer=tokenizer, device="cpu").eval()
    bridge.enable_compatibility_mode()
    return bridge


def pairs_of(rng: random.Random) -> list[tuple[list[str], list[str]]]:
    """Prompts, and the same without the letter that the answer follows."""
    pairs = []
    for _ in range(N):
        half = rng.sample(LETTERS, 10)
        other = half.copy()
        other[5] = rng.choice([letter for letter in LETTERS if letter not in half])
        pairs.append((half + half[:6], other + half[:6]))
    return pairs


@torch.no_grad()
def investigate(model: Any, pairs: list[tuple[list[str], list[str]]]) -> None:
    """Induction heads, ablation, activation patching, path patching, and the figure."""
    clean, changed = (torch.tensor([[IDS[each] for each in text] for text in texts]) for texts in zip(*pairs, strict=True))
    logits, cache = model.run_with_cache(clean)
    other_logits, other_cache = model.run_with_cache(changed)

    def answer(logits: Tensor) -> Tensor:
        return logits[range(N), -1, clean[:, 6]] - logits[:, -1].mean(dim=-1)

    def recovered(made: Tensor) -> Tensor:
        low, high = answer(logits).mean(), answer(other_logits).mean()
        return (answer(made).mean() - low) / (high - low)

    queries = torch.arange(10, 16)
    heads = torch.stack([cache["pattern", layer][:, :, queries, queries - 9].mean((0, 2)) for layer in range(2)])
    print(heads)
    layer, head = divmod(int(heads.argmax()), 4)
    for number in range(8):

        def off(z: Tensor, hook: object, which: int = number % 4) -> Tensor:
            z[:, :, which] = 0.0
            return z

        hooks = [(f"blocks.{number // 4}.attn.hook_z", off)]
        change = answer(model.run_with_hooks(clean, fwd_hooks=hooks)) - answer(logits)
        print(number // 4, number % 4, f"{change.mean():.2f} ± {1.96 * change.std() / N**0.5:.2f}")
    print(patching.get_act_patch_resid_pre(model, clean, other_cache, recovered))
    print(patching.get_act_patch_attn_head_out_by_pos(model, clean, other_cache, recovered).amax(dim=1))
    for sender in range(4):
        print(
            sender, patching.get_act_patch_direct_path(model, clean, other_cache, cache, recovered, 0, sender, "k")[layer, head]
        )
    figure, axes = plt.subplots(figsize=(3.46, 3.0))
    image = axes.imshow(cache["pattern", layer][0, head], cmap="cividis", vmin=0, vmax=1)
    axes.set_xticks(range(16), pairs[0][0], fontsize=7)
    axes.set_yticks(range(16), pairs[0][0], fontsize=7)
    axes.set(xlabel="key", ylabel="query")
    figure.colorbar(image)
    figure.savefig("induction.pdf", bbox_inches="tight")


if __name__ == "__main__":
    start, numbers = time.perf_counter(), random.Random(0)
    investigate(trained(numbers), pairs_of(numbers))
    print(f"{time.perf_counter() - start:.1f} s")
