"""Memory that was freed goes back to the system when there is more of it than the next pass needs."""

import ctypes
import sys

import psutil
import pytest
import torch

from explorer.engine.compute import KEPT_BYTES, Computer
from explorer.engine.freed_memory import FreedMemory, keep_freed_memory
from explorer.engine.request import Request

_KEPT = 2**26
_glibc = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="other C libraries do it anyway"
)


def resident() -> int:
    """The bytes of memory that this process has."""
    return int(psutil.Process().memory_info().rss)


def freed_between_others(n: int) -> list[torch.Tensor]:
    """Fill and free `n` MB in blocks of one, and return small blocks that lie between them and are still in use."""
    large, small = [], []
    for _ in range(n):
        large.append(torch.ones(2**18))
        small.append(torch.ones(2**10))
    return small


@_glibc
def test_what_lies_between_blocks_in_use_is_given_back() -> None:
    """The C library keeps it by itself, since it is not at the end of its heap."""
    keep_freed_memory(KEPT_BYTES)
    freed = FreedMemory(_KEPT)
    freed.give_back()
    before = resident()
    still_in_use = freed_between_others(400)
    held = resident() - before
    freed.give_back()

    assert held > 2**28
    assert resident() - before < held / 4
    assert all(bool((each == 1).all()) for each in still_in_use)


@_glibc
def test_as_much_as_may_stay_is_kept() -> None:
    """A pass takes it up again without asking the system."""
    freed = FreedMemory(2**40)
    before = resident()
    still_in_use = freed_between_others(200)
    held = resident()
    freed.give_back()

    assert resident() > held - 2**25 and held > before and still_in_use


@_glibc
def test_the_memory_of_a_large_model_goes_with_it(computer: Computer) -> None:
    """At the rest behind the first answer of the next model: 0.8 GB of weights."""
    text = "我爱北京天安门"
    computer(Request.from_preset("tiny", text))
    computer.rest(lambda: False)
    before = resident()
    computer(Request.from_preset("paper-base", text, n_layers=24))
    large = resident()
    computer(Request.from_preset("tiny", text))
    computer.rest(lambda: False)

    assert large - before > 2**29
    assert resident() - before < 2**28 + 2**27
