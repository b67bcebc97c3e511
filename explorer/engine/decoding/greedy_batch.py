"""Greedy decoding of many sentences of one length, of which only the words are kept: no tree of what was tried.

The words are those of `beam.search` with a beam of one. That keeps a tree for each sentence, which a reader may look at, and
takes half as long again.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from explorer.engine.decoding.beam import NEVER_SAID, Ids, likeliest, longest
from explorer.engine.speed.quick import steps_of
from explorer.model.transformer import Transformer
from explorer.tokens.vocabulary import BEGIN, END


@torch.inference_mode()
def greedy_batch(model: Transformer, memory: Tensor, n_source: int, check: Callable[[], None] = lambda: None) -> list[Ids]:
    """The ids of the translation of each sentence, without begin and end symbols.

    `memory` [batch, key, feature] is the encoder's output of sentences of `n_source` tokens each. `check` is called before
    each step and may raise an error to end the work.
    """
    steps = steps_of(model, memory)
    limit = longest(n_source, model.config.max_len)
    found: list[list[int]] = [[] for _ in memory]
    live = list(range(len(found)))  # These sentences are not done yet.
    given = torch.full((len(live),), BEGIN, device=memory.device)
    for n_written in range(1, limit + 1):
        check()
        logits = steps.step(given)  # [row, vocab]
        logits[:, NEVER_SAID] = -torch.inf
        said = likeliest(logits)
        kept: list[int] = []
        for row, id_ in enumerate(said):
            if id_ != END:
                found[live[row]].append(id_)
                kept.append(row)
        if not kept or n_written == limit:
            break
        if len(kept) < len(live):
            live = [live[row] for row in kept]
            steps.select(torch.tensor(kept, device=memory.device))
        given = torch.tensor([said[row] for row in kept], device=memory.device)
    return [tuple(ids) for ids in found]
