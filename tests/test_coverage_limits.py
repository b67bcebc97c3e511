"""The limits of coverage, on made-up reports."""

from typing import Any

import pytest

from tests.coverage_limits import LIMIT, WINDOW_LIMIT, faults, limit_of, room_of, rooms, shares


def report(**percent: int) -> dict[str, Any]:
    """Of each room one file of 80 lines and 20 branches, so many of them run, branches last."""
    return {
        "files": {
            f"explorer/{room}/a.py" if room != "explorer" else "explorer/a.py": {
                "summary": {
                    "num_statements": 80,
                    "covered_lines": min(done, 80),
                    "num_branches": 20,
                    "covered_branches": max(0, done - 80),
                }
            }
            for room, done in percent.items()
        }
    }


def at_the_limits(**other: int) -> dict[str, Any]:
    """Every room has just what is wanted, but for some."""
    return report(**{room: int(limit_of(room)) for room in rooms()} | other)


def test_what_is_at_its_limit_passes() -> None:
    """The window's two rooms are held to less than all others."""
    assert list(faults(at_the_limits())) == []
    assert {room for room in rooms() if limit_of(room) == WINDOW_LIMIT} == {"views", "app"}


@pytest.mark.parametrize(("room", "done"), [("trace", LIMIT - 1), ("views", WINDOW_LIMIT - 1), ("explorer", LIMIT - 1)])
def test_a_room_below_its_limit_is_named(room: str, done: float) -> None:
    """However good the others are: it is not made up for."""
    (found,) = faults(at_the_limits(**{room: int(done)}))

    assert found == f"{room}: {done:.1f} %, and {limit_of(room):.0f} % are wanted"


def test_branches_count_as_lines_do() -> None:
    """All lines and half of the branches are nine tenths of a file."""
    assert shares(report(trace=90)) == {"trace": 90.0}


def test_a_room_of_which_nothing_was_measured_does_not_pass() -> None:
    """A run with the wrong settings would measure nothing, and find nothing wrong."""
    assert len(list(faults({"files": {}}))) == len(rooms())
    assert {"model", "views", "explorer"} <= rooms()


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("explorer/trace/trace.py", "trace"),
        ("explorer/views/pictures/maps.py", "views"),
        ("explorer\\app\\main.py", "app"),
        ("explorer/config.py", "explorer"),
        ("/somewhere/explorer/engine/sources/a.py", "engine"),
    ],
)
def test_a_file_belongs_to_the_first_folder(path: str, room: str) -> None:
    """On Windows as well."""
    assert room_of(path) == room
