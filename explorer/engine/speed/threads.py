"""How many threads of the processor a pass should use.

Threads of torch's wait for each other at the end of every operation, and keep their cores while they wait. Where another
program has one of these cores, all wait for the thread that shares it with that program. So as many threads are used as there
are cores left.

Decision: one thread for a small pass, and as many for others as other programs leave cores free. Rejected: two threads for
small passes (a key 55.7 to 57.9 ms in place of 51.7), because threads that spin keep their cores while the screen is painted; a
shorter wait of OpenMP's threads, with which a pass of 64 tokens took 5.1 to 10.2 ms in place of 4.7 on an idle machine.
"""

import os
from time import monotonic, process_time

import attrs
import psutil

from explorer.trace.model_card import ModelCard

# With fewer multiplications than this, a second thread costs more time than it saves. Measured on two cores, a tiny model took
# 0.3 ms with one thread, and with two up to 210 ms on a busy machine.
# Idle threads keep a processor busy for a while. With 8e7 in this place, a translator's pass of 16 tokens took 4.8 ms instead
# of 5.9 ms, but the screen painted after it took ten milliseconds more.
_ONE_THREAD_WORK = 2e8
# A step of decoding reads all weights and computes little with them. If they are larger than a processor's own caches, a
# second processor can read the other half at the same time; more than a few disturb each other. One processor is left to the
# window and to other programs: threads wait for each other some fifty times a step, and where one of two busy processors was
# taken away, a step took 400 ms instead of 3.
_ONE_THREAD_BYTES = 2**23
_MOST_READERS = 4
_FLOAT = 4  # bytes
_LOOK_S = 0.5
_COUNTS = 0.4  # of its time a core is busy


def threads(card: ModelCard, n_tokens: int) -> int:
    """The number of threads for a pass over `n_tokens`: one for a small pass, one for each free core for a large pass."""
    return 1 if pass_work(card, n_tokens) < _ONE_THREAD_WORK else free_cores()


WORK_OF_A_SECOND = 5e10  # multiplications that two cores make in about a second


def pass_work(card: ModelCard, n_tokens: int) -> float:
    """About how many multiplications the larger side and the generator make in a pass over `n_tokens`."""
    d = card.d_model
    work = n_tokens * max(side.n_layers * (8 * d**2 + 4 * d * side.d_ff) for side in card.sides)
    return work + n_tokens * d * card.vocab_size


def batch_threads(card: ModelCard, n_tokens: int) -> int:
    """The number of threads for many batches of `n_tokens` in all: one for each free core where a single layer is worth it.

    Threads wait for each other at the end of every operation. In a deep model of small layers that takes longer than the work,
    and on a busy machine many times as long.
    """
    d = card.d_model
    layer = n_tokens * max(8 * d**2 + 4 * d * side.d_ff for side in card.sides)
    return 1 if layer < _ONE_THREAD_WORK else free_cores()


def decoding_threads(card: ModelCard, n_rows: int) -> int:
    """The number of threads for steps of decoding, each of which adds one token to each of `n_rows` sentences."""
    if _FLOAT * card.parameters > _ONE_THREAD_BYTES:
        return max(1, min(_MOST_READERS, (os.cpu_count() or 1) - 1))
    return threads(card, n_rows)


@attrs.define
class BusyCores:
    """Looks at most twice a second, when it is asked; each answer is about the time since the look before."""

    _looked_s: float = attrs.field(factory=lambda: monotonic())
    _used_s: float = attrs.field(factory=lambda: _used_elsewhere_s())
    _n: int = 0

    def elsewhere(self) -> int:
        """How many cores other programs kept busy, or something of them: two fifths of a core count as one."""
        now_s = monotonic()
        since_s = now_s - self._looked_s
        if since_s >= _LOOK_S:
            used_s = _used_elsewhere_s()
            self._n = int((used_s - self._used_s) / since_s + 1 - _COUNTS)
            self._looked_s, self._used_s = now_s, used_s
        return self._n


def _used_elsewhere_s() -> float:
    """What all cores have worked so far, less what they worked for this process; it takes 15 µs to ask."""
    times = psutil.cpu_times()
    # Linux counts the work of its guests twice, and counts cores that wait for a disk.
    not_used = ("idle", "iowait", "guest", "guest_nice")
    return sum(times) - sum(getattr(times, name, 0.0) for name in not_used) - process_time()


_busy = BusyCores()


def free_cores() -> int:
    """How many cores other programs leave free, at least one.

    On two cores, one of which another program has, two threads take two to six times as long as one; beside a program whose
    threads wait for each other too, as in a training, up to twenty times.
    """
    return max(1, (os.cpu_count() or 1) - _busy.elsewhere())
