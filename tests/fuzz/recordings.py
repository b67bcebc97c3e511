"""What other programs write and anybody may send: recordings with a card, and tables of scans, shown and written again."""

import json
from contextlib import suppress

import numpy as np

import explorer
from explorer.app.lessons.ticks import load_ticks, ticks_path
from explorer.cli.breaking import read_alterations
from explorer.export.numbers import selection, write_csv, write_long_csv
from explorer.lang import Words
from explorer.scanning.table_file import is_scan_table, read_table, write_table
from explorer.trace.measures.scan_sums import N_BINS, MeasureSums, ScanPart
from explorer.trace.measures.scan_table import ScanTable
from explorer.trace.trace import Trace
from tests.fuzz import damage, documents, traces
from tests.fuzz.trial import Trial
from tests.trace.files import test_recorded_file as recorded


def cards(trial: Trial) -> None:
    """A recording whose card, in it or beside it, says what cannot be; what is read is shown and written."""
    chance = trial.chance
    told = recorded.card(target="好", tokens={"source": [{"text": each, "id": 1, "known": True} for each in recorded.WORDS]})
    said = documents.written(chance.choice((told, recorded.card())), chance)
    path = trial.folder / "recorded.npz"
    tensors = recorded.tensors()
    if chance.random() < 0.5:
        tensors["card.json"] = np.array(said.decode("utf-8", "surrogateescape").replace("\0", ""))
    elif chance.random() < 0.2:
        damage.put_odd(path.with_suffix(".json"), chance)
    else:
        path.with_suffix(".json").write_bytes(said)
    np.savez(path, **tensors)
    with trial.asking():
        _written(explorer.Trace.load(path), trial)


def scans(trial: Trial) -> None:
    """A table of a scan with other numbers and texts."""
    chance = trial.chance
    path = trial.folder / "scan.json"
    write_table(path, _table())
    if chance.random() < 0.1:
        damage.put_odd(path, chance)
    else:
        told = json.loads(path.read_bytes())
        if chance.random() < 0.3:
            row = told["rows"][-1]
            row[chance.choice(("layer", "head"))] = chance.choice((10**8, 10**12, 10**400, -1, 2**63))
        path.write_bytes(documents.written(told, chance))
    is_scan_table(path)
    with trial.asking():
        table = read_table(path)
        trial.beat()
        traces.check_text(repr(table), trial, "repr of a table")
        write_table(trial.folder / "again.json", table)
        for measure in table.measures:
            table.rows(measure)


def papers(trial: Trial) -> None:
    """The other JSON that is read: a file of changes, which are made, and how far somebody has come in the lessons."""
    chance = trial.chance
    rows = [
        {"tap": "encoder.layers.0.self_attn.mixed", "kind": "scale", "head": 1, "value": 0.5},
        {"tap": "decoder.layers.0.residual1", "kind": "patch", "rows": [0], "text": "好"},
        {"tap": "encoder.layers.0.self_attn.weights", "kind": "set", "rows": [0], "columns": [1], "value": 0.2},
    ]
    path = trial.folder / "changes.json"
    path.write_bytes(documents.written(chance.choice((rows, {"changes": rows, "config": {"mask_value": "-inf"}})), chance))
    if chance.random() < 0.1:
        damage.put_odd(path, chance)
    with trial.asking():
        changes, knobs = read_alterations(path)
        trial.beat()
        traces.check_said(explorer.explore("我爱北京", preset="tiny", changes=changes, **knobs), trial)
    ticks = ticks_path()
    if ticks.is_fifo() or ticks.is_symlink() or not ticks.is_file():
        with suppress(OSError):
            ticks.unlink(missing_ok=True)
    ticks.parent.mkdir(parents=True, exist_ok=True)
    if not ticks.is_dir():
        ticks.write_bytes(documents.written({"tour": {"place": 3, "done": [0, 1]}, "a1": {"place": 0, "done": []}}, chance))
        if chance.random() < 0.1:
            damage.put_odd(ticks, chance)
    load_ticks()


def _written(trace: Trace, trial: Trial) -> None:
    """All that a person can make of a Trace is made."""
    traces.check_said(trace, trial)
    words = Words.load(trial.chance.choice(("zh", "en")))
    taps = tuple(name for name in trace.names() if len(trace.axes(name)) > 1)[:3]
    tables = selection(trace, taps, None, words)
    write_csv(trial.folder / "a.csv", tables)
    write_long_csv(trial.folder / "a.long.csv", tables)
    traces.check_cells(trial.folder / "a.csv", trial)
    traces.check_cells(trial.folder / "a.long.csv", trial)
    if taps:
        for suffix in ("svg", "html", "csv"):
            trace.figure(taps[0]).save(trial.folder / f"figure.{suffix}")
    trace.save(trial.folder / "again.npz")
    explorer.Trace.load(trial.folder / "again.npz")


def _table() -> ScanTable:
    """Two layers of three heads, on five sentences."""
    shape = (2, 3)
    sums = MeasureSums(
        count=np.full(shape, 5),
        total=np.full(shape, 2.5),
        squares=np.full(shape, 1.5),
        histogram=np.ones((*shape, N_BINS), np.int64),
        best=np.tile([0.9, 0.5], (*shape, 1)),
        rows=np.tile([3, 1], (*shape, 1)),
    )
    about = {"preset": "tiny", "best": 2}
    found = {("encoder.self_attn", "entropy"): sums}
    return ScanTable(
        about=about, part=ScanPart(n_rows=5, left_out={"error.empty_text": 0}, sums=found, texts={3: "他看书", 1: "好"})
    )
