"""How many threads a pass is worth."""

import os

from explorer.trace.model_card import ModelCard

# Below this many multiplications a second thread costs more than it brings: measured on two cores, a tiny model
# took 0.3 ms with one thread and up to 210 ms with two on a busy machine.
# The threads wait for more work by spinning: with 8e7 a translator's pass of 16 tokens took 4.8 instead of 5.9 ms, and the
# screen that was painted after it ten milliseconds more.
_ONE_THREAD_WORK = 2e8
# A further token reads all weights and does little with them. Where they fill more than the caches next to a processor,
# a second one reads the other half meanwhile; more than a few get in each other's way.
_ONE_THREAD_BYTES = 2**23
_MOST_READERS = 4
_FLOAT = 4  # bytes


def threads(card: ModelCard, n_tokens: int) -> int:
    """One for a small pass, as many as there are cores for a large one."""
    d = card.d_model
    work = n_tokens * max(side.n_layers * (8 * d**2 + 4 * d * side.d_ff) for side in card.sides)
    work += n_tokens * d * card.vocab_size
    return 1 if work < _ONE_THREAD_WORK else os.cpu_count() or 1


def decoding_threads(card: ModelCard, n_rows: int) -> int:
    """For steps of decoding, each with one new token in each of the rows."""
    if _FLOAT * card.parameters > _ONE_THREAD_BYTES:
        return min(_MOST_READERS, os.cpu_count() or 1)
    return threads(card, n_rows)
