"""The table of a scan on disk: Parquet for other programs, or JSON, which needs no library. Both hold the same rows.

Decision: the rows hold sums beside means, so that anybody can add up the tables of two halves of a corpus. Nothing here needs
torch, because the window opens these files.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from explorer.errors import CannotRead, NotAScanTable, UnknownFormat
from explorer.files import opened, read_whole, replacing
from explorer.json_text import read_json_text
from explorer.lang import LANGUAGES, Words
from explorer.scanning.arrow import arrow, parquet
from explorer.trace.measures.scan_sums import N_BINS, MeasureSums, ScanPart
from explorer.trace.measures.scan_table import HeadRow, ScanTable

SUFFIXES = (".parquet", ".json")
_KEY = "transformer-explorer-scan"
_MOST_BYTES = 2**28


def check_suffix(path: Path) -> None:
    """Refuse a file name without a known format. Raises UnknownFormat, and ExtraMissing for Parquet without pyarrow."""
    if path.suffix.lower() not in SUFFIXES:
        raise UnknownFormat(name=path.suffix or path.name, known=", ".join(SUFFIXES))
    if path.suffix.lower() == ".parquet":
        parquet()


def write_table(path: Path, table: ScanTable) -> None:
    """Write a table; an older one is replaced when it is complete. Raises UnknownFormat, CannotWrite, DiskFull."""
    check_suffix(path)
    reasons = {key: {each: Words.load(each).kind_of_error(key) for each in LANGUAGES} for key in table.left_out}
    about = {**table.about, "n_rows": table.n_rows, "left_out": dict(table.left_out), "reasons": reasons}
    rows = [_told(row) for row in table.rows()]
    with replacing(path) as unfinished:
        if path.suffix.lower() == ".json":
            text = json.dumps({_KEY: about, "rows": rows}, ensure_ascii=False, allow_nan=False)
            unfinished.write_text(text, encoding="utf-8")
        else:
            made = arrow().Table.from_pylist(rows, schema=_schema())
            named = {_KEY: json.dumps(about, ensure_ascii=False)}
            parquet().write_table(made.replace_schema_metadata(named), unfinished)


def read_table(path: Path) -> ScanTable:
    """What `write_table` wrote. Raises NotAScanTable, CannotRead, NotAFile, and ExtraMissing for Parquet without pyarrow."""
    try:
        about, rows = (_read_json if path.suffix.lower() == ".json" else _read_parquet)(path)
        return _table(about, rows)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise NotAScanTable(path=str(path), reason=str(error).partition("\n")[0][:80]) from error


def is_scan_table(path: Path) -> bool:
    """Whether a dropped or chosen file may be one: a Parquet file, or JSON that begins like one."""
    if path.suffix.lower() != ".json":
        return path.suffix.lower() == ".parquet"
    try:
        with opened(path) as file:
            return file.read(len(_KEY) + 4).startswith(f'{{"{_KEY}"'.encode())
    except CannotRead:
        return False


def _read_json(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = read_json_text(read_whole(path, _MOST_BYTES))
    return found[_KEY], found["rows"]


def _read_parquet(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    library = parquet()
    opened(path).close()  # The library opens the file by its name, and would wait for a pipe.
    try:
        found = library.read_table(path)
    except OSError as error:
        raise CannotRead(path=str(path), reason=str(error).partition("\n")[0][:80]) from error
    return read_json_text((found.schema.metadata or {})[_KEY.encode()]), found.to_pylist()


def _told(row: HeadRow) -> dict[str, Any]:
    """A row as values of a file: NaN is null, and the best sentences are a list."""
    told = attrs.asdict(row, recurse=False)
    return {
        **told,
        "mean": row.mean if row.count else None,
        "deviation": row.deviation if row.count else None,
        "histogram": row.histogram.tolist(),
        "best": [attrs.asdict(each) for each in row.best],
    }


def _schema() -> Any:
    types = arrow()
    best = types.struct([("value", types.float64()), ("row", types.int64()), ("text", types.string())])
    numbers = [(name, types.float64()) for name in ("total", "squares", "mean", "deviation")]
    return types.schema(
        [
            ("attention", types.string()),
            ("layer", types.int32()),
            ("head", types.int32()),
            ("measure", types.string()),
            ("count", types.int64()),
            *numbers,
            ("histogram", types.list_(types.int64())),
            ("best", types.list_(best)),
        ]
    )


def _table(about: dict[str, Any], rows: Iterable[dict[str, Any]]) -> ScanTable:
    """The table of a file's rows. Raises ValueError, KeyError and TypeError for anything that does not fit together."""
    json.dumps(about, allow_nan=False)  # Check that the scan's record can be written again.
    most = int(about["best"])
    if not 1 <= most <= 1000:
        raise ValueError(most)
    by_key: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        by_key.setdefault((str(row["attention"]), str(row["measure"])), []).append(row)
    texts = {int(each["row"]): str(each["text"]) for own in by_key.values() for row in own for each in row["best"]}
    sums = {key: _sums(own, most) for key, own in by_key.items()}
    left_out = {str(key): int(n) for key, n in about.pop("left_out").items()}
    about.pop("reasons", None)  # For other programs; here the keys of `left_out` say the same.
    return ScanTable(about=about, part=ScanPart(n_rows=int(about.pop("n_rows")), left_out=left_out, sums=sums, texts=texts))


def _sums(rows: list[dict[str, Any]], most: int) -> MeasureSums:
    """The sums of the heads of one attention, whose rows come layer by layer. Raises ValueError for numbers that cannot be."""
    places = [(row["layer"], row["head"]) for row in rows]
    shape = max(layer for layer, _head in places) + 1, max(head for _layer, head in places) + 1
    # Check the number of rows first: a row may name any layer, and room for all of them would fill the memory.
    if shape[0] * shape[1] != len(rows) or places != list(np.ndindex(shape)):
        raise ValueError(rows[0]["attention"])
    lacking = [{"value": -np.inf, "row": -1}] * most
    best = [[*row["best"], *lacking][:most] for row in rows]
    made = MeasureSums(
        count=np.array([row["count"] for row in rows], np.int64).reshape(shape),
        total=np.array([row["total"] for row in rows], np.float64).reshape(shape),
        squares=np.array([row["squares"] for row in rows], np.float64).reshape(shape),
        histogram=np.array([row["histogram"] for row in rows], np.int64).reshape(*shape, N_BINS),
        best=np.array([[each["value"] for each in own] for own in best], np.float64).reshape(*shape, most),
        rows=np.array([[each["row"] for each in own] for own in best], np.int64).reshape(*shape, most),
    )
    # The deviation takes the mean's square, which may be too large for a number where the sum is not.
    with np.errstate(over="ignore"):
        square = np.where(made.count > 0, made.mean, 0.0) ** 2
    best_values = np.where(made.rows >= 0, made.best, 0.0)
    if not all(np.isfinite(numbers).all() for numbers in (made.total, made.squares, square, best_values)):
        raise ValueError("NaN / ∞")
    if made.count.min() < 0 or made.histogram.min() < 0:
        raise ValueError("< 0")
    return made
