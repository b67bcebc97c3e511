"""Memory that was freed goes back to the system when there is more of it than the next pass needs."""

import ctypes
import subprocess
import sys

import psutil
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request

_glibc = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="other C libraries do it anyway"
)


def resident() -> int:
    """The bytes of memory that this process has."""
    return int(psutil.Process().memory_info().rss)


HELD = """
import numpy, psutil
from explorer.engine.freed_memory import FreedMemory, keep_freed_memory

def freed_between_others(n):
    large, small = [], []
    for _each in range(n):
        large.append(numpy.ones(2**18, numpy.float32))
        small.append(numpy.ones(2**10, numpy.float32))
    return small

def resident_mb():
    return psutil.Process().memory_info().rss >> 20

keep_freed_memory(2**28)
freed = FreedMemory({kept})
for _time in range(2):
    before = resident_mb()
    still_in_use = freed_between_others(200)
    print(resident_mb() - before)
    freed.give_back()
    print(resident_mb() - before)
    assert all((each == 1).all() for each in still_in_use)
"""
"""Fills and frees 200 blocks of 1 MB between small ones that stay in use, and prints the MB before and after giving back."""


def held_mb(kept: int) -> list[int]:
    """What a process of its own prints: where holes lie in this one depends on all other tests."""
    ran = subprocess.run([sys.executable, "-c", HELD.format(kept=kept)], capture_output=True, text=True, check=True)
    return [int(each) for each in ran.stdout.split()]


@_glibc
def test_what_lies_between_blocks_in_use_is_given_back() -> None:
    """The C library keeps it by itself, since it is not at the end of its heap. What is taken up again is given back again."""
    first, after_first, second, after_second = held_mb(2**26)
    assert first > 150 and after_first < 50
    assert second > 150 and after_second < 50


@_glibc
def test_as_much_as_may_stay_is_kept() -> None:
    """A pass takes it up again without asking the system."""
    first, after_first, *_second = held_mb(2**30)
    assert first > 150 and after_first > 150


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
