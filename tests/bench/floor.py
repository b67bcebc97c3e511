"""The least that work can take on this machine: operations over its matrix rate, bytes over its bandwidth, and its pauses.

All are measured. The matrix rate is that of the faster library: Intel's, with which torch multiplies by itself, leaves an AMD
processor's AVX-512 unused, and oneDNN, which multiplies with packed weights, does not.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import attrs
import torch

from explorer.config import Config
from explorer.engine.speed.packed import can_pack, packed

_SIDE = 1024
_BYTES = 2**28
_BUDGET_S = 0.6
_FLOAT = 4
_WATCH = """
import sys, time
last = time.perf_counter()
end, longest = last + float(sys.argv[1]), 0.0
while last < end:
    now = time.perf_counter()
    longest, last = max(longest, now - last), now
print(longest * 1e3)
"""


@attrs.frozen
class Rates:
    """Matrix rate with one and with all threads, and bandwidth of memory, read and written bytes together."""

    one_gflops: float
    all_gflops: float
    bandwidth_gb_s: float

    def __str__(self) -> str:
        return (
            f"matrix rate {self.one_gflops:.0f} GFLOP/s with one thread, {self.all_gflops:.0f} with {os.cpu_count()}; "
            f"memory {self.bandwidth_gb_s:.1f} GB/s"
        )

    def pass_ms(self, config: Config, n_source: int, n_target: int, n_threads: int) -> float:
        """The floor of a plain pass: all its products, and all its weights read once."""
        rate = self.one_gflops if n_threads == 1 else self.all_gflops
        return max(operations(config, n_source, n_target) / rate, weight_bytes(config) / self.bandwidth_gb_s) / 1e6

    def bytes_ms(self, n_bytes: float) -> float:
        """The floor of reading and writing so much."""
        return n_bytes / self.bandwidth_gb_s / 1e6


def measure_rates() -> Rates:
    """Takes about four seconds."""
    before = torch.get_num_threads()
    matrix, block = torch.rand(_SIDE, _SIDE), torch.rand(_BYTES // _FLOAT)
    copy, product = torch.empty_like(block), torch.empty_like(matrix)
    products: list[Callable[[], object]] = [lambda: torch.mm(matrix, matrix, out=product)]
    if can_pack(matrix):
        products.append(partial(packed(matrix).product, matrix, None))
    found = []
    for n_threads in (1, os.cpu_count() or 1):
        torch.set_num_threads(n_threads)
        found.append(2 * _SIDE**3 / min(map(_best_s, products)) / 1e9)
    read = _BYTES / _best_s(block.sum)
    copied = 2 * _BYTES / _best_s(lambda: copy.copy_(block))
    torch.set_num_threads(before)
    # On a busy machine several threads wait for each other; one alone is what can be had at least.
    return Rates(found[0], max(found), max(read, copied) / 1e9)


def read_ms(n_bytes: float, n_threads: int) -> float:
    """How long so many threads read so many bytes that were read just before: from the caches as far as these hold them."""
    before, block = torch.get_num_threads(), torch.rand(round(n_bytes) // _FLOAT)
    torch.set_num_threads(n_threads)
    seconds = _best_s(block.sum)
    torch.set_num_threads(before)
    return seconds * 1e3


def longest_pause_ms(seconds: float) -> float:
    """For how long the machine takes the core from a process that does nothing but look at the clock, one on each core."""
    command = [sys.executable, "-S", "-c", _WATCH, str(seconds)]
    watching = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(os.cpu_count() or 1)]
    return max(float(each.communicate(timeout=seconds + 60)[0]) for each in watching)


def _best_s(work: Callable[[], object]) -> float:
    best, end_s = float("inf"), time.perf_counter() + _BUDGET_S
    while time.perf_counter() < end_s:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def operations(config: Config, n_source: int, n_target: int) -> float:
    """Multiplications and additions of the products of one pass; a side that is not there has no tokens."""
    d, both = config.d_model, config.architecture == "encoder-decoder"
    each = sum(_layer(config, n) for n in (n_source, n_target))
    if both:  # Q and W_o of the target, K and V of the source, scores and sums
        each += 4 * d * d * (n_target + n_source) + 4 * n_target * n_source * d
    return config.n_layers * each + 2 * (n_target or n_source) * config.n_target_symbols * d


def _layer(config: Config, n: int) -> float:
    d = config.d_model
    return 2 * n * (4 * d * d + 2 * d * config.d_ff) + 4 * n * n * d


def weight_bytes(config: Config) -> float:
    """Bytes of all matrices that a pass reads whole; of the embedding it reads a few rows."""
    d, both = config.d_model, config.architecture == "encoder-decoder"
    layer = (12 if both else 4) * d * d + (4 if both else 2) * d * config.d_ff
    return _FLOAT * (config.n_layers * layer + config.n_target_symbols * d)


def step_bytes(config: Config) -> float:
    """Bytes of the matrices that a further token of an encoder-decoder reads: all but the encoder's, and K and V across."""
    d = config.d_model
    return _FLOAT * (config.n_layers * (6 * d * d + 2 * d * config.d_ff) + config.n_target_symbols * d)
