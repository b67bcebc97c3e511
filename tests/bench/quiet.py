"""How many threads a pass has where nothing else works."""

import time

from explorer.engine.speed.threads import free_cores, threads
from explorer.trace.model_card import ModelCard

_LOOK_S = 0.6  # A look at what others do is about half a second or more.


def usual_threads(card: ModelCard, n_tokens: int) -> int:
    """As many as the program takes for a pass of `n_tokens`; what peers and starts have worked before is forgotten."""
    free_cores()
    time.sleep(_LOOK_S)
    return threads(card, n_tokens)
