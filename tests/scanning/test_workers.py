"""What happens inside the processes that measure, and what is asked of a cluster, without either."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import explorer.scanning.measuring as measuring
from explorer.errors import ExtraMissing, KnobOutOfRange
from explorer.scanning import flags, workers
from explorer.scanning.plan import ScanPlan
from explorer.scanning.rows import Chunk, Start, rows_of
from explorer.scanning.run import scan_rows
from explorer.scanning.table_file import check_suffix
from explorer.scanning.workers import on_cluster
from explorer.trace.measures.scan_sums import ScanPart
from tests.waiting import PATIENCE_MS

Plan = Callable[..., ScanPlan]


class Counting:
    """A Measurer that counts rows alone."""

    def __init__(self, _plan: ScanPlan) -> None:
        """Nothing to open."""

    def __call__(self, texts: list[str], first_row: int) -> ScanPart:
        """The texts of a portion."""
        return ScanPart(n_rows=len(texts), texts={})


class Dataset:
    """Ray's, as far as a scan uses it."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def map(self, actor: type, *, fn_constructor_args: tuple[Any, ...], compute: int, num_cpus: int) -> "Dataset":
        """Every row through one actor."""
        assert (compute, num_cpus) == (2, 1)
        return Dataset([actor(*fn_constructor_args)(row) for row in self._rows])

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        """In their order."""
        return iter(self._rows)


def test_a_cluster_is_given_numbers_and_gives_parts_in_order(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is opened at its address once; each dataset has its portions."""
    begun: list[str] = []
    context = SimpleNamespace(execution_options=SimpleNamespace(preserve_order=False), enable_progress_bars=True)
    data = SimpleNamespace(
        DataContext=SimpleNamespace(get_current=lambda: context),
        from_items=lambda rows, override_num_blocks: Dataset(rows),
        ActorPoolStrategy=lambda size: size,
    )
    library = SimpleNamespace(is_initialized=lambda: bool(begun), init=lambda address, **_: begun.append(address), data=data)
    monkeypatch.setitem(sys.modules, "ray", library)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "ray.data", data)  # type: ignore[arg-type]
    monkeypatch.setattr(measuring, "Measurer", Counting)
    monkeypatch.setattr("explorer.scanning.workers._AT_ONCE", 2)
    rows = rows_of([f"{n}" for n in range(9)])
    chunks = list(rows.chunks(Start(), 2))
    found = list(on_cluster("auto", 2)(plan("tiny"), rows, chunks))
    assert [chunk for chunk, _part in found] == chunks and [part.n_rows for _chunk, part in found] == [2, 2, 2, 2, 1]
    assert begun == ["auto"] and context.execution_options.preserve_order


def test_as_many_processes_are_allowed_as_the_system_can_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows by Python's own limit, which refuses the next number; a flag says so before anything is read."""
    monkeypatch.setattr(sys, "platform", "win32")
    most = int(flags.workers("win32").valid.high)
    with pytest.raises(ValueError, match="max_workers"):
        ProcessPoolExecutor(most + 1)
    ProcessPoolExecutor(most).shutdown()
    with pytest.raises(KnobOutOfRange):
        flags.workers("win32").check(most + 1)
    assert flags.workers("darwin").check(most + 1) == most + 1


def test_a_process_measures_until_the_other_end_of_its_pipe_is_closed(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves Ctrl+C to its parent, and ends with it."""
    ended = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(measuring, "Measurer", Counting)
    monkeypatch.setattr(os, "_exit", lambda _status: ended.set())
    listened, held = multiprocessing.Pipe(duplex=False)
    try:
        workers.begin(plan("tiny"), rows_of(["a", "b", "c"]), listened)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert workers.measured(Chunk(0, 1, 2)).n_rows == 2
        assert not ended.is_set()
        held.close()
        assert ended.wait(PATIENCE_MS / 1000)
    finally:
        signal.signal(signal.SIGINT, before)
        held.close()
        listened.close()


def test_without_its_library_parquet_is_refused_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ExtraMissing, match="scan"):
        check_suffix(Path("a.parquet"))


@pytest.mark.slow
def test_sentences_that_cannot_be_measured_are_counted(plan: Plan) -> None:
    """One that is too long for the model, and one that holds what no text may."""
    table = scan_rows(plan(), rows_of(["他吃。", "他" * 400, "a\x00b", "他吃。" * 30]))
    assert table.n_rows == 4 and sum(table.left_out.values()) == 4 - table.n_measured and table.n_measured >= 1
    assert "error.too_long" in table.left_out
