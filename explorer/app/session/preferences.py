r"""Preferences that are kept between starts: geometry, language, theme and motion. A file that cannot be read is ignored.

Several windows of the program share the file. Each change is made to what the file holds at that moment, under a lock, so that
what another window has put there stays.

Earlier versions kept a file INI as Qt wrote it, which is read as plain text where there is no other:

    [General]
    theme=dark
    geometry=@ByteArray(\x1\xd9\xd0\xcb\0\x3)

Decision: a flat table of texts in TOML; and of all that Qt's format can say, texts and rows of bytes are read. Rejected:
QSettings, because a value `@Variant(…)` may hold any object of Python's, which PySide unpickles: whoever could write the file
could run a program.
"""

import base64
import json
import re
import tomllib
from collections.abc import Callable, Mapping

import tomli_w
from PySide6.QtCore import QByteArray, QLocale, QLockFile

from explorer.app.display import BY_SCREEN, SIZES
from explorer.errors import CannotWrite, ExplorerError
from explorer.files import read_whole, replacing
from explorer.json_text import read_json_text
from explorer.lang import LANGUAGES, system_language
from explorer.resources import config_folder
from explorer.toml_text import deep_line

THEMES = ("system", "light", "dark")
MOTIONS = ("system", "full", "reduced")
_PATIENCE_MS = 2000  # ms; another window holds the lock for a few, unless its disk hangs
_FILE, _OLD_FILE, _LOCK = "preferences.toml", "preferences.ini", "preferences.lock"
_MOST_BYTES = 2**20

_SECTION = "[General]"
_ESCAPE = re.compile(r"\\(?:x(?P<hex>[0-9a-fA-F]{1,6})|(?P<octal>[0-7]{1,3})|(?P<one>.))", re.DOTALL)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LAST = 0x10FFFF
_BYTES, _TEXT = re.compile(r"@ByteArray\((.*)\)", re.DOTALL), re.compile(r"@String\((.*)\)", re.DOTALL)
_NAME = re.compile(r"\w+", re.ASCII)


class Preferences:
    """Small texts in one TOML file of the user's config folder.

    `failure` says why the last change could not be written, if so. `failed` is called with it.
    """

    def __init__(self) -> None:
        self.failure: CannotWrite | None = None
        self.failed: Callable[[CannotWrite], None] = _unheard
        self._unwritten: dict[str, str] = {}  # what could not be written, so that it holds at least in this window
        self._values = _read()

    def text(self, name: str, default: str = "") -> str:
        return self._values.get(name, default)

    def put(self, **values: str) -> None:
        """Write some values at once."""
        self._change(lambda _now: values)

    def change(self, name: str, by: Callable[[str], str]) -> str:
        """Change a text by a function of what the file holds now, and write it at once; returns the new one."""
        self._change(lambda now: {name: by(now.get(name, ""))})
        return self.text(name)

    def _change(self, by: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
        """Where the lock cannot be had in time, or no file can be written, the change is made all the same."""
        lock = QLockFile(str(config_folder() / _LOCK))
        lock.tryLock(_PATIENCE_MS)
        try:
            before = _read()
            now = before | self._unwritten  # with what another window has written
            self._values = {**now, **{name: value for name, value in by(now).items() if value != now.get(name, "")}}
            if self._values != before:
                self._unwritten |= {name: value for name, value in self._values.items() if before.get(name) != value}
                _write(self._values)
            self._unwritten, self.failure = {}, None
        except CannotWrite as error:  # In a folder that cannot be written, only the preferences are lost.
            self.failure = error
        finally:
            lock.unlock()
        if self.failure is not None:
            self.failed(self.failure)

    @property
    def language(self) -> str:
        asked = self.text("language")
        return asked if asked in LANGUAGES else system_language(ui_languages=QLocale.system().uiLanguages())

    @property
    def theme(self) -> str:
        asked = self.text("theme")
        return asked if asked in THEMES else "system"

    @property
    def motion(self) -> str:
        asked = self.text("motion")
        return asked if asked in MOTIONS else "system"

    @property
    def size(self) -> str:
        asked = self.text("size")
        return asked if asked in SIZES else BY_SCREEN

    @property
    def geometry(self) -> QByteArray:
        return QByteArray.fromBase64(self.text("geometry").encode("ascii", errors="replace"))


def _unheard(_error: CannotWrite) -> None:
    """Drop the error until a window can show it."""


def _read() -> dict[str, str]:
    """The texts in the file; before there is one, those of an earlier version."""
    folder = config_folder()
    try:
        if not (folder / _FILE).exists():
            return read_old_preferences(read_whole(folder / _OLD_FILE, _MOST_BYTES))
        text = read_whole(folder / _FILE, _MOST_BYTES).decode("utf-8")
        table = {} if deep_line(text) else tomllib.loads(text)
    except (ExplorerError, ValueError, RecursionError):
        return {}
    return {name: value for name, value in table.items() if isinstance(value, str)}


def _write(values: Mapping[str, str]) -> None:
    """Raises CannotWrite."""
    content = tomli_w.dumps(values).encode("utf-8", errors="replace")  # A path may hold half a letter.
    with replacing(config_folder() / _FILE) as unfinished:
        unfinished.write_bytes(content)


def read_old_preferences(content: bytes) -> dict[str, str]:
    """The texts of a file by name, and its rows of bytes in base64. What is anything else is left out."""
    found: dict[str, str] = {}
    section = ""
    for line in content.decode("utf-8", errors="replace").splitlines():
        if line.startswith("["):
            section = line.strip()
        name, sign, written = line.partition("=")
        if section == _SECTION and sign and _NAME.fullmatch(name) and (value := _value(written)) is not None:
            found[name] = value
    return found


def _value(written: str) -> str | None:
    """What a value means; None for a list, and for an object."""
    if written.startswith('"') and written.endswith('"') and len(written) > 1:
        written = written[1:-1]
    elif "," in written:
        return None
    plain = _ESCAPE.sub(_meant, written)
    if plain.startswith("@@"):
        return plain[1:]
    if not plain.startswith("@"):
        return plain
    if (row := _BYTES.fullmatch(plain)) is not None:
        return base64.b64encode(row[1].encode("latin-1", errors="replace")).decode("ascii")
    return text[1] if (text := _TEXT.fullmatch(plain)) is not None else None


def _meant(escape: re.Match[str]) -> str:
    """The letter that an escape stands for."""
    if escape["one"] is not None:
        return _LETTERS.get(escape["one"], escape["one"])
    number = int(escape["hex"], 16) if escape["hex"] else int(escape["octal"], 8)
    return chr(number) if number <= _LAST and not 0xD800 <= number <= 0xDFFF else "\ufffd"


Entries = dict[str, object]


class SharedEntries:
    """A preference of several entries, such as the keys of actions, of which each window of the program changes some.

    A window writes what it has changed itself, over what the file holds by then: so of two windows neither undoes the other's.
    `change` is `Preferences.change` for one name.
    """

    def __init__(
        self, change: Callable[[Callable[[str], str]], str], read: Callable[[str], Entries], written: Callable[[Entries], str]
    ) -> None:
        self._change, self._read, self._written = change, read, written
        self._before: Entries = {}

    def begin(self) -> str:
        """The kept text."""
        text = self._change(lambda text: text)
        self._before = self._read(text)
        return text

    def put(self, text: str) -> None:
        """Write the entries that have changed in this window since it last wrote."""
        before, now = self._before, self._read(text)
        changed = {name for name in before | now if before.get(name) != now.get(name)}
        own = {name: value for name, value in now.items() if name in changed}

        def merged(kept: str) -> str:
            theirs = {name: value for name, value in self._read(kept).items() if name not in changed}
            return self._written(theirs | own)

        self._change(merged)
        self._before = now


def read_json(text: str) -> Entries:
    """The entries of a JSON object; none of anything else."""
    try:
        found = read_json_text(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def written_json(entries: Entries) -> str:
    """The entries as a JSON object, "" for none."""
    return json.dumps(entries) if entries else ""


def read_line(text: str) -> Entries:
    """The entries of a line such as "attention:0,2 layers:1"."""
    return {name: value for name, _colon, value in (entry.partition(":") for entry in text.split())}


def written_line(entries: Entries) -> str:
    """The entries as such a line."""
    return " ".join(f"{name}:{value}" for name, value in entries.items())
