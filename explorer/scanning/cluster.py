"""The same portions on an existing Ray cluster, by Ray Data. The file must be under the same path on each of its machines.

Only numbers of portions go to the cluster and only sums come back: the sentences are read where they are measured.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from explorer.errors import ExtraMissing
from explorer.scanning.plan import ScanPlan
from explorer.scanning.rows import Chunk, Rows
from explorer.scanning.workers import Measure, Measured

_AT_ONCE = 1 << 14  # portions of one dataset; with 4096 sentences each, 67 million sentences


def on_cluster(address: str, n_workers: int) -> Measure:
    """Measure on the cluster at an address, such as "auto" or "ray://host:10001", with so many actors of one core each."""

    def measure(plan: ScanPlan, rows: Rows, chunks: Iterable[Chunk]) -> Measured:
        library = _ray()
        if not library.is_initialized():
            library.init(address=address, log_to_driver=False)
        chunks = iter(chunks)
        while own := list(islice(chunks, _AT_ONCE)):
            yield from _dataset(library, plan, rows, own, n_workers)

    return measure


def _dataset(library: Any, plan: ScanPlan, rows: Rows, chunks: list[Chunk], n_workers: int) -> Measured:
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

    def __init__(self, plan: ScanPlan, rows: Rows) -> None:
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
