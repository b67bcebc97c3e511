"""Our recorded pass beside those of TransformerLens 4's bridge and of nnsight, and beside Hugging Face's eager ones.

All have the same random weights. Ours runs here, theirs in their own process; they take turns, each with as many threads as
there are cores.
"""

import json
import math
import os
import time
from functools import partial

import torch
from safetensors.torch import save_file

from explorer.config import Config, find_knob
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from tests.bench.bench import Bench, Task
from tests.bench.engine_rows import at_rest, recorded
from tests.bench.peer import Peer
from tests.bench.row import Row, compared
from tests.bench.timing import Clock, Pair, elapsed_ms, in_turn, second_of_two

_NAMES = {
    "lens": "recorded pass / TransformerLens 4 bridge, run_with_cache, GPT-2 small, {n} tokens",
    "sight": "recorded pass / nnsight tracer.cache, GPT-2 small, {n} tokens",
    "face": "recorded pass / Hugging Face plain eager pass, GPT-2 small, {n} tokens",
    "full": "recorded pass / Hugging Face eager pass with attentions and hidden states, GPT-2 small, {n} tokens",
}
_GOALS = {
    16: {"lens": 0.5, "sight": 0.7, "face": 0.7, "full": 0.7},
    64: {"lens": 0.6, "sight": 0.8, "face": 0.8, "full": 0.8},
    256: {"lens": 0.75, "sight": 0.9, "face": 0.85, "full": 0.85},
}
_BUDGET_S = 20.0
_SETTLE_S = 0.02  # OpenMP's threads of the side that has just run spin on for a while


def tasks() -> list[Task]:
    """All lengths together: the models take a while to be made."""
    names = tuple(name.format(n=n) for n in _GOALS for name in _NAMES.values())
    return [Task("peers", names, _beside, peers=True, apart=True)]


def gpt2_small() -> Config:
    """The shape of GPT-2 small, with as many symbols as the knob allows; E[id] is taken as it is."""
    return Config(
        architecture="decoder-only",
        n_layers=12,
        n_heads=12,
        d_model=768,
        d_ff=3072,
        max_len=1024,
        vocab_size=min(50257, int(find_knob("vocab_size").valid.high)),
        position="learned",
        norm_placement="pre",
        activation="gelu",
        tied_embeddings=True,
        embedding_scale=1 / math.sqrt(768),
        causal_mask=True,
    )


def _beside(bench: Bench) -> list[Row]:
    assert bench.peers is not None  # the task asks for them
    config = gpt2_small()
    model = at_rest(config)
    ids = torch.randint(config.vocab_size, (1, max(_GOALS)), generator=torch.Generator().manual_seed(0))
    give(bench, model, ids)
    with Peer(bench.peers, "passes", str(bench.folder), str(os.cpu_count())) as peer:
        about = peer.about
        bench.note(
            f"peers: {about['versions']}; their logits are ours to {about['lens']:.1e} (bridge) and "
            f"{about['face']:.1e} (Hugging Face)"
        )
        return [row for n in _GOALS for row in _rows(bench, model, ids, peer, n)]


def give(bench: Bench, model: Transformer, ids: torch.Tensor) -> None:
    """Write shape, weights, ids and our logits for the peers. The tied matrix stands in the file once."""
    weights = {name: weight for name, weight in model.state_dict().items() if name != "decoder.embedding.look_up.weight"}
    assert model.decoder is not None  # of a decoder-only model
    eps = model.decoder.normalize.eps
    (bench.folder / "config.json").write_text(json.dumps({**model.config.values(), "eps": eps}))
    with torch.inference_mode():
        logits = model(None, ids[:, :64])
    save_file({**weights, "ids": ids, "logits": logits}, bench.folder / "weights.safetensors")


def _rows(bench: Bench, model: Transformer, ids: torch.Tensor, peer: Peer, n: int) -> list[Row]:
    torch.set_num_threads(os.cpu_count() or 1)
    some = ids_tensor(tuple(ids[0, :n].tolist()))

    def settled(clock: Clock) -> float:
        time.sleep(_SETTLE_S)
        return second_of_two(clock)

    clocks = [partial(_recorded_ms, model, some), *(partial(peer.ask, what, n=n) for what in _NAMES)]
    own, *theirs = in_turn([partial(settled, clock) for clock in clocks], budget_s=_BUDGET_S, least=7, most=60)
    floor_ms = bench.rates.pass_ms(model.config, 0, n, os.cpu_count() or 1)
    note = f"{os.cpu_count()} threads each, floor {floor_ms:.3g} ms"
    return [
        compared(name.format(n=n), Pair(own, each), _GOALS[n][what], note=note)
        for (what, name), each in zip(_NAMES.items(), theirs, strict=True)
    ]


def _recorded_ms(model: Transformer, ids: torch.Tensor) -> float:
    with torch.inference_mode():
        return elapsed_ms(lambda: recorded(model, None, ids))
