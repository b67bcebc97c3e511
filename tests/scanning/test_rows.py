"""Where sentences come from."""

import json
from pathlib import Path

import pytest

from explorer.errors import CannotRead, NoSuchColumn, NotAFile, UnreadableFormat
from explorer.scanning.rows import SentenceRows, Start, rows_of

TEXTS = ["一", "二 2", "", "四", "五"]


def read(rows: SentenceRows, n: int, start: Start | None = None) -> list[str]:
    """All texts, portion by portion."""
    return [text for chunk in rows.chunks(start or Start(), n) for text in rows.read(chunk)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_lines_cells_and_fields_are_read_whatever_the_portions(tmp_path: Path, end: str, last: bool) -> None:
    """A line, the cell of a column, a field; with or without an end of the last line, from any portion on."""
    lines = {
        "a.txt": TEXTS,
        "b.tsv": [f"7\t{text}" for text in TEXTS],
        "c.jsonl": [json.dumps({"text": text}) for text in TEXTS],
    }
    for name, own in lines.items():
        path = tmp_path / name
        path.write_bytes((end.join(own) + (end if last else "")).encode())
        for n in (1, 2, 3, 9):
            rows = rows_of(path)
            assert read(rows, n) == TEXTS
            chunks = list(rows.chunks(Start(), n))
            assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
            assert rows.share(chunks[-1]) == 1.0
            assert read(rows, n, Start.after(chunks[0])) == TEXTS[n:]
        assert rows_of(path).about()["bytes"] == path.stat().st_size


def test_columns_are_chosen_by_number_or_name(tmp_path: Path) -> None:
    """A row that lacks it, or that is no object, has no text."""
    (tmp_path / "a.tsv").write_text("1\tcmn\t你好\n2\tcmn", encoding="utf-8")
    assert read(rows_of(tmp_path / "a.tsv", "3"), 9) == ["你好", ""]
    assert read(rows_of(str(tmp_path / "a.tsv")), 9) == ["你好", "cmn"]
    (tmp_path / "a.jsonl").write_text('{"zh": "你好"}\n{"zh": 3}\n[]\nno\n{"text": "x"}', encoding="utf-8")
    assert read(rows_of(tmp_path / "a.jsonl", "zh"), 2) == ["你好", "", "", "", ""]
    (tmp_path / "a.txt").write_bytes("\ufeff你好\n".encode() + b"\xff\n")
    assert read(rows_of(tmp_path / "a.txt"), 9) == ["你好", "\ufffd"]


def test_sentences_in_memory_are_cut_into_portions() -> None:
    """As those of a file."""
    rows = rows_of(tuple(TEXTS))
    assert read(rows, 2) == TEXTS and read(rows, 2, Start(1, 2)) == TEXTS[2:]
    assert rows.about() == {"sentences": 5} and rows.share(next(rows.chunks(Start(), 2))) == 0.4


def test_parquet_is_read_by_row_groups(tmp_path: Path) -> None:
    """Portions go across groups of rows; a missing column is named with those that there are."""
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [*TEXTS[:2], None, *TEXTS[3:]], "n": range(5)}), path, row_group_size=2)
    rows = rows_of(path)
    for n in (1, 3, 9):
        assert read(rows, n) == TEXTS
    assert read(rows, 2, Start(1, 2)) == TEXTS[2:]
    assert rows.share(next(rows.chunks(Start(), 5))) == 1.0 and rows.about()["column"] == "text"
    with pytest.raises(NoSuchColumn, match="text, n"):
        read(rows_of(path, "zh"), 2)
    assert read(rows_of(path, "n"), 9) == [""] * 5
    path.write_bytes(b"no parquet at all")
    with pytest.raises(CannotRead):
        read(rows_of(path), 2)


def test_files_that_cannot_be_read_are_refused_at_once(tmp_path: Path) -> None:
    """Another format, no such file, a folder, a column that is no number."""
    (tmp_path / "a.tsv").write_text("x", encoding="utf-8")
    (tmp_path / "folder.txt").mkdir()
    for name, column, error in (
        ("a.docx", "", UnreadableFormat),
        ("none.txt", "", CannotRead),
        ("folder.txt", "", NotAFile),
        ("a.tsv", "zh", NoSuchColumn),
        ("a.tsv", "0", NoSuchColumn),
    ):
        with pytest.raises(error):
            rows_of(tmp_path / name, column)
    rows = rows_of(tmp_path / "a.tsv")
    (tmp_path / "a.tsv").unlink()
    with pytest.raises(CannotRead):
        rows.about()
