"""Files of one's own that a model learns from: how they are read. Nothing here needs torch."""

from pathlib import Path

from explorer.errors import NotInUtf8, NotPairs
from explorer.files import read_whole
from explorer.tokens.bilingual import Pair
from explorer.tokens.check import check_text

MOST_BYTES = 2**25
_SPACED = 10  # A text whose every tenth sign is a space has words that are parted by spaces.


def read_own_text(data: Path) -> str:
    """A text file. Raises CannotRead, NotAFile, NotInUtf8, BadText."""
    try:
        return check_text(read_whole(data, MOST_BYTES).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NotInUtf8(path=str(data)) from error


def read_own_pairs(data: Path) -> list[Pair]:
    """A table: on each line a source, a tab and its target. Raises NotPairs, and like `read_own_text`."""
    pairs = []
    for number, line in enumerate(read_own_text(data).splitlines(), 1):
        cells = [" ".join(cell.split()) for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) != 2 or not all(cells):
            raise NotPairs(path=str(data), line=number)
        pairs.append((cells[0], cells[1]))
    return pairs


def has_spaces(data: Path) -> bool:
    """Whether the words of a text are parted by spaces, as Chinese ones are not. Raises like `read_own_text`."""
    text = read_own_text(data)
    return text.count(" ") * _SPACED > len(text)
