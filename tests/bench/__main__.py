"""Print the figures. A screen is used where there is one, else Qt's offscreen platform."""

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click
from platformdirs import user_cache_path

import explorer.app  # noqa: F401  # before NumPy, whose threads it bounds

if TYPE_CHECKING:
    from tests.bench.bench import Bench
    from tests.bench.row import Row

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform != "linux"):
    screen = Path(__file__).parents[1] / "screen.json"
    os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={screen}")

_CACHE = user_cache_path("transformer-explorer-bench", appauthor=False)


@click.command()
@click.option("--only", default="", metavar="NAME", help="Run the rows whose name has this in it.")
@click.option(
    "--without", "left_out", default="", metavar="NAME", help="Measure what a mechanism buys: its rows without it, by turns."
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Add each row to this file, a line of JSON.")
@click.option("--peers", is_flag=True, help="Run the rows beside other programs too, in an environment that is made once.")
@click.option("--peers-python", type=click.Path(path_type=Path, exists=True), help="An interpreter that has the peers already.")
def main(only: str, left_out: str, json_file: Path | None, peers: bool, peers_python: Path | None) -> None:
    """Measure how fast the explorer is: medians beside yardsticks of the same run, with goals."""
    if peers and peers_python is None:
        from tests.bench.peer import environment

        peers_python = environment(_CACHE / "peers")
    with tempfile.TemporaryDirectory() as folder:
        # Folders of its own, so that nobody's preferences matter or change.
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = f"{folder}/{name}"
        if left_out:
            from tests.bench.buying import bought

            sys.exit(bought(left_out, only, Path(folder), peers_python and peers_python.absolute()))
        from tests.bench.bench import Bench

        _measure(Bench(Path(folder), peers_python and peers_python.absolute()), only, json_file)


def _measure(bench: "Bench", only: str, json_file: Path | None) -> None:
    """Print each row as it comes, and then all of them as one table."""
    from explorer.engine.compute import KEPT_BYTES
    from explorer.engine.freed_memory import keep_freed_memory
    from tests.bench.groups import TASKS
    from tests.bench.machine import Others, head
    from tests.bench.row import add_json, table
    from tests.bench.without import leave_out

    leave_out()
    keep_freed_memory(KEPT_BYTES)  # as the program does
    others, rows, failed = Others(), list["Row"](), list[str]()
    chosen = [task for task in TASKS if task.matches(only) and (bench.peers or not task.peers)]
    for task in chosen:
        start_s, beside = time.perf_counter(), Others()
        try:
            for row in task.rows(bench, only):
                rows.append(row)
                print(" | ".join(filter(None, row.cells())), flush=True)
                if json_file is not None:
                    add_json(row, json_file)
        except Exception:  # What fails costs its own rows, not those of the whole run.
            traceback.print_exc()
            failed.append(task.names[0])
        print(f"  {time.perf_counter() - start_s:.0f} s, others {beside.share():.0%}", file=sys.stderr)
    print(f"\n{head(others)}\n\n{table(rows)}")
    if not bench.peers:
        print("\nThe rows beside other programs were left out: --peers runs them.")
    if failed:
        print(f"\nFailed: {'; '.join(failed)}")
    sys.exit(bool(failed))


main()
