"""How tests are shared out among workers."""

import pytest

from tests.workers import ONE_BY_ONE, unit_of


def test_a_file_stays_together_and_journeys_go_one_by_one() -> None:
    """A name of a test may have colons of its own."""
    assert unit_of("tests/trace/test_trace.py::test_a[x::y]") == "tests/trace/test_trace.py"
    assert unit_of("tests/journeys/test_labs.py::test_a[x]") == "tests/journeys/test_labs.py::test_a[x]"


@pytest.mark.parametrize("place", ONE_BY_ONE)
def test_what_goes_one_by_one_is_there(place: str, pytestconfig: pytest.Config) -> None:
    """A file that was moved would quietly be one long unit again."""
    assert (pytestconfig.rootpath / place).exists()
