"""How tests are shared out among the processes of pytest-xdist: `pytest -n 2`.

The tests of a file stay together, for what they share is made once: a trained model, a wheel, recorded Traces. Journeys share
nothing and take seconds each, so they go one by one; files are begun with the largest, and the single tests come last and
even out the end. Rejected: `--dist loadgroup` does the same by marks, and then writes the group's name into each test's, by
which `--last-failed` does not find it again.
"""

from xdist.scheduler import LoadScopeScheduling

ONE_BY_ONE = ("tests/journeys/", "tests/test_fuzz.py", "tests/app/test_endings.py")


def unit_of(test: str) -> str:
    """The name of the tests that stay together with this one: its file, or the test alone."""
    return test if test.startswith(ONE_BY_ONE) else test.split("::", 1)[0]


class Scheduling(LoadScopeScheduling):
    """Units of `unit_of`."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
