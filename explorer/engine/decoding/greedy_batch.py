"""Greedy decoding of many sentences of one length, of which only the words are kept: no tree of what was tried.

The words are those of `beam.search` with a beam of one. That keeps a tree for each sentence, which a reader may look at, and
takes half as long again.
"""

from collections.abc import Callable

import torch

from explorer.engine.decoding.beam import NEVER_SAID, Ids, closed_ids, likeliest
from explorer.engine.decoding.incremental import Incremental
from explorer.tokens.vocabulary import BEGIN, END


@torch.inference_mode()
def greedy_batch(
    steps: Incremental, n: int, limit: int, no_repeat_ngram: int = 0, check: Callable[[], None] = lambda: None
) -> list[Ids]:
    """The ids of the translations of `n` sentences, without begin and end symbols: at most `limit` each (see `longest`).

    The steps of the sentences have read nothing yet. No sentence has `no_repeat_ngram` ids in a row twice, if that is not 0.
    `check` is called before each step and may raise an error to end the work.
    """
    found: list[list[int]] = [[] for _ in range(n)]
    live = list(range(len(found)))  # These sentences are not done yet.
    given = torch.full((len(live),), BEGIN, device=steps.device)
    for n_written in range(1, limit + 1):
        check()
        logits = steps.step(given)  # [row, vocab]
        logits[:, NEVER_SAID] = -torch.inf
        if no_repeat_ngram:
            for row, sentence in enumerate(live):
                logits[row, [*closed_ids(found[sentence], no_repeat_ngram)]] = -torch.inf
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
            steps.select(torch.tensor(kept, device=steps.device))
        given = torch.tensor([said[row] for row in kept], device=steps.device)
    return [tuple(ids) for ids in found]
