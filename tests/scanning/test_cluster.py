"""The same scan on a Ray cluster: a local one of two workers. Needs the extra "cluster"."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.scanning.plan import ScanPlan
from explorer.scanning.rows import rows_of
from explorer.scanning.run import scan_file
from explorer.scanning.workers import on_cluster

ray = pytest.importorskip("ray", reason="needs the extra cluster")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray warns about itself.


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two workers on this machine, which find the tests' own modules."""
    root = str(Path(__file__).parents[2])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": root}})
    yield ray
    ray.shutdown()


def test_a_cluster_gives_the_table_of_a_single_process(
    plan: Callable[..., ScanPlan], lines: Path, tmp_path: Path, cluster: Any
) -> None:
    """To the bit, on machines of one kind."""
    own, rows = plan(chunk_rows=8), rows_of(lines)
    single = scan_file(own, rows, tmp_path / "one.json")
    both = scan_file(own, rows, tmp_path / "two.json", measure=on_cluster("auto", 2))
    for row, other in zip(single.rows(), both.rows(), strict=True):
        assert row.total == pytest.approx(other.total, rel=1e-9, abs=1e-9) and row.best == other.best
        assert row.histogram.tolist() == other.histogram.tolist() and row.count == other.count
