"""The State: everything that a person has set up, as one value of Wish, Look, page and place in the lessons.

Undo entries and the state kept between starts are States. A lesson's step and a file are Settings: some fields of a State,
which change these fields and leave all others as they are.
"""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import attrs

from explorer.config import Config, find_knob
from explorer.errors import AdapterNeedsModel, BadState, CannotRead, ExplorerError, FolderIsGone
from explorer.presets import DEFAULT, load_preset
from explorer.state.fields import bad_field, between, changed_fields, read_fields
from explorer.state.look import Look
from explorer.state.state_file import BUNDLE_SUFFIX, is_bundle, read_table, write_table
from explorer.state.wish import Wish
from explorer.tokens.cuts import Spans
from explorer.trace.changes import changes_from

_OF_WISH = frozenset(field.name for field in attrs.fields(Wish)) - {"config", "compared_with", "changes"}
_TABLES = ("knobs", "look", "compared_with")
_DEEPEST = 1  # A state is compared with one other, which has no further one.


_MOST_STEPS = 1000  # more than a lesson may have


@attrs.frozen(kw_only=True)
class LessonPlace:
    """The open step of a lesson: `key` is the lesson's name, `step` counts from 0, `file` is its file if no list has it."""

    key: str
    step: int = attrs.field(default=0, validator=between(0, _MOST_STEPS))
    file: str = ""


@attrs.frozen(kw_only=True)
class Settings:
    """Checked values for some fields: of the Wish, of the Look, knobs and page. The compared state is Settings too."""

    wish: Mapping[str, Any] = attrs.field(factory=dict)
    knobs: Mapping[str, object] = attrs.field(factory=dict)
    look: Mapping[str, Any] = attrs.field(factory=dict)
    page: str = ""
    compared_with: "Settings | None" = None

    @classmethod
    def read(cls, table: Mapping[str, object], depth: int = 0) -> tuple["Settings", tuple[str, ...]]:
        """The Settings in a file's table, and the unknown names in it.

        Raises BadField, BadKnob, BadChange, UnknownPreset, BadPreset.
        """
        for name in _TABLES:
            if not isinstance(table.get(name, {}), dict):
                raise bad_field(name, table[name])
        if not isinstance(table.get("page", ""), str):
            raise bad_field("page", table["page"])
        tables: dict[str, Any] = {name: table.get(name, {}) for name in _TABLES}
        wish = read_fields(Wish, {name: value for name, value in table.items() if name in _OF_WISH})
        if "changes" in table:
            wish["changes"] = changes_from(table["changes"])
        look = read_fields(Look, tables["look"])
        Look(**look)  # Making a Look checks its values.
        _check(wish, tables["knobs"])
        other, unknown = None, [name for name in table if name not in (*_OF_WISH, *_TABLES, "page", "changes")]
        if "compared_with" in table:
            if depth >= _DEEPEST:
                raise bad_field("compared_with", "…")
            other, more = cls.read(tables["compared_with"], depth + 1)
            unknown += more
        page = str(table.get("page", ""))
        return cls(wish=wish, knobs=tables["knobs"], look=look, page=page, compared_with=other), tuple(unknown)


def _check(wish: Mapping[str, Any], knobs: Mapping[str, object]) -> None:
    """Check that a Wish can have these fields, whatever the others are. Raises like `Settings.read`."""
    for name, value in knobs.items():
        find_knob(name).check(value)
    config = load_preset(wish["preset"]).changed(**knobs) if "preset" in wish else Config()
    Wish(**{"text": "", "preset": "", **wish, "config": config})


@attrs.frozen(kw_only=True)
class State:
    """The Wish, the Look, the key of the page in front, and the place in the lessons, if one of them is open."""

    wish: Wish
    look: Look = attrs.field(factory=Look)
    page: str = ""
    lesson: LessonPlace | None = None

    @classmethod
    def from_preset(cls, name: str, text: str | None = None, **knobs: object) -> "State":
        """A preset's State, with its own sentence or `text`, and these knobs. Raises UnknownPreset, BadPreset, BadKnob."""
        look = Look(**dict(load_preset(name).look))
        return cls(wish=Wish.from_preset(name, text, **knobs), look=look)

    def changed(self, settings: Settings) -> "State":
        """This State with these settings; a preset among them brings its own knobs and Look. Raises BadKnob, BadField."""
        wish, look = self.wish, self.look
        if "preset" in settings.wish:
            preset = load_preset(settings.wish["preset"])
            wish = attrs.evolve(wish, config=preset.config, adapter="", adapted=True)  # An adapter belongs to its base.
            look = attrs.evolve(look, **dict(preset.look))
        other = settings.compared_with
        wish = attrs.evolve(
            wish,
            **settings.wish,
            config=wish.config.changed(**settings.knobs),
            compared_with=None if other is None else self.changed(other).wish,
        )
        return attrs.evolve(self, wish=wish, look=attrs.evolve(look, **settings.look), page=settings.page or self.page)

    def with_adapter(self, path: str) -> "State":
        """This State with the adapter in a folder, which the next pass reads; "" takes it away.

        Raises FolderIsGone, AdapterNeedsModel.
        """
        folder = Path(path).absolute()
        if path and not folder.is_dir():
            raise FolderIsGone(path=str(folder))
        if path and load_preset(self.wish.preset).foreign is None:
            raise AdapterNeedsModel(path=str(folder))
        return attrs.evolve(self, wish=attrs.evolve(self.wish, adapter=str(folder) if path else "", adapted=True))

    def opened(self, settings: Settings) -> "State":
        """The State for a lesson's step. Fields that the step does not set stay, except manual changes to the old sentence.

        Source cuts stay if the sentence does. A lesson is about our own models: where a foreign one is open, a step that
        names none brings the default preset. Raises like `changed`.
        """
        if self.wish.foreign and "preset" not in settings.wish:
            own = load_preset(DEFAULT)
            text = own.text if self.wish.text == load_preset(self.wish.preset).text else self.wish.text
            settings = attrs.evolve(settings, wish={"preset": own.name, "text": text, **settings.wish})
        same = settings.wish.get("text", self.wish.text) == self.wish.text
        wish = attrs.evolve(
            self.wish,
            target=None,
            target_cuts=None,
            source_cuts=self.wish.source_cuts if same else None,
            trained=True,
            prefix=(),
            words=(),
            changes=(),
            batch=(),
            other="",
            toward=(),
            away=(),
            chat=False,
            by_ids=False,
        )
        return attrs.evolve(self, wish=wish).changed(settings)

    def to_table(self) -> dict[str, Any]:
        """The differences from the preset and the defaults, as a table that `Settings.read` reads."""
        return dict(_rows_of(self))

    @classmethod
    def of_table(cls, table: Mapping[str, object], path: str | Path) -> tuple["State", tuple[str, ...]]:
        """The State in the table of the file that errors call `path`, and the unknown names in it. Raises BadState."""
        try:
            settings, unknown = Settings.read({name: value for name, value in table.items() if name != "lesson"})
            if "preset" not in settings.wish:
                raise BadState(path=str(path), reason="preset ?")
            state = cls.from_preset(settings.wish["preset"]).changed(settings)
            return attrs.evolve(state, lesson=_lesson_of(table)), unknown
        except (BadState, CannotRead):
            raise
        except ExplorerError as error:  # The file holds a wrong knob, field or preset.
            raise BadState(path=str(path), reason=error) from error
        except (ValueError, OverflowError) as error:
            raise BadState(path=str(path), reason=str(error)[:200]) from error

    @classmethod
    def load(cls, path: str | Path) -> "State":
        """The State in a file of a session, with presets taken along or without. Names of a later version are left out.

        Raises CannotRead, BadState, NewerState; CannotWrite where presets that were taken along cannot be put on the disk.
        """
        table = read_table_of(Path(path))
        for name in ("weights", "kept"):
            table.pop(name, None)
        return cls.of_table(table, Path(path))[0]

    def save(self, path: str | Path) -> None:
        """Write the State to a file, whole or not at all. One that ends in `.explorer` takes its presets and weights along.

        Raises CannotWrite, DiskFull, and NotTakenAlong for a foreign model in such a file.
        """
        from explorer.state.bundle import write_bundle  # Reading and writing zips takes 10 ms to import.

        table, weights = self.to_table(), _weights_of(self.wish.preset)
        told = {**table, "weights": weights} if weights else table
        write = write_bundle if Path(path).suffix == BUNDLE_SUFFIX else write_table
        write(told, Path(path))


def read_table_of(path: Path) -> dict[str, Any]:
    """The table in a file of a session, of either kind. Raises CannotRead, CannotWrite, BadState, NewerState."""
    if not is_bundle(path):
        return read_table(path)
    from explorer.state.bundle import read_bundle  # Few sessions are one.

    return read_bundle(path)


def _lesson_of(table: Mapping[str, object]) -> LessonPlace | None:
    """The place in the lessons that a table names, if it names one. Raises BadField."""
    if "lesson" not in table:
        return None
    row = table["lesson"]
    if not isinstance(row, dict) or "key" not in row:
        raise bad_field("lesson", row)
    return LessonPlace(**read_fields(LessonPlace, row))


def _weights_of(preset: str) -> str:
    from explorer.state.bundle import weights_sha256  # Only what a person saves says it.

    try:
        return weights_sha256(preset)
    except ExplorerError:  # The preset's folder is missing; reading the file will report it.
        return ""


def _rows_of(state: State) -> Iterator[tuple[str, Any]]:
    wish = state.wish
    if state.page:
        yield "page", state.page
    yield "preset", wish.preset
    yield "text", wish.text
    yield from changed_fields(wish, without=("preset", "text", "config", "compared_with", "changes")).items()
    if wish.changes:
        yield "changes", [change.to_dict() for change in wish.changes]
    base = _config_of(wish.preset).values()
    knobs = {name: value for name, value in wish.config.values().items() if value != base[name]}
    if knobs:
        yield "knobs", knobs
    look = changed_fields(state.look)
    if look:
        yield "look", look
    if state.lesson is not None:
        yield "lesson", {"key": state.lesson.key, **changed_fields(state.lesson, without=("key",))}
    if wish.compared_with is not None:
        other = State(wish=attrs.evolve(wish.compared_with, compared_with=None))
        yield "compared_with", dict(_rows_of(other))


def _config_of(preset: str) -> Config:
    try:
        return load_preset(preset).config
    except ExplorerError:  # The preset's folder is missing; reading the file will report it.
        return Config()


def spans_of(words: tuple[str, ...]) -> Spans:
    """The spans (start, end) of consecutive words in the text that they make."""
    ends = tuple(accumulate(map(len, words)))
    return tuple(zip((0, *ends), ends, strict=False))
