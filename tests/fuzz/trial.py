"""What a case is given: chance, a folder of its own, and a place to say what went wrong."""

import random
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType

import regex

import explorer
from explorer.errors import ExplorerError
from explorer.lang import LANGUAGES, Words
from tests.fuzz.case import Bad, Limits

_PACKAGE = Path(explorer.__file__).parent
_LONGEST_SENTENCE = 600
_FRAME = re.compile(r'File "(?P<file>[^"]*)", line (?P<line>\d+),? in (?P<name>\S+)')

_UNFIT = regex.compile(r"[\p{Cc}\p{Zl}\p{Zp}]")  # of what ends a line or steers a terminal


class Trial:
    """`beat()` says that the case is alive: a case of many answers has the limit for each of them."""

    def __init__(self, seed: int, folder: Path, limits: Limits, say: Callable[[tuple[str, int]], object]) -> None:
        self.chance = random.Random(seed)
        self.folder, self.limits = folder, limits
        self.found: list[Bad] = []
        self.told: list[str] = []
        self._say = say

    def beat(self) -> None:
        """An answer has come; the clock begins anew."""
        self._say(("beat", 0))

    def needs(self, n_bytes: int) -> None:
        """So much memory is what was asked for, and no fault."""
        self._say(("needs", n_bytes))

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Ask the program something that it may refuse."""
        try:
            yield
        except ExplorerError as error:
            self.hear(error)

    def hear(self, error: ExplorerError) -> None:
        """A user's error: its sentence must exist in both languages, on one line that can be read."""
        self.told.append(type(error).__name__)
        for language in LANGUAGES:
            try:
                sentence = _words(language).error(error)
            except Exception as broken:  # whatever it is, there is no sentence
                self.broke(broken, f"no sentence for {type(error).__name__}")
                continue
            if len(sentence) > _LONGEST_SENTENCE:
                self.bad(
                    f"sentence of {type(error).__name__} too long: {len(sentence)} characters",
                    where(error.__traceback__),
                    sentence[:_LONGEST_SENTENCE],
                )
            elif _UNFIT.search(sentence):
                self.bad(
                    f"sentence of {type(error).__name__} with line breaks or control characters: {sentence!r}",
                    where(error.__traceback__),
                )

    def bad(self, what: str, place: str = "", story: str = "", *, timed: bool = False) -> None:
        """Something is wrong; the case goes on."""
        self.found.append(Bad(what, place, story, timed))

    def broke(self, error: BaseException, what: str = "") -> None:
        """An exception that nobody should see."""
        story = "".join(traceback.format_exception(error))
        self.bad(f"{what or type(error).__name__}: {_short(error)}", where(error.__traceback__), story)

    def reported(self, report: str) -> None:
        """A traceback as text."""
        self.bad(report.strip().splitlines()[-1][:300], last_place(report), report)


def where(trace: TracebackType | None) -> str:
    """The last frame inside the program: file, line and function."""
    return last_place("".join(traceback.format_tb(trace)))


def last_place(story: str, *, newest_first: bool = False) -> str:
    """The same from a traceback as text; faulthandler's begin with the newest."""
    places = [
        f"{Path(found['file']).relative_to(_PACKAGE.parent)}:{found['line']} {found['name']}"
        for found in _FRAME.finditer(story)
        if found["file"].startswith(f"{_PACKAGE}/")
    ]
    return places[0 if newest_first else -1] if places else ""


def _short(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())[:300]
    except Exception as worse:  # an error whose own text cannot be made
        return f"no text ({type(worse).__name__})"


@cache
def _words(language: str) -> Words:
    return Words.load(language)
