"""What a mechanism buys: its rows with it and without it, by turns, each in a fresh process."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from tests.bench.row import Row, aligned, digits, read_json
from tests.bench.without import MECHANISMS, VARIABLE, mechanism

_TURNS = 2
_TENTH = 1.1
_HEADINGS = ("row", "with it", "without it", "without / with", "")


def bought(name: str, only: str, folder: Path, peers: Path | None) -> int:
    """Print the table of the rows of a mechanism, or of those whose name has `only` in it; the status of the command."""
    try:
        parts = (only,) if only else mechanism(name).rows
    except KeyError:
        print(
            f"No mechanism {name}. Known are {', '.join(MECHANISMS)}, and each lru_cache by its dotted name.", file=sys.stderr
        )
        return 2
    cells = [_HEADINGS]
    for part in parts:
        turns = [(_rows(part, "", folder, peers), _rows(part, name, folder, peers)) for _ in range(_TURNS)]
        for row in turns[0][0]:
            ours, lacking = ([each[side][row].ours for each in turns] for side in (0, 1))
            ratio = median(without / with_it for with_it, without in zip(ours, lacking, strict=True))
            unit = turns[0][0][row].unit
            kept = "" if ratio >= _TENTH else "less than a tenth"
            cells.append((row, f"{digits(median(ours))} {unit}", f"{digits(median(lacking))} {unit}", digits(ratio), kept))
    print(aligned(cells))
    return 0


def _rows(part: str, without: str, folder: Path, peers: Path | None) -> dict[str, Row]:
    """The rows whose name has `part` in it, by name, from a fresh process without a mechanism; "" for none."""
    file = folder / "rows.jsonl"
    file.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.bench", "--only", part, "--json", str(file)]
    command += [] if peers is None else ["--peers-python", str(peers)]
    subprocess.run(command, env={**os.environ, VARIABLE: without}, stdout=subprocess.DEVNULL, check=True)
    return {row.name: row for row in read_json(file)}
