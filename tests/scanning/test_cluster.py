"""The same scan on a Ray cluster: a local one of two workers. Needs the extra "cluster"."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.cli.main import main
from explorer.scanning.plan import ScanPlan
from explorer.scanning.rows import rows_of
from explorer.scanning.run import scan_file
from explorer.scanning.table_file import read_table
from explorer.scanning.workers import on_cluster
from explorer.state.held_out import held_out

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


def test_the_command_scans_a_real_file_on_two_workers(tmp_path: Path, cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Held-out sentences as a file of lines: the table is that of this process alone."""
    file = tmp_path / "sentences.txt"
    file.write_text("\n".join(held_out(24)), encoding="utf-8")
    for name, flags in (("one", []), ("two", ["--ray", "auto", "--workers", "2"])):
        asked = ["scan", str(file), "--out", str(tmp_path / f"{name}.json"), "--measure", "entropy", "--language", "en"]
        assert main([*asked, *flags]) == 0
    assert "24 sentences" in capsys.readouterr().out
    for row, other in zip(*(read_table(tmp_path / f"{name}.json").rows() for name in ("one", "two")), strict=True):
        assert row.total == pytest.approx(other.total, rel=1e-9) and (row.count, row.best) == (other.count, other.best)
