"""A whole scan: its table, its end at any moment, and going on."""

import json
import random
import shutil
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

import attrs
import numpy as np
import psutil
import pytest

import explorer
from explorer.engine.request import Request
from explorer.errors import (
    ExtraMissing,
    NoSentences,
    NotAScanTable,
    OtherScan,
    OtherScanFile,
    OtherScanWeights,
    UnfinishedScan,
    UnknownFormat,
)
from explorer.resources import asset
from explorer.scanning.plan import ScanPlan
from explorer.scanning.progress_file import progress_path
from explorer.scanning.rows import Chunk, SentenceRows, rows_of
from explorer.scanning.run import scan_file, scan_rows
from explorer.scanning.table_file import is_scan_table, read_table, write_table
from explorer.scanning.workers import here, in_processes
from tests.scanning.fakes import fake
from tests.scanning.killed import plan_for
from tests.sweeps import exhaustive

Plan = Callable[..., ScanPlan]


class KilledError(Exception):
    """The end of a process, in a test."""


def killed_after(n: int) -> Callable[[ScanPlan, SentenceRows, Iterable[Chunk]], Iterator[tuple[Chunk, object]]]:
    """A measure that fails after so many portions."""

    def measure(plan: ScanPlan, rows: SentenceRows, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, object]]:
        for done, found in enumerate(fake(plan, rows, chunks)):
            if done == n:
                raise KilledError
            yield found

    return measure


def test_a_scan_that_is_gone_on_with_writes_the_same_bytes(plan: Plan, lines: Path, tmp_path: Path) -> None:
    """Wherever it ended before; what was kept beside the table is gone at last."""
    own, rows = plan("tiny", chunk_rows=7), rows_of(lines)
    told: list[tuple[float, int]] = []
    whole = scan_file(own, rows, tmp_path / "whole.json", measure=fake, told=lambda *now: told.append(now))
    assert told[-1] == (1.0, 52) and [n for _share, n in told] == sorted({n for _share, n in told})
    for ends in range(8):
        out = tmp_path / f"{ends}.json"
        with pytest.raises(KilledError):
            scan_file(own, rows, out, measure=killed_after(ends))
        assert not out.exists() and progress_path(out).exists() == (ends > 0)
        with pytest.raises(KilledError):
            scan_file(own, rows, out, resume=True, measure=killed_after(0))
        scan_file(own, rows, out, resume=True, measure=fake)
        assert out.read_bytes() == (tmp_path / "whole.json").read_bytes()
        assert not progress_path(out).exists()
    assert whole.n_measured == 51 and whole.left_out == {"error.empty_text": 1}


def test_an_unfinished_scan_is_neither_lost_nor_mixed_with_another(plan: Plan, lines: Path, tmp_path: Path) -> None:
    """Without --resume it is refused; so is another plan, another file, and a damaged one."""
    out, rows = tmp_path / "a.json", rows_of(lines)
    with pytest.raises(KilledError):
        scan_file(plan("tiny"), rows, out, measure=killed_after(1))
    with pytest.raises(UnfinishedScan, match="--resume"):
        scan_file(plan("tiny"), rows, out, measure=fake)
    for other in (plan("tiny", best=4), plan("tiny", seed=3), plan("tiny", chunk_rows=17)):
        with pytest.raises(OtherScan):
            scan_file(other, rows, out, resume=True, measure=fake)
    whole = lines.read_text(encoding="utf-8")
    for changed in ("他吃。", f"{whole}\n多一句。", whole.replace("他", "她")):  # shorter, longer, and as long as before
        lines.write_text(changed, encoding="utf-8")
        with pytest.raises(OtherScanFile) as refused:  # Its sentence cuts a long path short.
            scan_file(plan("tiny"), rows, out, resume=True, measure=fake)
        assert Path(str(refused.value.values["file"])).name == lines.name
    lines.write_text(whole, encoding="utf-8")
    for damaged in (b"", b"PK nothing", progress_path(out).read_bytes()[:-90]):
        progress_path(out).write_bytes(damaged)
        with pytest.raises(NotAScanTable):
            scan_file(plan("tiny"), rows, out, resume=True, measure=fake)


def test_tables_are_read_back_as_they_were_written(plan: Plan, sentences: tuple[str, ...], tmp_path: Path) -> None:
    """As JSON and as Parquet: the same rows, to the last bit."""
    table = scan_rows(plan("tiny"), rows_of(sentences), fake)
    formats = [".json"]
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        with pytest.raises(ExtraMissing, match="scan"):
            write_table(tmp_path / "a.parquet", table)
    else:
        formats.append(".parquet")
    for suffix in formats:
        path = tmp_path / f"a{suffix}"
        write_table(path, table)
        again = read_table(path)
        write_table(tmp_path / f"b{suffix}", again)
        assert (tmp_path / f"b{suffix}").read_bytes() == path.read_bytes()
        assert again.about == json.loads(json.dumps(dict(table.about))) and again.n_measured == 50
        for row, other in zip(table.rows(), again.rows(), strict=True):
            assert (row.attention, row.layer, row.head, row.count, row.best) == (
                other.attention,
                other.layer,
                other.head,
                other.count,
                other.best,
            )
            assert row.total == other.total and row.histogram.tolist() == other.histogram.tolist()
        assert is_scan_table(path)
    assert not is_scan_table(tmp_path / "none.json") and not is_scan_table(tmp_path)


def test_files_that_are_no_tables_are_refused(tmp_path: Path, plan: Plan, sentences: tuple[str, ...]) -> None:
    """Whatever JSON there may be in them; and whatever is changed in a table."""
    path = tmp_path / "a.json"
    write_table(path, scan_rows(plan("tiny"), rows_of(sentences), fake))
    text = path.read_text("utf-8")
    for damaged in (
        "",
        "[]",
        "{}",
        text[:-50],
        text.replace('"layer": 0', '"layer": 9'),
        text.replace('"best": [', '"worst": ['),
        text.replace('"histogram": [', '"histogram": [1, '),
        text.replace('"best": 3', '"best": 0'),
    ):
        assert damaged != text
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(NotAScanTable):
            read_table(path)
    with pytest.raises(UnknownFormat):
        write_table(tmp_path / "a.xlsx", scan_rows(plan("tiny"), rows_of(sentences), fake))


@pytest.mark.parametrize("key", ["layer", "head", "count", "total", "squares", "histogram", "best"])
def test_a_number_that_cannot_be_is_refused_at_once(key: str, tmp_path: Path, plan: Plan, sentences: tuple[str, ...]) -> None:
    """Without room for the heads that it claims. What is read can be written again: of a sum as well the square of its mean
    is a float, while a count may be large.
    """
    path = tmp_path / "a.json"
    write_table(path, scan_rows(plan("tiny"), rows_of(sentences), fake))
    told = json.loads(path.read_text("utf-8"))
    row = told["rows"][-1]
    for number in (10**8, 10**12, 1e200, 10**400, -1, 2**63, float("nan"), float("inf"), -float("inf"), None):
        inside, place = {"histogram": (row["histogram"], 3), "best": (row["best"][0], "value")}.get(key, (row, key))
        inside[place] = number
        path.write_text(json.dumps(told), encoding="utf-8")
        placed, counted = key in ("layer", "head"), key in ("count", "histogram")
        fine = not placed and (number in (10**8, 10**12) or (not counted and number in (-1, 2**63)))
        fine = fine or (number == 1e200 and key in ("squares", "best"))
        tracemalloc.start()
        try:
            with nullcontext() if fine else pytest.raises(NotAScanTable):
                write_table(tmp_path / "again.json", read_table(path))
            assert tracemalloc.get_traced_memory()[1] < 10 * path.stat().st_size + 2**22
        finally:
            tracemalloc.stop()


def test_a_corpus_without_a_sentence_has_no_table(plan: Plan, tmp_path: Path) -> None:
    """Neither an empty list nor empty lines."""
    (tmp_path / "a.txt").write_text("\n\n \n", encoding="utf-8")
    for rows in (rows_of(()), rows_of(tmp_path / "a.txt")):
        with pytest.raises(NoSentences):
            scan_rows(plan("tiny"), rows, fake)


def test_a_scan_is_not_gone_on_with_by_a_model_that_learned_meanwhile(plan: Plan, lines: Path, tmp_path: Path) -> None:
    """Whether it is of ours, or somebody's, or an adapter lies over it; with the old weights it goes on."""
    mine, adapter, out = tmp_path / "mine", tmp_path / "adapter", tmp_path / "a.json"
    shutil.copytree(asset("presets/translator"), mine)
    adapter.mkdir()
    own = plan("tiny")
    for wish, weights in (
        (Request.from_preset(str(mine), "").wish, mine / "weights.safetensors"),
        (attrs.evolve(own.wish, adapter=str(adapter)), adapter / "adapter_model.safetensors"),
    ):
        weights.touch()
        this, before = attrs.evolve(own, wish=wish), weights.read_bytes()
        with pytest.raises(KilledError):
            scan_file(this, rows_of(lines), out, measure=killed_after(1))
        weights.write_bytes(before[:-1] + b"\1")
        with pytest.raises(OtherScanWeights):
            scan_file(this, rows_of(lines), out, resume=True, measure=fake)
        weights.write_bytes(before)
        scan_file(this, rows_of(lines), out, resume=True, measure=fake)
        out.unlink()


def test_a_scan_of_an_older_version_is_gone_on_with(plan: Plan, lines: Path, tmp_path: Path) -> None:
    """What it was made of is not told in its file, and is believed."""
    out, rows = tmp_path / "a.json", rows_of(lines)
    with pytest.raises(KilledError):
        scan_file(plan("tiny"), rows, out, measure=killed_after(1))
    with np.load(progress_path(out)) as arrays:
        kept = dict(arrays)
    told = json.loads(kept["about"].tobytes())
    assert len(told.pop("like")) == 2
    kept["about"] = np.frombuffer(json.dumps(told).encode(), np.uint8)
    with progress_path(out).open("wb") as file:
        np.savez(file, **kept)
    assert scan_file(plan("tiny"), rows, out, resume=True, measure=fake).n_measured == 51


@pytest.mark.slow
def test_several_processes_give_the_same_table_to_the_bit(plan: Plan, lines: Path, tmp_path: Path) -> None:
    """The library's own answer, too."""
    own, rows = plan("tiny"), rows_of(lines)
    scan_file(own, rows, tmp_path / "one.json")
    scan_file(own, rows, tmp_path / "two.json", measure=in_processes(2))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    table = explorer.scan(lines.read_text("utf-8").split("\n"), ("entropy",), preset="tiny")
    again = read_table(tmp_path / "one.json")
    assert table.mean("encoder.self_attn", "entropy") == pytest.approx(again.mean("encoder.self_attn", "entropy"), rel=1e-6)


@exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(("processes", "most_kills"), [("0", 20), ("2", 3)])
def test_a_scan_killed_at_random_moments_ends_in_the_same_bytes(
    lines: Path, tmp_path: Path, processes: str, most_kills: int
) -> None:
    """Its processes end with it, nothing is counted twice, and nothing is lost."""
    command = [sys.executable, "-m", "tests.scanning.killed", str(lines), processes]
    n = int(processes)
    scan_file(plan_for(n), rows_of(lines), tmp_path / "whole.json", measure=here if n else fake)
    out, chance, kills = tmp_path / "killed.json", random.Random(18), 0
    for _kill in range(most_kills):
        process, before = subprocess.Popen([*command, str(out)], stderr=subprocess.DEVNULL), stamp(progress_path(out))
        while process.poll() is None and stamp(progress_path(out)) == before and not out.exists():
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.02))  # It is then at a moment that nobody has chosen.
        children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.kill()
        process.wait(60)
        assert psutil.wait_procs(children, timeout=60)[1] == []
        kills += not out.exists()
    subprocess.run([*command, str(out)], check=True, timeout=300)
    assert kills > 1
    assert out.read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert not progress_path(out).exists() and list(tmp_path.glob(".*.unfinished*")) == []


def stamp(path: Path) -> int:
    """When a file was written; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
