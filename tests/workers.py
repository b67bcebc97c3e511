"""How tests are shared out among the processes of pytest-xdist: `pytest -n 2`.

The tests of a file stay together, for what they share is made once: a trained model, a wheel, recorded Traces. Journeys take
seconds each and share nothing, but for the tests of one walk and those of two processes, so they go one by one. What takes
longest is begun first, then come files, those with most tests first; the single tests come last and even out the end.
Rejected: `--dist loadgroup` does the same by marks, and then writes the group's name into each test's, by which
`--last-failed` does not find it again.
"""

from collections.abc import Iterable

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

TOGETHER = ("tests/journeys/test_walk.py", "tests/journeys/test_two_windows.py")
"""What shares something among what goes one by one."""
ONE_BY_ONE = ("tests/journeys/", "tests/test_fuzz.py", "tests/test_recipes.py", "tests/app/test_endings.py")
LONGEST = (
    "tests/journeys/test_folders.py::test_every_page_shows_something_of_every_family",
    "tests/engine/errands/test_rehearsal.py",
    "tests/journeys/test_walk.py",
    "tests/foreign/test_changes.py",
    "tests/scanning/test_run.py",
    "tests/journeys/test_every_page.py::test_every_page_shows_its_cards",
    "tests/test_fuzz.py::test_ten_seconds_find_nothing",
    "tests/app/test_screens.py",
    "tests/foreign/test_thin.py",
    "tests/cli/test_main.py",
    "tests/journeys/test_lessons.py::test_every_step_of_every_lesson_can_be_opened",
    "tests/training/test_training.py",
    "tests/test_packaging.py",
)
"""How the units begin that take ten seconds or more: if the last one were such a unit, only one process would work on it.

`-p tests.costs` says which they are.
"""


def unit_of(test: str) -> str:
    """The name of the tests that stay together with this one: its file, or the test alone."""
    alone = test.startswith(ONE_BY_ONE) and not test.startswith(TOGETHER)
    return test if alone else test.split("::", 1)[0]


def longest_last(units: Iterable[str]) -> list[str]:
    """Those of the units that take longest, in the order in which each is to be put before all others."""
    long = [unit for unit in units if unit.startswith(LONGEST)]
    return sorted(long, key=lambda unit: next(n for n, begin in enumerate(LONGEST) if unit.startswith(begin)), reverse=True)


class Scheduling(LoadScopeScheduling):
    """Units of `unit_of`."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        for unit in longest_last(self.workqueue):
            self.workqueue.move_to_end(unit, last=False)
        super()._assign_work_unit(node)
