"""How much of the package the tests must run, lines and branches together. After a run with `--cov`:

    python -m tests.coverage_limits

A room is a folder of `explorer`, or the files beside them. What people see and touch is held to less: much of it is reached
by a mouse or a system alone, and is looked at by eye.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import coverage

LIMIT = 95.0
WINDOW_LIMIT = 85.0
WINDOW = ("views", "app")
PACKAGE = Path(__file__).parents[1] / "explorer"


def room_of(path: str) -> str:
    """ "trace" of "explorer/trace/trace.py"; the package's own files are a room by themselves."""
    parts = path.replace("\\", "/").split("explorer/", 1)[1].split("/")
    return parts[0] if len(parts) > 1 else PACKAGE.name


def rooms() -> frozenset[str]:
    """Those that there are."""
    return frozenset(room_of(path.relative_to(PACKAGE.parent).as_posix()) for path in PACKAGE.rglob("*.py"))


def limit_of(room: str) -> float:
    """In per cent."""
    return WINDOW_LIMIT if room in WINDOW else LIMIT


def shares(report: Mapping[str, Any]) -> dict[str, float]:
    """For each room, how many per cent of its lines and branches were run. `report` is as coverage writes it in JSON."""
    done: dict[str, int] = {}
    whole: dict[str, int] = {}
    for path, file in report["files"].items():
        room, summary = room_of(path), file["summary"]
        done[room] = done.get(room, 0) + summary["covered_lines"] + summary["covered_branches"]
        whole[room] = whole.get(room, 0) + summary["num_statements"] + summary["num_branches"]
    return {room: 100 * done[room] / n for room, n in whole.items() if n}


def faults(report: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each room that is below its limit, or that nothing was measured of."""
    found = shares(report)
    for room in sorted(rooms() | set(found)):
        if room not in found:
            yield f"{room}: nothing was measured"
        elif found[room] < limit_of(room):
            yield f"{room}: {found[room]:.1f} %, and {limit_of(room):.0f} % are wanted"


def measured() -> dict[str, Any]:
    """What the last run left, as a report."""
    data = coverage.Coverage()
    data.load()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        data.json_report(outfile=str(path))
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report


def main() -> int:
    """Print each room's share; the status is 1 where one is below its limit."""
    report = measured()
    for room, share in sorted(shares(report).items()):
        print(f"{room:10} {share:6.1f} %   at least {limit_of(room):.0f} %")
    found = list(faults(report))
    print("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
