"""Greedy decoding with a guess: the last translation is checked in one step.

While somebody types, most of the last translation stays right. The decoder reads all of it at once, which takes hardly longer
than one token. All tokens are taken up to the first one that greedy decoding would not have written. The rest is guessed again,
from the place where the old translation has the same token. The result is the same as that of a beam of one, token by token.
Leviathan et al. 2023, section 2, with the last translation in place of a smaller model.
"""

from collections.abc import Callable

import torch

from explorer.engine.decoding.beam import Beam, Candidates, Decoding, Ids, check_prefix, longest
from explorer.engine.decoding.incremental import Incremental
from explorer.fast_ways import OF_WHOLE_PASSES, understands
from explorer.model.transformer import Transformer
from explorer.tokens.vocabulary import BEGIN
from explorer.trace.search_tree import Search

_AT_ONCE = 24  # tokens that are guessed at most: of more, a wrong guess costs more than a right one saves


def can_guess(model: Transformer, decoding: Decoding) -> bool:
    """Whether greedy decoding with a guess is possible: a beam of one, and logits that depend on no later token.

    Under a knob that is not known here, they may.
    """
    causal = model.config.causal_mask and model.config.masking == "usual" and understands(model.config, OF_WHOLE_PASSES)
    return decoding.beam == 1 and not decoding.whole and not model.training and causal


@torch.inference_mode()
def greedy(
    steps: Incremental, n_source: int, max_len: int, decoding: Decoding, draft: Ids, check: Callable[[], None] = lambda: None
) -> Search:
    """The translation of a sentence of `n_source` tokens by steps that have read nothing yet; `draft` is the guess.

    `can_guess` must be True. `check` is called before each step and may raise an error to end the work. Raises TooLong for a
    prefix that leaves no room for another token.
    """
    check_prefix(max_len, decoding)
    beam = Beam(longest(n_source, max_len), decoding)
    written: list[int] = []
    while True:
        check()
        guess = _continuation(draft, decoding.prefix, written)[: beam.limit - len(written) - 1]
        given = [*(written[-1:] or [BEGIN]), *guess]
        log_p = steps.extend(torch.tensor([given], device=steps.device))[0].log_softmax(dim=-1)  # [row, vocab]
        candidates = Candidates(log_p, 1)
        for row, expected in enumerate([*guess, None]):
            _, chosen = beam.advance(candidates, row)
            if beam.done:
                return beam.result()
            written += chosen
            if chosen != [expected]:
                break
        steps.back_to(len(written))


def _continuation(draft: Ids, prefix: Ids, written: list[int]) -> list[int]:
    """The ids that may come next: the rest of the prefix, or the draft after the place that has the tokens written last."""
    n = len(written)
    if n < len(prefix):
        return list(prefix[n : n + _AT_ONCE])
    for known in (2, 1) if written else ():
        tail = tuple(written[-known:])
        ends = [end for end in range(known, len(draft)) if draft[end - known : end] == tail]
        if ends:
            start = min(ends, key=lambda end: abs(end - n))
            return list(draft[start : start + _AT_ONCE])
    return list(draft[n : n + _AT_ONCE])  # Perhaps only one token was replaced by another.
