"""What tests cost, in seconds of the processor and in memory: `python -m pytest -p tests.costs -n 2 tests/views`.

A clock on the wall says on a busy machine how busy it is; this counts the processor time of the test's process and of the
children it started. Memory is what the process occupies after a test and did not before it: what the test leaves behind, what
it was the first to import, and what the allocator keeps for later. Both are printed for the rooms, files and tests that cost
most; `--costs FILE` writes a line for each test.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

N_MOST = 40
"""So many of the files and of the tests are printed."""
PART_MB = 10.0
"""Files and tests that leave less than this behind are not printed for their memory."""


def used_s() -> float:
    """What this process and its ended children have used so far, the system's work for them included."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def occupied_mb() -> float:
    """The resident memory of this process."""
    return float(psutil.Process().memory_info().rss) / 2**20


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where each test is written down."""
    parser.addoption("--costs", type=Path, default=None, metavar="FILE", help="write seconds, MB and name, a line a test")


class Costs:
    """Adds up the seconds and the growth that each test's reports carry."""

    def __init__(self, used: Callable[[], float] = used_s, occupied: Callable[[], float] = occupied_mb) -> None:
        self._used, self._seen_s = used, used()
        self._occupied, self._seen_mb = occupied, occupied()
        self.by_test: dict[str, float] = defaultdict(float)
        self.growth: dict[str, float] = defaultdict(float)
        self.most_mb = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, pytest.TestReport]:
        """In the process that runs the test: what has been used since the last report belongs to this one."""
        report: Any = yield
        now_s, now_mb = self._used(), self._occupied()
        report.used_s, self._seen_s = now_s - self._seen_s, now_s
        report.grown_mb, self._seen_mb = now_mb - self._seen_mb, now_mb
        report.occupied_mb = now_mb
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In the process that prints."""
        self.by_test[report.nodeid] += getattr(report, "used_s", 0.0)
        self.growth[report.nodeid] += getattr(report, "grown_mb", 0.0)
        self.most_mb = max(self.most_mb, getattr(report, "occupied_mb", 0.0))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """The rooms in full, of files and tests those that cost most."""
        terminalreporter.section(f"{sum(self.by_test.values()):.1f} s of the processor, {self.most_mb:.0f} MB in one process")
        for part in (room, file, str):
            for name, n_tests, seconds in added(self.by_test, part)[:N_MOST]:
                terminalreporter.line(f"{seconds:8.1f} s {n_tests:6d} {name}")
            terminalreporter.line("")
        for part in (room, file, str):
            for name, n_tests, megabytes in added(self.growth, part)[:N_MOST]:
                if megabytes >= PART_MB:
                    terminalreporter.line(f"{megabytes:8.0f} MB {n_tests:6d} {name}")
            terminalreporter.line("")
        path = config.getoption("costs")
        if path is not None:
            lines = (f"{seconds:.3f}\t{self.growth[name]:.1f}\t{name}\n" for name, seconds in self.by_test.items())
            path.write_text("".join(lines), encoding="utf-8")


def room(test: str) -> str:
    """The folder of `tests/` that it stands in."""
    return "/".join(test.split("::", 1)[0].split("/")[:2])


def file(test: str) -> str:
    """The file that it stands in."""
    return test.split("::", 1)[0]


def added(by_test: Mapping[str, float], part: Callable[[str], str]) -> list[tuple[str, int, float]]:
    """For each part its name, its tests and their sum: the dearest first."""
    sums: dict[str, list[float]] = defaultdict(list)
    for test, cost in by_test.items():
        sums[part(test)].append(cost)
    return sorted(((name, len(each), sum(each)) for name, each in sums.items()), key=lambda row: -row[2])


def pytest_configure(config: pytest.Config) -> None:
    """In each process."""
    config.pluginmanager.register(Costs(), "costs")
