"""Print the figures. A screen is used where there is one, else Qt's offscreen platform; the head says which."""

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import click
from platformdirs import user_cache_path

import explorer.app  # noqa: F401  # before NumPy, whose threads it bounds

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform != "linux"):
    screen = Path(__file__).parents[1] / "screen.json"
    os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={screen}")

_CACHE = user_cache_path("transformer-explorer-bench", appauthor=False)


@click.command()
@click.option("--only", default="", metavar="NAME", help="Run the groups and rows whose name has this in it.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the rows into this file as well.")
@click.option("--peers", is_flag=True, help="Run the peers' side too, in an environment of its own that is made once.")
@click.option("--peers-python", type=click.Path(path_type=Path, exists=True), help="An interpreter that has the peers already.")
@click.option("--edits", default=10_000, help="Key events of the row about memory.")
@click.option("--rebuilds", default=1_000, help="New models of the row about memory.")
@click.option("--plots", type=click.Path(path_type=Path), default=_CACHE / "growth", help="Where growth draws its curves.")
def main(
    only: str, json_file: Path | None, peers: bool, peers_python: Path | None, edits: int, rebuilds: int, plots: Path
) -> None:
    """Measure how fast the explorer is: medians of paired runs, with goals."""
    if peers:
        from tests.bench.peer import environment

        peers_python = peers_python or environment(_CACHE / "peers")
    with tempfile.TemporaryDirectory() as folder:
        # Folders of its own, so that nobody's preferences matter or change.
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = f"{folder}/{name}"
        from tests.bench.bench import Bench

        bench = Bench(Path(folder), plots.absolute(), peers_python and peers_python.absolute(), edits, rebuilds)
        _measure(bench, only, json_file)


def _measure(bench: "Bench", only: str, json_file: Path | None) -> None:  # noqa: F821  # imported once the folders are set
    from explorer.engine.compute import KEPT_BYTES
    from explorer.engine.freed_memory import keep_freed_memory
    from tests.bench.groups import GROUPS
    from tests.bench.machine import Others, head
    from tests.bench.row import table, write_json

    keep_freed_memory(KEPT_BYTES)  # as the program does
    load, others = os.getloadavg(), Others()
    meant = [task for task in GROUPS if task.matches(only)]
    chosen = [task for task in meant if (only or not task.asked) and task.can_run(bench)]
    rows, failed = _run(bench, chosen, only)
    print(head(bench, load, others))
    if left_out := {task.group for task in meant if task not in chosen}:
        print(f"left out: {', '.join(sorted(left_out))} (memory and growth: --only; what compares with peers: --peers)")
    if failed:
        print(f"failed: {', '.join(failed)}")
    if rows:
        print(f"\n{table(rows)}")
    for each in bench.tables:
        print(f"\n{each}")
    if json_file is not None:
        write_json(rows, json_file)
    sys.exit(bool(failed))


def _run(bench: "Bench", tasks: "list[Task]", only: str) -> "tuple[list[Row], list[str]]":  # noqa: F821  # as above
    """The rows, and the names of what failed: that costs its own rows, not those of the whole run."""
    from tests.bench.machine import Others

    rows, failed = [], []
    for task in tasks:
        start, others = time.perf_counter(), Others()
        try:
            rows += task.rows(bench, only)
        except Exception:
            traceback.print_exc()
            failed.append(task.names[0])
        print(
            f"{task.group}: {task.names[0]}: {time.perf_counter() - start:.1f} s, others {others.share():.0%}", file=sys.stderr
        )
    return rows, failed


main()
