"""Reading lessons from files. A mistake is reported with file and line, and does not stop other lessons.

group = "A"
[title]
zh = "…"
en = "…"
[[step]]
zh = "…"
en = "…"
preset = "tutorial-a"                       # also: cuts, highlight, given, and every key of a session file:
knobs = { d_model = 4, n_heads = 1 }        # text, target, batch, beam, page, look = { … }
title = { zh = "…", en = "…" }              # also: fact = "position", and [[step.link]] with zh, en, to = "page:effects"
follows = true                              # about any translator, such as the one that is open
[[step.claim]]                              # zh, en, printed or expected, true, tolerance
[step.question]                             # zh, en, answer, tolerance, or choices and right, or kind; why, hint
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from explorer import page_list
from explorer.errors import BadFormula, BadLesson, CannotRead, ExplorerError
from explorer.lessons.cost import quoted
from explorer.lessons.facts import FACTS
from explorer.lessons.formula import names
from explorer.lessons.known import IN_TRACE, PLAIN
from explorer.lessons.lesson import Cells, Claim, Lesson, Question, Step, Text
from explorer.lessons.lesson_file import LessonFile, WrongError, at_most, check_values, lesson_key
from explorer.lessons.questions import KINDS
from explorer.presets import load_preset
from explorer.resources import asset, config_folder
from explorer.state.state import Settings, spans_of

_OWN = ("zh", "en", "title", "cuts", "highlight", "given", "claim", "question", "fact", "link", "follows")
"""A step's own keys; the others set up a State."""
_PRINTED = ("printed", "expected")
_HIGHLIGHTS = ("knob", "tap", "token", "river", "card")
_LINKS = ("page", "lesson", "manual")
_MOST_STEPS, _MOST_CLAIMS, _MOST_TEXTS = 100, 16, 16
_MOST_GIVEN = 128  # cells of all given matrices of a step; Qt makes a table of that size in 10 ms
_MOST_TABLES = 12  # given matrices of a step
_MOST_CELLS = 256  # printed cells of a claim
_NUMBERED = re.compile(r"([a-z]*)(\d*)(.*)", re.DOTALL)


def bundled_lessons() -> tuple[tuple[Lesson, ...], tuple[BadLesson | CannotRead, ...]]:
    """The program's own lessons in order, and errors for files that cannot be read."""
    return read_folder(asset("lessons"))


def all_lessons(stop: Callable[[], bool] = lambda: False) -> tuple[tuple[Lesson, ...], tuple[BadLesson | CannotRead, ...]]:
    """The program's own lessons and those in the user's folder `lessons`, and errors for files that cannot be read."""
    (own, wrong), (others, worse) = bundled_lessons(), read_folder(config_folder() / "lessons", stop)
    return own + others, wrong + worse


def read_folder(
    folder: Path, stop: Callable[[], bool] = lambda: False
) -> tuple[tuple[Lesson, ...], tuple[BadLesson | CannotRead, ...]]:
    """All lessons in a folder, and errors for files that cannot be read. Once `stop` returns True, the rest is left out."""
    lessons: list[Lesson] = []
    errors: list[BadLesson | CannotRead] = []
    for path in sorted(folder.glob("*.toml"), key=_order):
        if stop():
            break
        try:
            lessons.append(read_lesson(path))
        except (BadLesson, CannotRead) as error:
            errors.append(error)
        except Exception as error:  # A file of unknown origin may fail anywhere; the other lessons must still be read.
            errors.append(BadLesson(path=str(path), line=1, reason=quoted(str(error))))
    return tuple(lessons), tuple(errors)


def read_lesson(path: Path) -> Lesson:
    """Read one lesson. Raises BadLesson with file and line, CannotRead."""
    return _Reader(LessonFile.read(path)).lesson()


def _order(path: Path) -> tuple[str, int, str]:
    word, number, rest = _NUMBERED.match(lesson_key(path)).groups()  # type: ignore[union-attr]  # The pattern matches any text.
    return word, int(number or 0), rest


class _Reader:
    """Reads one file and keeps track of the step it is in, to find the line of a mistake."""

    def __init__(self, file: LessonFile) -> None:
        self._file = file
        self._step = -1

    def lesson(self) -> Lesson:
        try:
            table = self._file.table()
            _only(table, ("group", "title", "step"))
            check_values({key: value for key, value in table.items() if key != "step"})
            title = _bilingual(table.get("title"), "title")
            rows = _tables(table.get("step"), "step")
            at_most("[[step]]", _MOST_STEPS, rows)
            steps = []
            for number, row in enumerate(rows):
                self._step = number
                steps.append(self._step_of(row))
            if not steps:
                raise WrongError("step", "[[step]] ?")
        except WrongError as error:
            raise self._bad(error.key, error.reason) from error
        except BadLesson:
            raise
        except ExplorerError as error:  # The file holds a wrong knob, field or preset.
            raise self._bad(str(error.values.get("name") or ""), error) from error
        return Lesson(lesson_key(self._file.path), quoted(str(table.get("group", ""))), title, tuple(steps))

    def _bad(self, key: str, reason: object) -> BadLesson:
        return self._file.bad(self._file.line(key, self._step), reason)

    def _step_of(self, row: Mapping[str, Any]) -> Step:
        check_values(row)
        settings = _settings(row)
        if not isinstance(row.get("question", {}), dict):
            raise WrongError("question", "question ?")
        given = {name: _cells(value, name) for name, value in _table(row, "given").items()}
        at_most("given", _MOST_TABLES, given)
        at_most("given", _MOST_GIVEN, range(sum(cells.size for cells in given.values())))
        at_most("claim", _MOST_CLAIMS, _tables(row.get("claim", []), "claim"))
        for mark in _list(row, "highlight"):
            if str(mark).partition(":")[0] not in _HIGHLIGHTS:
                raise WrongError("highlight", str(mark))
        claims = tuple(self._claim(each, given) for each in _tables(row.get("claim", []), "claim"))
        return Step(
            say=_bilingual(row, "[[step]]"),
            settings=settings,
            highlight=tuple(map(str, _list(row, "highlight"))),
            given=given,
            claims=claims,
            question=self._question(row["question"], given) if "question" in row else None,
            title=_bilingual(row["title"], "title") if "title" in row else Text(),
            fact=_word(row, "fact", FACTS),
            links=tuple(_link(each) for each in _tables(row.get("link", []), "link")),
            follows=_follows(row, settings),
        )

    def _claim(self, row: Mapping[str, Any], given: Mapping[str, Cells]) -> Claim:
        _only(row, ("zh", "en", "printed", "expected", "true", "tolerance"))
        if not isinstance(row.get("true"), str):
            raise WrongError("true", "true ?")
        _known(row["true"], given)
        key = "expected" if "expected" in row else "printed"
        printed = _cells(row[key], key) if key in row else None
        return Claim(_bilingual(row, "zh"), row["true"], printed, _number(row, "tolerance", 1e-3), key == "expected")

    def _question(self, row: Mapping[str, Any], given: Mapping[str, Cells]) -> Question:
        _only(row, ("zh", "en", "answer", "tolerance", "choices_zh", "choices_en", "right", "kind", "why", "hint"))
        why, hint = (_bilingual(row[key], key) if key in row else Text() for key in ("why", "hint"))
        if "kind" in row:
            return Question(kind=_word(row, "kind", KINDS), why=why, hint=hint)
        ask = _bilingual(row, "question")
        if "answer" in row:
            _known(str(row["answer"]), given)
            return Question(ask, str(row["answer"]), _number(row, "tolerance", 0.01), why=why, hint=hint)
        zh, en = _list(row, "choices_zh"), _list(row, "choices_en")
        at_most("choices_zh", _MOST_TEXTS, zh)
        right = row.get("right", -1)
        if len(zh) != len(en) or len(zh) < 2:
            raise WrongError("choices_en", f"choices_zh {len(zh)}, choices_en {len(en)}")
        if not isinstance(right, int) or isinstance(right, bool) or not 0 <= right < len(zh):
            raise WrongError("right", f"right = {quoted(right)}")
        choices = tuple(Text(str(a), str(b)) for a, b in zip(zh, en, strict=True))
        return Question(ask, choices=choices, right=right, why=why, hint=hint)


def _follows(row: Mapping[str, Any], settings: Settings) -> bool:
    """Whether a step is about any translator of the program. Raises WrongError where it names no translator."""
    value = row.get("follows", False)
    if not isinstance(value, bool) or (value and not load_preset(settings.wish.get("preset", "")).translates):
        raise WrongError("follows", f"follows = {quoted(value)}")
    return value


def _link(row: Mapping[str, Any]) -> tuple[Text, str]:
    _only(row, ("zh", "en", "to"))
    kind, _, name = str(row.get("to", "")).partition(":")
    if kind not in _LINKS or (kind == "page" and name not in page_list.KEYS):
        raise WrongError("to", f"to = {quoted(row.get('to'))}")
    return _bilingual(row, "link"), str(row["to"])


def _settings(row: Mapping[str, Any]) -> Settings:
    """The Settings of a step. Raises WrongError, BadField, BadKnob, UnknownPreset, BadPreset."""
    cuts = tuple(map(str, _list(row, "cuts")))
    if cuts and "".join(cuts) != row.get("text"):
        raise WrongError("cuts", "".join(cuts))
    set_up = {key: value for key, value in row.items() if key not in _OWN and value != ""}
    if cuts:
        set_up["source_cuts"] = [list(span) for span in spans_of(cuts)]
    settings, unknown = Settings.read(set_up)
    if unknown:
        raise WrongError(unknown[0], f"{quoted(unknown[0])} ?")
    _word(row, "page", page_list.KEYS)
    at_most("batch", _MOST_TEXTS, settings.wish.get("batch", ()))
    return settings


def _known(formula: str, given: Mapping[str, Cells]) -> None:
    try:
        for name in sorted(names(formula)):
            if name not in PLAIN and name not in IN_TRACE and name not in given:
                raise BadFormula(formula=formula, reason=name)
    except BadFormula as error:
        raise WrongError(formula, error) from error  # The whole formula finds its line; the error quotes its beginning.


def _only(row: Mapping[str, Any], keys: Iterable[str]) -> None:
    allowed = set(keys)
    for key in row:
        if key not in allowed:
            raise WrongError(key, f"{key} ?")


def _bilingual(row: object, key: str) -> Text:
    if not isinstance(row, Mapping):
        raise WrongError(key, f"{key}: zh, en ?")
    for language in ("zh", "en"):
        if not isinstance(row.get(language), str) or not row[language].strip():
            there = next((other for other in ("zh", "en") if other != language and other in row), key)
            raise WrongError(there, f"{key}: {language} ?")
    return Text(row["zh"], row["en"])


def _cells(value: object, key: str) -> Cells:
    try:
        cells = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise WrongError(key, str(error)) from error
    at_most(key, _MOST_CELLS if key in _PRINTED else _MOST_GIVEN, range(cells.size))
    if key not in _PRINTED and (not cells.size or not np.isfinite(cells).all()):
        raise WrongError(key, f"{key} = {quoted(value)}")
    cells.setflags(write=False)
    return cells


def _checked(kind: type, default: Callable[[], Any]) -> Callable[[Mapping[str, Any], str], Any]:
    def read(row: Mapping[str, Any], key: str) -> Any:
        value = row.get(key, default())
        if not isinstance(value, kind):
            raise WrongError(key, f"{key} = {quoted(value)}")
        return value

    return read


_table, _list = _checked(dict, dict), _checked(list, list)


def _tables(rows: object, key: str) -> list[Mapping[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise WrongError(key, f"[[{key}]] ?")
    return rows


def _word(row: Mapping[str, Any], key: str, allowed: Iterable[str]) -> str:
    value = row.get(key, "")
    if value != "" and value not in tuple(allowed):
        raise WrongError(key, f"{key} = {quoted(value)}")
    return str(value)


def _number(row: Mapping[str, Any], key: str, default: float) -> float:
    value = row.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < np.inf:
        raise WrongError(key, f"{key} = {quoted(value)}")
    return float(value)
