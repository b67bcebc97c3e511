"""Print the figures. A screen is used where there is one, else Qt's offscreen platform.

Each task runs in a process of its own: what one leaves behind disturbs no other, and what ends one costs its own rows alone.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
from platformdirs import user_cache_path

import explorer.app  # noqa: F401  # before NumPy, whose threads it bounds

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform != "linux"):
    screen = Path(__file__).parents[1] / "screen.json"
    os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={screen}")

_CACHE = user_cache_path("transformer-explorer-bench", appauthor=False)


@click.command()
@click.option("--only", default="", metavar="NAME", help="Run the rows whose name has this in it.")
@click.option("--without", "left_out", default="", metavar="NAME", help="Measure what a mechanism buys, by turns.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Add each row to this file, a line of JSON.")
@click.option("--peers", is_flag=True, help="Run the rows beside other programs too, in an environment that is made once.")
@click.option("--peers-python", type=click.Path(path_type=Path, exists=True), help="An interpreter that has the peers already.")
@click.option("--task", type=int, hidden=True, help="Run this task alone, in this process.")
def main(only: str, left_out: str, json_file: Path | None, peers: bool, peers_python: Path | None, task: int | None) -> None:
    """Measure how fast the explorer is: medians beside yardsticks of the same run, with goals."""
    if peers and peers_python is None:
        from tests.bench.peer import environment

        peers_python = environment(_CACHE / "peers")
    given = peers_python and peers_python.absolute()
    with tempfile.TemporaryDirectory() as folder:
        # Folders of its own, so that nobody's preferences matter or change.
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = f"{folder}/{name}"
        if left_out:
            from tests.bench.buying import bought

            sys.exit(bought(left_out, only, Path(folder), given))
        if task is not None:
            assert json_file is not None  # The process that starts this one names a file.
            _run(task, only, json_file, Path(folder), given)
        else:
            sys.exit(_run_all(only, json_file or Path(folder) / "rows.jsonl", given))


def _run(number: int, only: str, json_file: Path, folder: Path, peers: Path | None) -> None:
    """Print the rows of a task as they come, and add them to the file."""
    from explorer.engine.compute import KEPT_BYTES
    from explorer.engine.freed_memory import keep_freed_memory
    from tests.bench.bench import Bench
    from tests.bench.groups import TASKS
    from tests.bench.row import add_json
    from tests.bench.without import leave_out

    leave_out()
    keep_freed_memory(KEPT_BYTES)  # as the program does
    for row in TASKS[number].rows(Bench(folder, peers), only):
        print(" | ".join(filter(None, row.cells())), flush=True)
        add_json(row, json_file)


def _run_all(only: str, json_file: Path, peers: Path | None) -> int:
    """Run the tasks, and print all rows as one table; the status of the command."""
    from tests.bench.groups import TASKS
    from tests.bench.machine import Others, head
    from tests.bench.row import read_json, table

    others, failed = Others(), []
    before = len(read_json(json_file))
    for number, task in enumerate(TASKS):
        if not task.matches(only) or (task.peers and peers is None):
            continue
        start_s, beside = time.perf_counter(), Others()
        command = [sys.executable, "-m", "tests.bench", "--task", str(number), "--only", only, "--json", str(json_file)]
        command += [] if peers is None else ["--peers-python", str(peers)]
        if subprocess.run(command, check=False).returncode:
            failed.append(task.names[0])
        print(f"  {time.perf_counter() - start_s:.0f} s, others {beside.share():.0%}", file=sys.stderr)
    print(f"\n{head(others)}\n\n{table(read_json(json_file)[before:])}")
    if peers is None:
        print("\nThe rows beside other programs were left out: --peers runs them.")
    if failed:
        print(f"\nFailed: {'; '.join(failed)}")
    return int(bool(failed))


main()
