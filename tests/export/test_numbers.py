"""Numbers in files: they come back as the very float32."""

import csv
import errno
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError
from safetensors.numpy import load_file

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import CannotWrite, DiskFull
from explorer.export import numbers
from explorer.picture.figure.kinds import tables
from explorer.picture.kinds import Axis
from explorer.picture.makers.attention import mask_map
from explorer.picture.makers.attention_steps import head_split
from explorer.picture.tables import Table
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace
from tests.picture.examples import example, words

WEIGHTS = "decoder.layers.0.self_attn.weights"
MASKED = "decoder.layers.0.self_attn.masked"


def write(path: Path, trace: Trace, taps: tuple[str, ...], head: int | None = None) -> dict[str, Array]:
    chosen = numbers.selection(trace, taps, head, words())
    numbers.write_csv(path, chosen)
    return {table.name: table.values for table in chosen}


def table(values: Array, rows: tuple[str, ...] = (), columns: tuple[str, ...] = (), head: int | None = None) -> Table:
    return Table("x", values, Axis("p", rows), Axis("f", columns), head)


def read(path: Path) -> tuple[dict[str, Array], list[list[str]]]:
    """Tap and head to the array in a file, and its header lines."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    maps: dict[str, list[list[np.float32]]] = {}
    for line in lines:
        if line[0] != "tap":
            maps.setdefault(f"{line[0]} {line[1]}".strip(), []).append([np.float32(value) for value in line[4:]])
    return {name: np.array(rows, np.float32) for name, rows in maps.items()}, [line for line in lines if line[0] == "tap"]


@given(st.floats(width=32))
def test_a_number_in_text_is_the_same_float32(value: float) -> None:
    """All finite values, both zeros, both infinities, NaN."""
    back = np.float32(numbers.exact(np.float32(value)))
    assert back.tobytes() == np.float32(value).tobytes() or (np.isnan(back) and np.isnan(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1"), (1e-30, "1.0e-30"), (-0.0, "-0.0"), (float("-inf"), "-inf"), (2.0, "2.0"), (1e7, "1.0e+07")],
)
def test_a_number_is_written_short(value: float, text: str) -> None:
    """As few figures as give it back."""
    assert numbers.exact(np.float32(value)) == text


def test_a_csv_gives_back_every_float32(tmp_path: Path) -> None:
    """Heads, tokens and masked -inf included."""
    trace = example()
    arrays = write(tmp_path / "a.csv", trace, (WEIGHTS, MASKED, "decoder.norm"))
    back, headers = read(tmp_path / "a.csv")
    assert np.isneginf(arrays[MASKED]).any()
    for tap in (WEIGHTS, MASKED):
        for head in range(4):
            np.testing.assert_array_equal(back[f"{tap} {head}"], trace[tap][head])
    np.testing.assert_array_equal(back["decoder.norm"], trace["decoder.norm"])
    assert headers[0] == ["tap", "head", "row", "label", "我", "爱", "北京", "天安门"]
    assert headers[2][:6] == ["tap", "head", "row", "label", "0", "1"]


def test_a_csv_of_one_head_says_which(tmp_path: Path) -> None:
    """The column is filled, and stays empty where there are no heads."""
    trace = example()
    write(tmp_path / "a.csv", trace, (WEIGHTS, "decoder.norm"), 2)
    back, _headers = read(tmp_path / "a.csv")
    assert set(back) == {f"{WEIGHTS} 2", "decoder.norm"}
    np.testing.assert_array_equal(back[f"{WEIGHTS} 2"], trace[WEIGHTS][2])


def test_a_csv_has_no_language_and_no_mark(tmp_path: Path) -> None:
    """The same bytes whatever the window speaks; the first byte is the header's."""
    for language in ("zh", "en"):
        numbers.write_csv(tmp_path / language, numbers.selection(example(), (WEIGHTS, "decoder.norm"), None, words(language)))
    assert (tmp_path / "zh").read_bytes() == (tmp_path / "en").read_bytes()
    assert (tmp_path / "zh").read_bytes().startswith(b"tap,head,row,label,")


def test_a_csv_of_nothing_but_oddities(tmp_path: Path) -> None:
    """NaN and infinities stand in it by name; a row may have no label."""
    odd = np.array([[np.nan, np.inf, -np.inf, -0.0]], np.float32)
    numbers.write_csv(tmp_path / "a.csv", [table(odd)])
    np.testing.assert_array_equal(read(tmp_path / "a.csv")[0]["x"], odd)
    assert "x,,0,,nan,inf,-inf,-0.0" in (tmp_path / "a.csv").read_text(encoding="utf-8")


def test_tokens_with_commas_and_quotes_stay_one_field(tmp_path: Path) -> None:
    """A spreadsheet must not see more columns than there are."""
    labels = (',"', "a\tb")
    values = np.zeros((2, 2), np.float32)
    numbers.write_csv(tmp_path / "a.csv", [table(values, labels, labels)])
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0][4:] == list(labels) and [line[3] for line in lines[1:]] == list(labels)


FORMULAS = ("=1+1", "@SUM(A1)", "+1+1", "-1+2", "\t=1", "\r=1", "=", "-", "-1", "+2.5e-3", "'=1", "''@a", "'s", "a=b", "")


@pytest.mark.parametrize("write", [numbers.write_csv, numbers.write_long_csv])
def test_no_text_of_a_csv_is_a_formula_and_numbers_stay_numbers(write: Any, tmp_path: Path) -> None:
    """An apostrophe stands before one, wherever texts stand: names, heads of columns, labels. Taken off, the text is there."""
    values = np.full((len(FORMULAS), len(FORMULAS)), -1.5, np.float32)
    write(tmp_path / "a.csv", [Table("=cmd|' /C calc'!A0", values, Axis("token", FORMULAS), Axis("token", FORMULAS))])
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    cells = {cell for row in (header, *rows) for cell in row}
    begins = {cell for cell in cells if cell[:1] in ("=", "@", "+", "-", "\t", "\r")}
    assert begins == {"=", "-", "-1", "+2.5e-3", "-1.5"}
    assert {re.sub(r"^'(?='*[=+\-@\t\r].)", "", cell) for cell in cells} >= {*FORMULAS, "=cmd|' /C calc'!A0"}


def test_archives_hold_the_recorded_tensors(tmp_path: Path) -> None:
    """NumPy and safetensors, all taps, equal to what explore returned."""
    trace = example()
    everything = numbers.selection(trace, trace.names(), None, words())
    numbers.write_npz(tmp_path / "a.npz", everything)
    numbers.write_safetensors(tmp_path / "a.safetensors", everything)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as packed:
        for kept in (packed, load_file(tmp_path / "a.safetensors")):
            assert set(kept.keys()) == set(trace.names())
            for name in trace.names():
                np.testing.assert_array_equal(kept[name], trace[name])
                assert kept[name].dtype == np.float32


def test_one_head_is_cut_out_where_there_are_heads() -> None:
    """A tap without heads stays whole."""
    trace = example()
    weights, norm = numbers.selection(trace, (WEIGHTS, "decoder.norm"), 2, words())
    np.testing.assert_array_equal(weights.values, trace[WEIGHTS][2])
    assert (weights.head, norm.head, norm.values.shape) == (2, None, (4, 64))


@pytest.mark.parametrize("writer", [numbers.write_npz, numbers.write_safetensors])
def test_a_place_that_is_no_folder_is_the_users_error(writer: object, tmp_path: Path) -> None:
    """And nothing is left behind."""
    (tmp_path / "file").write_text("old")
    with pytest.raises(CannotWrite):
        writer(tmp_path / "file" / "a.npz", [table(np.zeros((1, 1), np.float32))])
    assert (tmp_path / "file").read_text() == "old" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("Error while serializing: I/O error: No space left on device (os error 28)", DiskFull), ("odd", CannotWrite)],
)
def test_safetensors_own_error_is_understood(reason: str, kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library puts the system's error into a sentence; the old file stays."""

    def broken(_arrays: object, _path: object) -> None:
        raise SafetensorError(reason)

    monkeypatch.setattr(numbers, "save_file", broken)
    (tmp_path / "a").write_text("old")
    with pytest.raises(CannotWrite) as raised:
        numbers.write_safetensors(tmp_path / "a", [])
    assert type(raised.value) is kind and (tmp_path / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CSV too."""

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(DiskFull):
        write(tmp_path / "a.csv", example(), (WEIGHTS,))
    assert (tmp_path / "a.csv").read_text() == "old"


def test_a_large_mask_is_written_with_its_closed_cells() -> None:
    """Painted from levels it has no NaN of its own; its numbers do."""
    trace = Computer()(Request.from_preset("tiny", "我爱北京" * 300, max_len=4096)).trace
    made = mask_map(trace, Look(attention="decoder.self_attn"), words("en"))
    assert made.levels is not None and made.closed is not None
    (written,) = tables(made)
    assert np.array_equal(np.isnan(written.values), made.closed)


def test_heads_beside_each_other_are_named_by_their_numbers() -> None:
    """Not by their places among the bands."""
    names = [each.name for each in tables(head_split(example(), Look(), words("en")))]
    assert names == [f"encoder.layers.0.self_attn.query.head{head}" for head in range(4)]
