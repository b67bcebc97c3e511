"""A parallel corpus: rows of a source and a target sentence, each in its split; Chinese is the source unless it is turned.

The file has tab-separated columns with a header row. The columns `split`, `zh` and `en` are used. Sentences hold no tab
and no line break. A bad row is left out and reported with its line number.
"""

from collections.abc import Mapping
from pathlib import Path

import attrs

from explorer.errors import BadText, NotACorpus
from explorer.files import read_whole
from explorer.tokens.bilingual import Bilingual, Pair
from explorer.tokens.check import check_text

SPLITS = ("train", "valid", "test")
_COLUMNS = ("split", "zh", "en")
MOST_BYTES = 2**29  # The bundled weights were trained on a file of a hundredth of this size.


@attrs.frozen
class BadRow:
    """A row that was left out: its line, counted from 1, and `reason`, a text key under `corpus`."""

    line: int
    reason: str


@attrs.frozen
class Corpus:
    """The pairs of each split, in the order of the file; `lines` has by split the line of each pair, counted from 1."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    test: tuple[Pair, ...]
    bad: tuple[BadRow, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict, eq=False)

    def split(self, name: str) -> tuple[Pair, ...]:
        """The pairs of "train", "valid" or "test"."""
        pairs: tuple[Pair, ...] = getattr(self, name)
        return pairs

    def read_by(self, bilingual: Bilingual) -> "Corpus":
        """The corpus in the direction of a translator with these vocabularies."""
        return self.turned() if bilingual.reads_english else self

    def turned(self) -> "Corpus":
        """The corpus of the other direction, from English to Chinese."""
        train, valid, test = (tuple((target, source) for source, target in self.split(name)) for name in SPLITS)
        return attrs.evolve(self, train=train, valid=valid, test=test)


def read_corpus(path: Path) -> Corpus:
    """The corpus in a file. Raises CannotRead, NotAFile, and NotACorpus if the columns are missing."""
    lines = read_whole(path, MOST_BYTES).split(b"\n")
    header = lines[0].removeprefix(b"\xef\xbb\xbf").rstrip(b"\r").split(b"\t")
    if not all(name.encode() in header for name in _COLUMNS):
        raise NotACorpus(path=str(path), columns=", ".join(_COLUMNS))
    places = [header.index(name.encode()) for name in _COLUMNS]
    pairs: dict[str, list[Pair]] = {name: [] for name in SPLITS}
    lines_of: dict[str, list[int]] = {name: [] for name in SPLITS}
    bad: list[BadRow] = []
    for number, line in enumerate(lines[1:], 2):
        if not line.rstrip(b"\r"):
            continue
        row = _row(line.rstrip(b"\r"), len(header), places)
        if isinstance(row, str):
            bad.append(BadRow(number, row))
        else:
            split, *pair = row
            pairs[split].append((pair[0], pair[1]))
            lines_of[split].append(number)
    return Corpus(
        **{name: tuple(found) for name, found in pairs.items()},
        bad=tuple(bad),
        lines={name: tuple(found) for name, found in lines_of.items()},
    )


def _row(line: bytes, n_columns: int, places: list[int]) -> tuple[str, ...] | str:
    """The split, source and target of a line, or the reason why the row is bad."""
    try:
        cells = line.decode().split("\t")
    except UnicodeDecodeError:
        return "not_utf8"
    if len(cells) != n_columns:
        return "columns"
    split, source, target = (cells[place].strip() for place in places)
    if split not in SPLITS:
        return "split"
    if not source or not target:
        return "empty"
    try:
        check_text(source)
        check_text(target)
    except BadText:
        return "control_character"
    return split, source, target
