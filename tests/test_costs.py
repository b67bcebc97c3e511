"""What tests cost is counted where they run, added up where it is printed, and told by room and file."""

import os

import pytest

from tests.costs import Costs, added, file, room, used_s


def test_the_dearest_room_and_file_come_first() -> None:
    """Each with the number of its tests."""
    by_test = {
        "tests/trace/test_a.py::test_a[x::y]": 1.0,
        "tests/trace/test_b.py::test_b": 0.5,
        "tests/model/test_c.py::test": 2.5,
    }
    assert added(by_test, room) == [("tests/model", 1, 2.5), ("tests/trace", 2, 1.5)]
    assert [name for name, _n, _s in added(by_test, file)] == [
        "tests/model/test_c.py",
        "tests/trace/test_a.py",
        "tests/trace/test_b.py",
    ]


def test_processes_that_have_ended_are_counted() -> None:
    """As well as this one's own work."""
    before = os.times()
    assert used_s() >= before.user + before.system + before.children_user + before.children_system


def test_what_was_used_since_the_last_report_belongs_to_this_one() -> None:
    """The reports of one test, of which the last is that of what it gives back, are added."""
    now = iter([10.0, 12.5, 12.5, 12.75])
    found = Costs(lambda: next(now))
    for name in ("works", "waits", "waits"):
        report = pytest.TestReport(name, ("", 0, ""), {}, "passed", None, "call")
        counting = found.pytest_runtest_makereport()
        next(counting)
        with pytest.raises(StopIteration) as made:
            counting.send(report)
        found.pytest_runtest_logreport(made.value.value)
    assert found.by_test == {"works": 2.5, "waits": 0.25}
