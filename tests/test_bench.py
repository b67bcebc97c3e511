"""The benchmark measures what its names say, and what the program says of its rows and mechanisms is there."""

import re
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import attrs
import pytest

from tests.bench.bench import Bench, Task
from tests.bench.groups import TASKS
from tests.bench.row import Row, add_json, read_json, table, times
from tests.bench.timing import Pair, Sample
from tests.bench.without import MECHANISMS, mechanism

ROOT = Path(__file__).parents[1]
NAMES = [name for task in TASKS for name in task.names]
ROW = Row(what="a key", beside="a plain pass", ours=20.0, theirs=10.0, figure=2.0, goal=6.0)


def test_each_row_has_a_name_of_its_own() -> None:
    """So that `--only` and the files of rows mean one."""
    assert len(NAMES) == len(set(NAMES))


def test_a_row_that_a_comment_names_is_measured() -> None:
    """Of a cache, or of a fast way: the row that pays for it."""
    named = [
        (path.name, row)
        for path in (ROOT / "explorer").rglob("*.py")
        for row in re.findall(r'\b[Rr]ow "([^"]+)"', re.sub(r"\s*\n\s*(?:# )?", " ", path.read_text(encoding="utf-8")))
    ]

    assert len(named) > 5
    assert [each for each in named if not any(each[1] in name for name in NAMES)] == []


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_a_mechanism_is_in_the_program_and_has_a_row(name: str) -> None:
    """It is named by its file, and what is taken out is there."""
    own = MECHANISMS[name]

    assert (ROOT / "explorer" / "engine" / "speed" / f"{name}.py").is_file()
    assert own.rows and all(any(part in row for row in NAMES) for part in own.rows)
    assert all(callable(resolve_name(dotted)) for dotted in own.instead)


def test_several_mechanisms_and_caches_are_taken_out_together() -> None:
    """A cache by its dotted name: what stands in for it computes each time."""
    dotted = "explorer.picture.scales.table"
    both = mechanism(f"packed_linear,{dotted}")

    assert both.instead.keys() == {*MECHANISMS["packed_linear"].instead, dotted}
    assert both.instead[dotted] is resolve_name(dotted).__wrapped__
    for unknown in ("magic", "explorer.picture.scales", "explorer.picture.scales.round_up"):
        with pytest.raises(KeyError):
            mechanism(unknown)


def test_a_goal_is_met_from_its_own_side() -> None:
    """A ratio at most, a speed at least; a difference in its unit."""
    assert ROW.met and not attrs.evolve(ROW, figure=6.1).met
    faster = attrs.evolve(ROW, measured="times faster", figure=90.0, goal=100.0)
    assert not faster.met and attrs.evolve(faster, figure=100.0).met
    more = attrs.evolve(ROW, measured="more", figure=31.0, goal=30.0)
    assert more.cells()[4:7] == ("+31 ms", "≤ +30 ms", "missed")
    assert "| ≤ 6 " in table([ROW])


def test_a_ratio_is_the_median_over_the_rounds() -> None:
    """Of each round's quotient, and not the quotient of the medians: 1/1, 8/2 and 3/3 give 1, 3/2 would be the other."""
    made = times("a", "b", Pair(Sample((1.0, 8.0, 3.0)), Sample((1.0, 2.0, 3.0))), 1.0)

    assert (made.ours, made.theirs, made.figure) == (3.0, 2.0, 1.0)


def test_rows_are_kept_as_they_come(tmp_path: Path) -> None:
    """What a later row breaks does not cost those before it; a row that no name announces is refused."""

    def rows(_bench: Bench) -> Iterator[Row]:
        yield ROW
        yield attrs.evolve(ROW, what="another")

    file, task = tmp_path / "rows.jsonl", Task((ROW.name,), rows)
    with pytest.raises(RuntimeError, match="another"):
        for row in task.rows(Bench(tmp_path), ""):
            add_json(row, file)

    assert read_json(file) == [ROW]
