"""The progress of a scan on disk: the sums so far and where to continue, in one file that is replaced whole.

After a kill the file holds the sums of some portions and the place right after them: no sentence is lost or counted twice.
Arrays are stored exactly, so that a resumed scan rounds as an uninterrupted one.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from explorer.errors import NotAScanTable, OtherScan, OtherScanFile
from explorer.files import opened, replacing
from explorer.json_text import read_json_text
from explorer.scanning.likeness import Likeness
from explorer.scanning.rows import Start
from explorer.trace.measures.scan_sums import MeasureSums, ScanPart

_ABOUT = "about"


def progress_path(out: Path) -> Path:
    """The file of an unfinished scan, beside its table."""
    return out.with_name(f"{out.name}.progress")


def write_progress(path: Path, about: dict[str, Any], like: Likeness, start: Start, part: ScanPart) -> None:
    """Replace the file. Raises CannotWrite, DiskFull."""
    told = {
        "about": about,
        "like": attrs.astuple(like),
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


def read_progress(path: Path, about: dict[str, Any]) -> tuple[Likeness | None, Start, ScanPart]:
    """What `write_progress` wrote; older versions wrote no Likeness.

    Raises OtherScan for another plan or other sentences, NotAScanTable, CannotRead.
    """
    try:
        with opened(path) as file, np.load(file, allow_pickle=False) as arrays:
            told = read_json_text(arrays[_ABOUT].tobytes())
            _check(told["about"], json.loads(json.dumps(about)), path)
            sums = {
                (attention, measure): MeasureSums(
                    **{each.name: arrays[f"{number}.{each.name}"] for each in attrs.fields(MeasureSums)}
                )
                for number, (attention, measure) in enumerate(told["keys"])
            }
            texts = {int(row): str(text) for row, text in told["texts"]}
            part = ScanPart(n_rows=told["n_rows"], left_out=told["left_out"], sums=sums, texts=texts)
            return _like(told.get("like")), Start(*told["start"]), part
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise NotAScanTable(path=str(path), reason=str(error)[:80]) from error


def _check(began: dict[str, Any], now: dict[str, Any], path: Path) -> None:
    if {**began, "bytes": 0} != {**now, "bytes": 0}:
        raise OtherScan(path=str(path))
    if began != now:  # The file has become longer or shorter.
        raise OtherScanFile(path=str(path), file=now["file"])


def _like(told: Any) -> Likeness | None:
    return None if told is None else Likeness(str(told[0]), tuple(map(str, told[1])))


def _fields(sums: MeasureSums) -> list[tuple[str, Any]]:
    return [(each.name, getattr(sums, each.name)) for each in attrs.fields(MeasureSums)]
