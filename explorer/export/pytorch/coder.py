"""What all parts of a script share: comments in the reader's language, and numbers and names as Python writes them."""

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from string import Template

import attrs

from explorer.config import Config
from explorer.lang import Words
from explorer.tokens.token import Token

_WIDEST = 116  # columns of a line of the script
_IDS_IN_ROW = 8
INDENT = "    "
_EXPONENT = re.compile(r"e\+?(-?)0*")  # "1e+09" is written 1e9.


@attrs.frozen
class Coder:
    """Writes code for one model: `config` decides which code, `words` the language of its comments."""

    config: Config
    words: Words

    def __call__(self, code: str, **values: object) -> str:
        """Code without its common indentation. `$name` is replaced by one of the values, else by the text script.NAME."""
        return Template(textwrap.dedent(code).strip("\n")).substitute(_Texts(self.words, values))

    def inside(self, code: str, **values: object) -> str:
        """The same, one level deeper: a part of a function."""
        return indented(self(code, **values))

    def note(self, key: str, **values: object) -> str:
        """A text as a comment, in as many lines as it needs."""
        return comment(self.words(f"script.{key}", **values))


class _Texts(Mapping[str, object]):
    """The values of a template; a name that is none of them is a text of the language."""

    def __init__(self, words: Words, values: Mapping[str, object]) -> None:
        self._words, self._values = words, values

    def __getitem__(self, name: str) -> object:
        return self._values[name] if name in self._values else self._words(f"script.{name}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def lines(*parts: str | None) -> str:
    """Parts of code, one below the other; None is left out."""
    return "\n".join(part for part in parts if part is not None)


def indented(code: str, levels: int = 1) -> str:
    """The code some levels deeper."""
    return textwrap.indent(code, INDENT * levels)


def comment(text: str) -> str:
    """A text of any language as a comment that is nowhere too wide."""
    return "\n".join(f"# {line}" for line in wrapped(safe(text), _WIDEST - 2 * len(INDENT)))


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` columns. It is cut at spaces, and behind any Chinese character or sign."""
    rows, row = [], ""
    for piece in _pieces(text):
        if row and columns(row + piece.rstrip()) > width:
            rows.append(row.rstrip())
            row = piece.lstrip()
        else:
            row += piece
    return [*rows, row.rstrip()]


def _pieces(text: str) -> Iterator[str]:
    piece = ""
    for place, letter in enumerate(text):
        piece += letter
        behind = text[place + 1 : place + 2]
        # No line begins with a sign that closes, such as a full stop.
        if letter == " " or (columns(letter) == 2 and behind and not unicodedata.category(behind).startswith("P")):
            yield piece
            piece = ""
    yield piece


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def safe(text: str) -> str:
    """A text for a comment or a docstring: invisible characters become their codes, and nothing in it ends the text."""
    seen = "".join(letter if letter.isprintable() else f"<{ord(letter):X}>" for letter in text)
    return seen.replace("\\", "\N{FULLWIDTH REVERSE SOLIDUS}").replace('"""', "“““")


def number(value: float) -> str:
    """A number as Python and torch write it."""
    if math.isinf(value):
        return "-math.inf" if value < 0 else "math.inf"
    short = f"{value:g}"
    if float(short) != value:
        return repr(float(value))
    return _EXPONENT.sub(r"e\1", short) if set(short) & set(".e") else f"{short}.0"


def numbers(values: Sequence[float]) -> str:
    """A list of numbers, in several lines where there are many."""
    return bracketed([number(value) for value in values])


def places(values: Sequence[int]) -> str:
    """A list of places, in several lines where there are many."""
    return bracketed([str(value) for value in values])


def bracketed(items: Sequence[str]) -> str:
    """Items in square brackets; in lines of their own where they are too wide for one."""
    whole = f"[{', '.join(items)}]"
    if len(whole) <= _WIDEST // 2:
        return whole
    rows = textwrap.wrap(", ".join(items) + ",", _WIDEST - 3 * len(INDENT))
    return "[\n" + "\n".join(f"{INDENT}{row}" for row in rows) + "\n]"


def ids_of(tokens: Sequence[Token]) -> str:
    """The ids of tokens as a list, a few in each line, with their texts in a comment behind."""
    rows = [tokens[first : first + _IDS_IN_ROW] for first in range(0, len(tokens), _IDS_IN_ROW)]
    told = (f"{', '.join(str(token.id) for token in row)},  # {safe(' '.join(token.text for token in row))}" for row in rows)
    return "[\n" + "\n".join(f"{INDENT}{row}" for row in told) + "\n]"
