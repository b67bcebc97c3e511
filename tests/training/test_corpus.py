"""The data file: columns by name, bad rows told with their lines, and everything else kept as it is."""

from pathlib import Path

import pytest

from explorer.errors import CannotRead, NotACorpus
from explorer.lang import LANGUAGES, Words
from explorer.training.corpus import SPLITS, BadRow, read_corpus

HEADER = "split\tzh\ten"


def written(path: Path, *rows: str | bytes, header: str = HEADER, end: bytes = b"\n") -> Path:
    """A data file of these rows."""
    path.write_bytes(end.join(row if isinstance(row, bytes) else row.encode() for row in (header, *rows)) + end)
    return path


def test_each_row_goes_to_its_split_in_the_order_of_the_file(tmp_path: Path) -> None:
    """With the line on which it stands."""
    corpus = read_corpus(written(tmp_path / "x.tsv", "train\t一\tone", "test\t二\ttwo", "valid\t三\tthree", "train\t四\tfour"))

    assert corpus.train == (("一", "one"), ("四", "four"))
    assert corpus.valid == (("三", "three"),)
    assert corpus.test == corpus.split("test") == (("二", "two"),)
    assert corpus.lines == {"train": (2, 5), "valid": (4,), "test": (3,)}
    assert corpus.bad == ()


def test_a_turned_corpus_has_english_sources(tmp_path: Path) -> None:
    """The splits, the lines and the bad rows stay."""
    corpus = read_corpus(written(tmp_path / "x.tsv", "train\t一\tone", "valid\t三\tthree", "bad"))
    turned = corpus.turned()

    assert (turned.train, turned.valid, turned.test) == ((("one", "一"),), (("three", "三"),), ())
    assert (turned.bad, turned.lines) == (corpus.bad, corpus.lines)
    assert turned.turned() == corpus


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    """In any order, with others between them."""
    path = written(tmp_path / "x.tsv", "one\t7\ttrain\t一", header="en\tid\tsplit\tzh")

    assert read_corpus(path).train == (("一", "one"),)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_from_windows_is_the_same(tmp_path: Path, end: bytes, mark: str) -> None:
    """Its line ends and its byte order mark are no part of a column's name or of a sentence."""
    path = written(tmp_path / "x.tsv", "train\t一\tone", header=mark + HEADER, end=end)

    assert read_corpus(path).train == (("一", "one"),)
    assert read_corpus(path).bad == ()


BAD = {
    "not_utf8": b"train\t\xff\xfe\tone",
    "columns": "train\t一",
    "split": "dev\t一\tone",
    "empty": "train\t \tone",
    "control_character": "train\t一\x00\tone",
}


@pytest.mark.parametrize(("reason", "row"), BAD.items())
def test_a_bad_row_is_told_with_its_line_and_left_out(tmp_path: Path, reason: str, row: str | bytes) -> None:
    """The rows around it are kept."""
    corpus = read_corpus(written(tmp_path / "x.tsv", "train\t一\tone", row, "train\t二\ttwo"))

    assert corpus.bad == (BadRow(3, reason),)
    assert corpus.train == (("一", "one"), ("二", "two"))
    assert corpus.lines["train"] == (2, 4)


@pytest.mark.parametrize("row", ["train\t一\tone\tmore", "\t\t", "train\t\t", "train\t一\t\u3000"])
def test_rows_that_look_nearly_right_are_bad(tmp_path: Path, row: str) -> None:
    """One column too many, or nothing in a column."""
    assert [each.line for each in read_corpus(written(tmp_path / "x.tsv", row)).bad] == [2]


def test_an_empty_line_is_no_row(tmp_path: Path) -> None:
    """It counts as a line and as nothing else."""
    corpus = read_corpus(written(tmp_path / "x.tsv", "", "train\t一\tone", "", "bad"))

    assert corpus.train == (("一", "one"),)
    assert corpus.bad == (BadRow(5, "columns"),)


def test_a_rare_line_separator_breaks_no_line(tmp_path: Path) -> None:
    """Only \\n does: line numbers are those of an editor."""
    corpus = read_corpus(written(tmp_path / "x.tsv", "train\t一\u2028二\tone", "bad"))

    assert corpus.train == (("一\u2028二", "one"),)
    assert corpus.bad == (BadRow(3, "columns"),)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_its_words(language: str) -> None:
    """In both languages, the one of a row that is too long as well."""
    words = Words.load(language)

    assert [reason for reason in (*BAD, "too_long") if f"corpus.{reason}" not in words] == []


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"zh\ten\n", "split\tzh\ten".encode("utf-16"), b"\x89PNG\r\n\x1a\n\0\0", b"PK\x03\x04"]
)
def test_a_file_without_the_columns_is_no_corpus(tmp_path: Path, content: bytes) -> None:
    """The sentence says which ones are needed."""
    path = tmp_path / "x.tsv"
    path.write_bytes(content)
    with pytest.raises(NotACorpus) as caught:
        read_corpus(path)

    assert "split, zh, en" in Words.load("zh").error(caught.value)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A folder, and a file that is not there."""
    for path in (tmp_path, tmp_path / "none.tsv"):
        with pytest.raises(CannotRead) as caught:
            read_corpus(path)
        assert str(path) in Words.load("en").error(caught.value)


def test_there_are_three_splits() -> None:
    """A name outside them is a bug."""
    assert SPLITS == ("train", "valid", "test")


def test_a_file_with_holes_is_not_read(tmp_path: Path) -> None:
    """Ten terabytes that take no room on the disk."""
    path = tmp_path / "x.tsv"
    with path.open("wb") as file:
        file.write(b"split\tzh\ten\n")
        file.truncate(10 * 2**40)
    with pytest.raises(CannotRead):
        read_corpus(path)
