"""What tests cost, in seconds of the processor: `python -m pytest -p tests.costs -n 2 tests/views`.

A clock on the wall says on a busy machine how busy it is; this counts what the test's process and those that it started have
used. It prints the rooms, the files, and the tests that cost most; `--costs FILE` writes a line for each test.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

N_MOST = 40
"""So many of the files and of the tests are printed."""


def used_s() -> float:
    """What this process and its ended children have used so far, the system's work for them included."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where each test is written down."""
    parser.addoption("--costs", type=Path, default=None, metavar="FILE", help="write seconds of the processor, a line a test")


class Costs:
    """What reports say, added up."""

    def __init__(self, used: Callable[[], float] = used_s) -> None:
        self._used, self._seen_s = used, used()
        self.by_test: dict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, pytest.TestReport]:
        """In the process that runs the test: what has been used since the last report belongs to this one."""
        report: Any = yield
        now_s = self._used()
        report.used_s, self._seen_s = now_s - self._seen_s, now_s
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In the process that prints."""
        self.by_test[report.nodeid] += getattr(report, "used_s", 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """The rooms in full, of files and tests those that cost most."""
        terminalreporter.section(f"{sum(self.by_test.values()):.1f} s of the processor")
        for part in (room, file):
            for name, n_tests, seconds in added(self.by_test, part)[:N_MOST]:
                terminalreporter.line(f"{seconds:8.1f} s {n_tests:6d} {name}")
            terminalreporter.line("")
        for name, seconds in sorted(self.by_test.items(), key=lambda pair: -pair[1])[:N_MOST]:
            terminalreporter.line(f"{seconds:8.2f} s {name}")
        path = config.getoption("costs")
        if path is not None:
            path.write_text("".join(f"{seconds:.3f}\t{name}\n" for name, seconds in self.by_test.items()), encoding="utf-8")


def room(test: str) -> str:
    """The folder of `tests/` that it stands in."""
    return "/".join(test.split("::", 1)[0].split("/")[:2])


def file(test: str) -> str:
    """The file that it stands in."""
    return test.split("::", 1)[0]


def added(by_test: Mapping[str, float], part: Callable[[str], str]) -> list[tuple[str, int, float]]:
    """For each part its name, its tests and their seconds: the dearest first."""
    sums: dict[str, list[float]] = defaultdict(list)
    for test, seconds in by_test.items():
        sums[part(test)].append(seconds)
    return sorted(((name, len(each), sum(each)) for name, each in sums.items()), key=lambda row: -row[2])


def pytest_configure(config: pytest.Config) -> None:
    """In each process."""
    config.pluginmanager.register(Costs(), "costs")
