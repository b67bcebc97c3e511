"""An Outcome: what a row of the list of changes says before it is switched on, in words and cells."""

import math
import re
from difflib import SequenceMatcher
from typing import Literal

import attrs

from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.cell_text import NO_EFFECT, told_difference
from explorer.trace.found.consequences import Consequence

_MOST_LETTERS = 88  # of a translation; of a longer one the surroundings of the first difference are told
_AROUND = 24  # letters before the first difference
_LOOP = re.compile(r"(?<!\w)(?P<unit>\S(?:.{0,22}?\S)??)(?:\s?(?P=unit)){4,}(?!\w)")

Mark = Literal["", "new", "gone"]
Runs = tuple[tuple[str, Mark], ...]
"""A text in runs: "new" where it differs from the other text; "gone" are words of the other one that nothing has replaced."""


@attrs.frozen
class Outcome:
    """What a row says. `pending` while it is computed; `lacks` says why it cannot be.

    `runs` are the translation with the change. `words`, with their Δ log p `cells` (nats), are those of the unchanged one; what
    is pending has no cells yet.
    `hit` names the word that is hit most, or says how small the largest difference is; `none` says that there is no effect.
    """

    runs: Runs = ()
    words: tuple[str, ...] = ()
    cells: tuple[float, ...] = ()
    hit: str = ""
    none: bool = False
    pending: bool = False
    lacks: str = ""

    @property
    def translation(self) -> str:
        """The translation with the change."""
        return "".join(text for text, mark in self.runs if mark != "gone")

    def told(self, words: Words) -> str:
        """All of it in one sentence, for a screen reader."""
        if self.pending or self.lacks:
            return self.lacks or words("outcome.pending")
        if not self.cells:
            return ""
        hit = words("outcome.hit", hit=self.hit)
        return words("outcome.told", text=self.translation, hit=hit) if self.runs else hit

    def each(self) -> str:
        """A line for each word with its Δ log p (nats)."""
        return "\n".join(f"{word}  {told_difference(cell)}" for word, cell in zip(self.words, self.cells, strict=False))


def outcome(found: Consequence | ExplorerError | None, words: Words, expected: tuple[str, ...] = ()) -> Outcome:
    """The Outcome of a Consequence; of None one that is pending, over so many words as the translation is expected to have."""
    if found is None:
        return Outcome(words=expected, pending=True)
    if isinstance(found, ExplorerError):
        return Outcome(lacks=words.error(found))
    names = tuple(word or words("change.end") for word in found.words)
    cells = tuple(found.differences.tolist())
    most = found.largest
    none = not abs(cells[most]) >= NO_EFFECT and not math.isnan(cells[most])
    hit = words("outcome.largest", value=f"{abs(cells[most]):.3f}") if none else f"{names[most]} {told_difference(cells[most])}"
    return Outcome(runs=shortened(runs(found.before, found.after, gone=True)), words=names, cells=cells, hit=hit, none=none)


def runs(before: str, after: str, *, gone: bool = False) -> Runs:
    """A translation in runs that are the same as before and runs that are new, word by word; loops are folded.

    With `gone`, words that nothing has replaced stand where they were.
    """
    old, new = _pieces(folded(before)), _pieces(folded(after))
    same = SequenceMatcher(None, [piece.strip() for piece in old], [piece.strip() for piece in new], autojunk=False)
    made: list[tuple[str, Mark]] = []
    for tag, a, b, c, d in same.get_opcodes():
        if c < d:
            made.append(("".join(new[c:d]), "" if tag == "equal" else "new"))
        elif gone:
            made.append(("".join(old[a:b]), "gone"))
    return tuple(made)


def folded(text: str) -> str:
    """A text in which what is said five times or more stands once, with the number of times: "no ×34"."""
    return _LOOP.sub(lambda found: f"{found['unit']} ×{_times(found[0], found['unit'])}", text)


def _times(text: str, unit: str) -> int:
    return len(re.findall(rf"\s?{re.escape(unit)}", text))


def _pieces(text: str) -> list[str]:
    """Words with the blank before them, and punctuation apart from the word that it follows."""
    return re.findall(r"\s*(?:[\w'’\-]+|[^\w\s])", text)


def shortened(whole: Runs) -> Runs:
    """The runs of a long text around the first that differs, with an ellipsis for what is left out."""
    length = sum(len(text) for text, _mark in whole)
    if length <= _MOST_LETTERS:
        return whole
    first = 0
    for text, mark in whole:
        if mark:
            break
        first += len(text)
    begin = max(0, min(first - _AROUND, length - _MOST_LETTERS))
    end, at = begin + _MOST_LETTERS, 0
    dots: tuple[tuple[str, Mark], ...] = (("…", ""),)
    made: list[tuple[str, Mark]] = []
    for text, mark in whole:
        part = text[max(0, begin - at) : max(0, end - at)]
        at += len(text)
        if part:
            made.append((part, mark))
    return (*dots[: begin > 0], *made, *dots[: end < length])
