"""Measuring portions in this process, in several processes, or on a Ray cluster. All yield Parts in the order of the portions.

A process of its own ends as soon as its parent does, however that ended: it listens at a pipe whose other end only the parent
holds. On a cluster, the file must have the same path on each machine. Only numbers of portions go there and only sums come
back: the sentences are read where they are measured.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any

from explorer.engine.load_torch import without_collecting
from explorer.errors import ExtraMissing
from explorer.scanning.plan import ScanPlan
from explorer.scanning.pressed import Check, unasked
from explorer.scanning.rows import Chunk, SentenceRows
from explorer.trace.measures.scan_sums import ScanPart

Measured = Generator[tuple[Chunk, ScanPart], None, None]
Measure = Callable[[ScanPlan, SentenceRows, Iterable[Chunk]], Measured]

_AT_ONCE = 1 << 14  # portions of one dataset; with 4096 sentences each, 67 million sentences
_AHEAD = 2  # portions that wait or run for each process, so that none is idle


def here(plan: ScanPlan, rows: SentenceRows, chunks: Iterable[Chunk], check: Check = unasked) -> Measured:
    """Measure in this process; `check` is asked within a portion, too."""
    from explorer.scanning.measuring import Measurer  # torch takes a second to load.

    measurer = Measurer(plan, check)
    for chunk in chunks:
        yield chunk, measurer(rows.read(chunk), chunk.first_row)


def in_processes(n_workers: int) -> Measure:
    """Measure in `n_workers` processes at once."""

    def measure(plan: ScanPlan, rows: SentenceRows, chunks: Iterable[Chunk]) -> Measured:
        context = multiprocessing.get_context("spawn")
        listened, held = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(n_workers, context, begin, (plan, rows, listened))
        waiting: deque[tuple[Chunk, Future[ScanPart]]] = deque()
        try:
            for chunk in chunks:
                waiting.append((chunk, pool.submit(measured, chunk)))
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


_measurer: "Callable[[Chunk], ScanPart]"  # of a process of its own, which `begin` has made


def begin(plan: ScanPlan, rows: SentenceRows, listened: Connection) -> None:
    """Begin a process: it ignores Ctrl+C, which its parent handles, and ends with its parent."""
    global _measurer  # An executor's process has no other place for what its next call needs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(listened,), daemon=True).start()
    with without_collecting():
        from explorer.scanning.measuring import Measurer

    measurer = Measurer(plan)
    _measurer = lambda chunk: measurer(rows.read(chunk), chunk.first_row)  # noqa: E731


def measured(chunk: Chunk) -> ScanPart:
    """The sums of a portion, in a process that `begin` has begun."""
    return _measurer(chunk)


def _end_with(listened: Connection) -> None:
    """Wait until the other end of the pipe is closed, which the system does for a killed process."""
    try:
        listened.recv_bytes()
    except (EOFError, OSError):
        os._exit(0)


def on_cluster(address: str, n_workers: int) -> Measure:
    """Measure on the cluster at an address, such as "auto" or "ray://host:10001", with so many actors of one core each."""

    def measure(plan: ScanPlan, rows: SentenceRows, chunks: Iterable[Chunk]) -> Measured:
        library = _ray()
        if not library.is_initialized():
            library.init(address=address, log_to_driver=False)
        chunks = iter(chunks)
        while own := list(islice(chunks, _AT_ONCE)):
            yield from _dataset(library, plan, rows, own, n_workers)

    return measure


def _dataset(library: Any, plan: ScanPlan, rows: SentenceRows, chunks: list[Chunk], n_workers: int) -> Measured:
    """The portions of one dataset, in their order."""
    context = library.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    made = library.data.from_items([{"chunk": chunk} for chunk in chunks], override_num_blocks=len(chunks))
    pool = library.data.ActorPoolStrategy(size=n_workers)
    found = made.map(_Actor, fn_constructor_args=(plan, rows), compute=pool, num_cpus=1)
    for row in found.iter_rows():
        yield row["chunk"], row["part"]


class _Actor:
    """Measures portions in a process of the cluster."""

    def __init__(self, plan: ScanPlan, rows: SentenceRows) -> None:
        from explorer.scanning.measuring import Measurer

        self._rows, self._measurer = rows, Measurer(plan)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """The portion with its Part."""
        chunk: Chunk = row["chunk"]
        return {"chunk": chunk, "part": self._measurer(self._rows.read(chunk), chunk.first_row)}


def _ray() -> Any:
    """Ray with its data library. Raises ExtraMissing where it is not installed."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ExtraMissing(name="ray", extra="cluster") from error
    return ray
