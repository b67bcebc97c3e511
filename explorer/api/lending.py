"""The one Computer of the process, lent to one caller at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.engine.compute import Computer


one_at_a_time = threading.Lock()


@contextmanager
def alone() -> Iterator["Computer"]:
    """Lend the process's Computer to one caller at a time, and restore torch's number of threads afterwards."""
    import torch

    with one_at_a_time:
        before = torch.get_num_threads()
        try:
            yield computer_of_process()
        finally:
            torch.set_num_threads(before)


@lru_cache(maxsize=1)
def computer_of_process() -> "Computer":
    """The process's only Computer. It is kept because loading jieba's dictionary takes half a second."""
    from explorer.engine.compute import Computer

    return Computer()
