"""How many threads a pass is worth."""

import os

from explorer.config import Config

# Below this many multiplications a second thread costs more than it brings: measured on two cores, a tiny model
# took 0.3 ms with one thread and up to 210 ms with two on a busy machine.
_ONE_THREAD_WORK = 2e8


def threads(config: Config, n_tokens: int) -> int:
    """One for a small pass, as many as there are cores for a large one."""
    work = n_tokens * config.n_layers * (8 * config.d_model**2 + 4 * config.d_model * config.d_ff)
    work += n_tokens * config.d_model * config.n_target_symbols
    return 1 if work < _ONE_THREAD_WORK else os.cpu_count() or 1
