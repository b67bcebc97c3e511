"""The one Computer of the process, lent to one caller at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn

    from explorer.engine.compute import Computer


one_at_a_time = threading.Lock()


@contextmanager
def alone(model: "nn.Module | None" = None) -> Iterator["Computer"]:
    """Lend the process's Computer to one caller at a time, and restore torch's number of threads afterwards.

    A live `model` gets a Computer of its own, which keeps nothing of earlier passes.
    """
    import torch

    with one_at_a_time:
        before = torch.get_num_threads()
        try:
            yield computer_of_process() if model is None else _live(model)
        finally:
            torch.set_num_threads(before)


def _live(model: "nn.Module") -> "Computer":
    from explorer.api.live import live_computer

    return live_computer(model, computer_of_process().sources.tokenizers)


@lru_cache(maxsize=1)
def computer_of_process() -> "Computer":
    """The process's only Computer. It is kept because it has the last model and its weights."""
    from explorer.engine.compute import Computer

    return Computer()
