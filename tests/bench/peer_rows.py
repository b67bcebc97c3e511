"""Our recorded pass beside TransformerLens' recorded and Hugging Face's plain one, on the same random weights.

Ours runs here, theirs in their own process; the three take turns, each with as many threads as there are cores.
"""

import json
import math
import os
import time
from functools import partial

import torch
from safetensors.torch import save_file

from explorer.config import Config, find_knob
from explorer.engine.recording.recorder import record
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from tests.bench.bench import Bench, Task
from tests.bench.engine_rows import at_rest
from tests.bench.peer import Peer
from tests.bench.row import Row, compared
from tests.bench.timing import Clock, Pair, elapsed_ms, in_turn, second_of_two

_LENS = "recorded pass / TransformerLens run_with_cache, GPT-2 small, {n} tokens"
_FACE = "recorded pass / Hugging Face plain eager pass, GPT-2 small, {n} tokens"
_GOALS = {16: (0.33, 1.0), 64: (0.5, 1.1), 256: (0.7, 1.1)}
_BUDGET_S = 20.0
_SETTLE_S = 0.02  # OpenMP's threads of the side that has just run spin on for a while


def tasks() -> list[Task]:
    """All lengths together: the models take a while to be made."""
    names = tuple(name.format(n=n) for n in _GOALS for name in (_LENS, _FACE))
    return [Task("peers", names, _beside, peers=True)]


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
            f"peers: {about['versions']}; their logits are ours to {about['lens']:.1e} (TransformerLens) and "
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

    sides = [partial(_recorded_ms, model, some), *(partial(peer.ask, what, n=n) for what in ("lens", "face"))]
    own, lens, face = in_turn([partial(settled, side) for side in sides], budget_s=_BUDGET_S, least=7, most=60)
    floor_ms = bench.rates.pass_ms(model.config, 0, n, os.cpu_count() or 1)
    note = f"{os.cpu_count()} threads each, floor {floor_ms:.3g} ms"
    lens_goal, face_goal = _GOALS[n]
    return [
        compared(_LENS.format(n=n), Pair(own, lens), lens_goal, note=note),
        compared(_FACE.format(n=n), Pair(own, face), face_goal, note=note),
    ]


def _recorded_ms(model: Transformer, ids: torch.Tensor) -> float:
    with torch.inference_mode():
        return elapsed_ms(lambda: _recorded(model, ids))


def _recorded(model: Transformer, ids: torch.Tensor) -> None:
    with record(model):
        model(None, ids)
