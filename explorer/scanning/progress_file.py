"""How far a scan has come, on disk: the sums so far and the place behind them, in one file that is replaced whole.

Whoever kills the process finds the sums of some portions and the place behind exactly these: no sentence is lost or counted
twice. Arrays are stored as they are, so that going on rounds as if nothing had happened.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from explorer.errors import NotAScanTable, OtherScan
from explorer.files import opened, replacing
from explorer.scanning.rows import Start
from explorer.trace.scan_sums import Part, Sums

_ABOUT = "about"


def progress_path(out: Path) -> Path:
    """The file of an unfinished scan, beside its table."""
    return out.with_name(f"{out.name}.progress")


def write_progress(path: Path, about: dict[str, Any], start: Start, part: Part) -> None:
    """Replace the file. Raises CannotWrite, DiskFull."""
    told = {
        "about": about,
        "start": attrs.astuple(start),
        "n_rows": part.n_rows,
        "left_out": dict(part.left_out),
        "keys": list(part.sums),
        "texts": list(part.texts.items()),
    }
    arrays: dict[str, Any] = {
        f"{number}.{name}": value for number, sums in enumerate(part.sums.values()) for name, value in _fields(sums)
    }
    arrays[_ABOUT] = np.frombuffer(json.dumps(told).encode(), np.uint8)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_progress(path: Path, about: dict[str, Any]) -> tuple[Start, Part]:
    """What `write_progress` wrote. Raises OtherScan for another plan or other sentences, NotAScanTable, CannotRead."""
    try:
        with opened(path) as file, np.load(file, allow_pickle=False) as arrays:
            told = json.loads(arrays[_ABOUT].tobytes())
            if told["about"] != json.loads(json.dumps(about)):
                raise OtherScan(path=str(path))
            sums = {
                (attention, measure): Sums(**{each.name: arrays[f"{number}.{each.name}"] for each in attrs.fields(Sums)})
                for number, (attention, measure) in enumerate(told["keys"])
            }
            texts = {int(row): str(text) for row, text in told["texts"]}
            return Start(*told["start"]), Part(n_rows=told["n_rows"], left_out=told["left_out"], sums=sums, texts=texts)
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise NotAScanTable(path=str(path), reason=str(error)[:80]) from error


def _fields(sums: Sums) -> list[tuple[str, Any]]:
    return [(each.name, getattr(sums, each.name)) for each in attrs.fields(Sums)]
