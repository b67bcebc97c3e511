"""Who measures the portions: this process, several processes, or a cluster. All give back Parts in the order of the portions.

A process of its own ends as soon as its parent does, however that ended: it listens at a pipe, of which the parent alone holds
the other end.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import Connection

from explorer.engine.load_torch import without_collecting
from explorer.scanning.plan import ScanPlan
from explorer.scanning.pressed import Check, unasked
from explorer.scanning.rows import Chunk, Rows
from explorer.trace.measures.scan_sums import ScanPart

Measured = Generator[tuple[Chunk, ScanPart], None, None]
Measure = Callable[[ScanPlan, Rows, Iterable[Chunk]], Measured]

_AHEAD = 2  # portions that wait or run for each process, so that none is idle


def here(plan: ScanPlan, rows: Rows, chunks: Iterable[Chunk], check: Check = unasked) -> Measured:
    """Measure in this process; `check` is asked within a portion, too."""
    from explorer.scanning.measuring import Measurer  # torch takes a second to load.

    measurer = Measurer(plan, check)
    for chunk in chunks:
        yield chunk, measurer(rows.read(chunk), chunk.first_row)


def in_processes(n_workers: int) -> Measure:
    """Measure in so many processes at once."""

    def measure(plan: ScanPlan, rows: Rows, chunks: Iterable[Chunk]) -> Measured:
        context = multiprocessing.get_context("spawn")
        listened, held = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(n_workers, context, _begin, (plan, rows, listened))
        waiting: deque[tuple[Chunk, Future[ScanPart]]] = deque()
        try:
            for chunk in chunks:
                waiting.append((chunk, pool.submit(_measured, chunk)))
                if len(waiting) >= _AHEAD * n_workers:
                    first, part = waiting.popleft()
                    yield first, part.result()
            for first, part in waiting:
                yield first, part.result()
        finally:
            held.close()  # The processes end now, also in the middle of a portion.
            pool.shutdown(wait=True, cancel_futures=True)
            listened.close()

    return measure


_measurer: "Callable[[Chunk], ScanPart]"  # of a process of its own, which `_begin` has made


def _begin(plan: ScanPlan, rows: Rows, listened: Connection) -> None:
    """Begin a process: Ctrl+C is the parent's matter, and nothing goes on without it."""
    global _measurer  # An executor's process has no other place for what its next work needs again.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(listened,), daemon=True).start()
    with without_collecting():
        from explorer.scanning.measuring import Measurer

    measurer = Measurer(plan)
    _measurer = lambda chunk: measurer(rows.read(chunk), chunk.first_row)  # noqa: E731


def _measured(chunk: Chunk) -> ScanPart:
    return _measurer(chunk)


def _end_with(listened: Connection) -> None:
    """Wait until the other end of the pipe is closed, which the system does for a killed process."""
    try:
        listened.recv_bytes()
    except (EOFError, OSError):
        os._exit(0)
