"""The sentences of a search for what a change breaks: bundled rows that nothing was trained on, or a user's own."""

from pathlib import Path

from explorer.errors import NoSentences
from explorer.files import read_whole
from explorer.resources import asset

FILE = "presets/translator/held-out.tsv"
MOST = 300  # sentences; a search over them takes about twenty seconds of one core
_MOST_BYTES = 2**24  # bytes of a file of the user's
_MOST_COLUMNS_BYTES = 2**28  # of a file of prompts
_MOST_OWN = 10_000  # sentences of a file of the user's
_GOLDEN = 0.6180339887498949


def held_out(most: int = MOST, *, english: bool = False) -> tuple[str, ...]:
    """At most `most` different sentences of the validation rows, Chinese or English, short and long ones mixed.

    Raises MissingAsset.

    The rows are sentences of Tatoeba (CC BY 2.0 FR); the README beside the file says so.
    """
    header, *lines = (line.split("\t") for line in asset(FILE).read_text(encoding="utf-8").splitlines())
    place = header.index(_column(english=english))
    rows = sorted((row for row in lines if row[0] == "valid"), key=lambda row: len(row[place]))
    sentences = tuple(dict.fromkeys(row[place] for row in rows))
    n = min(most, len(sentences))
    return mixed([sentences[place * len(sentences) // n] for place in range(n)]) if n else ()


def own_sentences(path: Path, *, english: bool = False) -> tuple[str, ...]:
    """The lines of a user's file, or the column `zh` or `en` of a table. Raises CannotRead, NotAFile, NoSentences."""
    lines = read_whole(path, _MOST_BYTES).decode("utf-8-sig", errors="replace").splitlines()
    header = lines[0].split("\t") if lines else []
    if (column := _column(english=english)) in header:
        place = header.index(column)
        cells = [line.split("\t") for line in lines[1:]]
        lines = [row[place] for row in cells if len(row) > place]
    found = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))[:_MOST_OWN]
    if not found:
        raise NoSentences(path=str(path))
    return found


def columns_in(path: Path) -> list[tuple[str, ...]]:
    """The columns of each line of a user's file, which are parted by tabs; empty lines are left out.

    Raises CannotRead, NotAFile, NoSentences.
    """
    lines = read_whole(path, _MOST_COLUMNS_BYTES).decode("utf-8-sig", errors="replace").splitlines()
    found = [tuple(line.split("\t")) for line in lines if line.strip()]
    if not found:
        raise NoSentences(path=str(path))
    return found


def _column(*, english: bool) -> str:
    return "en" if english else "zh"


def mixed(sentences: list[str]) -> tuple[str, ...]:
    """The sentences in an order that is the same each time and in which every beginning is like the whole.

    A search that is stopped early has then seen short and long ones alike: place n goes to the fraction of n·0.618…
    """
    order = sorted(range(len(sentences)), key=lambda place: place * _GOLDEN % 1)
    return tuple(sentences[place] for place in order)
