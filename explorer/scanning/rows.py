"""The sentences of a scan, from a file of lines, TSV, JSONL or Parquet, or a list, in numbered portions that can be read alone.

A file is never held whole in memory: one reading finds where portions begin, and the process that measures a portion reads it.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import attrs

from explorer.errors import CannotRead, NoSuchColumn, UnreadableFormat
from explorer.files import opened
from explorer.json_text import read_json_text
from explorer.scanning.arrow import parquet

_TEXT = "text"  # the column of JSONL and Parquet where none is named


@attrs.frozen
class Chunk:
    """A portion: its number, the number of its first row, how many rows it has, and its bytes in a file of lines."""

    number: int
    first_row: int
    n_rows: int
    offset: int = 0
    n_bytes: int = 0

    @property
    def next_row(self) -> int:
        """The number of the row after it."""
        return self.first_row + self.n_rows


@attrs.frozen
class Start:
    """Where a scan continues: the number of the next portion, its first row, and its place in a file of lines."""

    number: int = 0
    row: int = 0
    offset: int = 0

    @classmethod
    def after(cls, chunk: Chunk) -> "Start":
        """Behind a portion."""
        return cls(chunk.number + 1, chunk.next_row, chunk.offset + chunk.n_bytes)


class SentenceRows(Protocol):
    """Sentences in portions."""

    @property
    def path(self) -> Path | None:
        """The file with the sentences; None for a list."""

    def about(self) -> dict[str, Any]:
        """The facts by which a resumed scan recognizes them."""

    def chunks(self, start: Start, n_rows: int) -> Iterator[Chunk]:
        """The portions from a place on, of `n_rows` each; the last one may have fewer."""

    def read(self, chunk: Chunk) -> list[str]:
        """The texts of a portion; "" for a row without one."""

    def share(self, chunk: Chunk) -> float:
        """How much of all has been read behind a portion, from 0 to 1."""


@attrs.frozen
class ListedRows:
    """Sentences in memory."""

    texts: tuple[str, ...]

    @property
    def path(self) -> None:
        """There is no file."""
        return

    def about(self) -> dict[str, Any]:
        """Their number; no other process resumes a scan of a list."""
        return {"sentences": len(self.texts)}

    def chunks(self, start: Start, n_rows: int) -> Iterator[Chunk]:
        """Slices."""
        for number, row in enumerate(range(start.row, len(self.texts), n_rows), start.number):
            yield Chunk(number, row, min(n_rows, len(self.texts) - row))

    def read(self, chunk: Chunk) -> list[str]:
        """The texts of a portion."""
        return list(self.texts[chunk.first_row : chunk.next_row])

    def share(self, chunk: Chunk) -> float:
        """By sentences."""
        return chunk.next_row / len(self.texts)


@attrs.frozen
class LineRows:
    """A file with a sentence on each line, which `text_of` finds in it. Raises CannotRead, NotAFile when it is read."""

    path: Path
    column: str
    text_of: Callable[[str, str], str]

    def about(self) -> dict[str, Any]:
        """The file's name, size and column."""
        return {"file": self.path.name, "bytes": _size(self.path), "column": self.column}

    def chunks(self, start: Start, n_rows: int) -> Iterator[Chunk]:
        """Each line is read, and only its length is kept."""
        number, row, offset, begins = start.number, start.row, start.offset, start.offset
        with opened(self.path) as file:
            file.seek(offset)
            first = row
            for line in file:
                row, offset = row + 1, offset + len(line)
                if row - first == n_rows:
                    yield Chunk(number, first, n_rows, begins, offset - begins)
                    number, first, begins = number + 1, row, offset
        if row > first:
            yield Chunk(number, first, row - first, begins, offset - begins)

    def read(self, chunk: Chunk) -> list[str]:
        """The lines of a portion; bytes that are no UTF-8 become U+FFFD."""
        with opened(self.path) as file:
            file.seek(chunk.offset)
            lines = file.read(chunk.n_bytes).split(b"\n")[: chunk.n_rows]
        encoding = "utf-8-sig" if chunk.offset == 0 else "utf-8"
        return [self.text_of(line.decode(encoding, errors="replace").rstrip("\r"), self.column) for line in lines]

    def share(self, chunk: Chunk) -> float:
        """By bytes."""
        return (chunk.offset + chunk.n_bytes) / max(1, _size(self.path))


@attrs.frozen
class ParquetRows:
    """A column of a Parquet file. Raises ExtraMissing without pyarrow, NoSuchColumn, CannotRead."""

    path: Path
    column: str

    def about(self) -> dict[str, Any]:
        """The file's name, size and column."""
        return {"file": self.path.name, "bytes": _size(self.path), "column": self.column}

    def chunks(self, start: Start, n_rows: int) -> Iterator[Chunk]:
        """By numbers of rows; nothing is read but the file's end."""
        total = self._opened().metadata.num_rows
        for number, row in enumerate(range(start.row, total, n_rows), start.number):
            yield Chunk(number, row, min(n_rows, total - row))

    def read(self, chunk: Chunk) -> list[str]:
        """The texts of a portion, from the groups of rows that have them."""
        file, texts, row = self._opened(), list[str](), 0
        for group in range(file.num_row_groups):
            end = row + file.metadata.row_group(group).num_rows
            if end > chunk.first_row and row < chunk.next_row:
                values = file.read_row_group(group, columns=[self.column]).column(0)
                first = max(0, chunk.first_row - row)
                own = values.slice(first, min(end, chunk.next_row) - row - first).to_pylist()
                texts += [value if isinstance(value, str) else "" for value in own]
            row = end
        return texts

    def share(self, chunk: Chunk) -> float:
        """By rows."""
        total: int = self._opened().metadata.num_rows
        return chunk.next_row / max(1, total)

    def _opened(self) -> Any:
        library = parquet()
        opened(self.path).close()  # The library opens the file by its name, and would wait for a pipe.
        try:
            file = library.ParquetFile(self.path)
        except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors.
            raise CannotRead(path=str(self.path), reason=str(error).partition("\n")[0][:80]) from error
        if self.column not in file.schema_arrow.names:
            raise NoSuchColumn(path=str(self.path), name=self.column, known=", ".join(file.schema_arrow.names))
        return file


def rows_of(source: str | Path | Sequence[str], column: str = "") -> SentenceRows:
    """The rows of a file by its suffix, or of a list of sentences.

    `column` is the number of a TSV's column from 1 (its last one if empty), or a name in JSONL and Parquet ("text" if empty).
    Raises UnreadableFormat, NoSuchColumn, CannotRead.
    """
    if not isinstance(source, str | Path):
        return ListedRows(tuple(source))
    path = Path(source)
    kind = path.suffix.lower()
    if kind == ".parquet":
        return ParquetRows(path, column or _TEXT)
    if kind not in _TEXT_OF:
        raise UnreadableFormat(name=kind or path.name, known=", ".join((*_TEXT_OF, ".parquet")))
    if kind == ".tsv" and column and not (column.isascii() and column.isdigit() and int(column)):
        raise NoSuchColumn(path=str(path), name=column, known="1, 2, 3, …")
    opened(path).close()
    return LineRows(path, column, _TEXT_OF[kind])


def _line(line: str, _column: str) -> str:
    return line


def _cell(line: str, column: str) -> str:
    """The cell of a TSV's line; "" where it has fewer."""
    cells = line.split("\t")
    if not column:
        return cells[-1]
    return cells[int(column) - 1] if int(column) <= len(cells) else ""


def _field(line: str, column: str) -> str:
    """The text of a line of JSONL; "" where it is no object with such a text."""
    try:
        value = read_json_text(line)[column or _TEXT]
    except (ValueError, KeyError, TypeError, IndexError):
        return ""
    return value if isinstance(value, str) else ""


_TEXT_OF: dict[str, Callable[[str, str], str]] = {".txt": _line, ".tsv": _cell, ".jsonl": _field}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise CannotRead(path=str(path), reason=error.strerror or str(error)) from error
