"""How tests are shared out among workers."""

from collections import OrderedDict

import pytest

from tests.workers import LONGEST, ONE_BY_ONE, TOGETHER, longest_last, unit_of


def test_a_file_stays_together_and_journeys_go_one_by_one() -> None:
    """A name of a test may have colons of its own."""
    assert unit_of("tests/trace/test_trace.py::test_a[x::y]") == "tests/trace/test_trace.py"
    assert unit_of("tests/journeys/test_labs.py::test_a[x]") == "tests/journeys/test_labs.py::test_a[x]"
    assert unit_of(f"{TOGETHER[0]}::test_a[x]") == TOGETHER[0]


@pytest.mark.parametrize("place", ONE_BY_ONE + TOGETHER)
def test_what_goes_one_by_one_is_there(place: str, pytestconfig: pytest.Config) -> None:
    """A file that was moved would quietly be one long unit again."""
    assert (pytestconfig.rootpath / place).exists()


def test_what_takes_longest_is_put_first_and_the_longest_before_all() -> None:
    """The others keep their order behind them."""
    units = ["tests/a.py", "tests/cli/test_main.py", "tests/b.py", f"{LONGEST[0]}[x]", "tests/test_fuzz.py::test_a"]
    queue = OrderedDict.fromkeys(units)
    for unit in longest_last(queue):
        queue.move_to_end(unit, last=False)

    assert list(queue) == [
        f"{LONGEST[0]}[x]",
        "tests/cli/test_main.py",
        "tests/a.py",
        "tests/b.py",
        "tests/test_fuzz.py::test_a",
    ]


@pytest.mark.parametrize("unit", LONGEST)
def test_what_takes_longest_is_there_and_goes_by_itself(unit: str, pytestconfig: pytest.Config) -> None:
    """A test that was renamed would quietly begin last."""
    path, _, name = unit.partition("::")

    assert f"def {name}" in (pytestconfig.rootpath / path).read_text(encoding="utf-8")
    assert unit_of(unit) == unit
