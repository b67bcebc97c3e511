"""What the default line leaves out is chosen by name, and run by CI."""

import re
from pathlib import Path

import pytest

from tests.sweeps import every_nth, exhaustive, sweep

ROOT = Path(__file__).parents[1]


def test_all_but_the_telling_values_are_exhaustive() -> None:
    """None is lost, and the order stays."""
    found = sweep(["a", "b", "c"], telling=["c", "a"])
    assert [each.values for each in found] == [("a",), ("b",), ("c",)]
    assert [[mark.name for mark in each.marks] for each in found] == [[], ["exhaustive"], []]


@pytest.mark.parametrize("telling", [["d"], ["a", "d"], []])
def test_a_telling_value_that_is_not_there_is_refused(telling: list[str]) -> None:
    """Otherwise a renamed model would quietly leave the default line."""
    with pytest.raises(ValueError, match="swept"):
        sweep(["a", "b"], telling=telling)


def test_where_none_tells_more_every_nth_is_taken() -> None:
    """From the first one on."""
    assert every_nth(range(7), 3) == [0, 3, 6]


def test_the_default_line_leaves_exhaustive_tests_out(pytestconfig: pytest.Config) -> None:
    """By the options in pyproject.toml; another -m on the command line takes their place."""
    addopts = pytestconfig.getini("addopts")
    assert addopts[addopts.index("-m") + 1] == f"not {exhaustive.name}"
    assert re.search(r"-m.{1,4}exhaustive", (ROOT / "tests" / "check.py").read_text(encoding="utf-8"))
