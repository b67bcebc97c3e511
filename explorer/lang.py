"""All text for people, by key, in two languages. The texts are data: `assets/lang/<language>.toml`.

words = Words.load("zh")
words("stage.weights.title")
"""

import locale
import os
import plistlib
import sys
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from explorer.errors import BadKnob, ExplorerError, MissingAsset
from explorer.resources import asset_text

LANGUAGES = ("zh", "en")
_MOST_QUOTED, _LONGEST_PATH = 80, 255  # characters of a value in a sentence; whoever looks for a file needs its path
_LARGE = 10**15
_LISTS = ("known", "choices", "columns")


class Words:
    """The texts of one language. `words(key, **values)` is the sentence under `key` with its values filled in."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self._texts = texts

    @classmethod
    def load(cls, language: str) -> "Words":
        """Read a language file. Raises MissingAsset."""
        return cls(language, dict(_flat(tomllib.loads(asset_text(f"lang/{language}.toml")))))

    def __call__(self, key: str, **values: object) -> str:
        """The text under `key`. A missing key or value is a bug and raises KeyError."""
        return self._texts[key].format(**values)

    def or_other(self, key: str) -> str:
        """The text under `key`, or the one of its table that serves whatever else there is: "layers.dead.other"."""
        return self(key if key in self else f"{key.rpartition('.')[0]}.other")

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def keys(self) -> frozenset[str]:
        """Every key there is, for the test that holds the languages against each other."""
        return frozenset(self._texts)

    def error(self, error: ExplorerError) -> str:
        """The one sentence that tells a user what went wrong; knob names are given in the user's words."""
        # What there is to choose from is the program's own and is told whole.
        values = {
            name: value if name in _LISTS else quoted(value, is_path=name == "path") for name, value in error.values.items()
        }
        name = error.values.get("name")
        if isinstance(error, BadKnob) and f"knob.{name}.name" in self:
            values["name"] = f"{self(f'knob.{name}.name')} {name}"
        reason = error.values.get("reason")
        if isinstance(reason, ExplorerError):  # a knob or a formula inside a file
            values["reason"] = self.error(reason).rstrip("。.")
        return self(error.key, **values)


def quoted(value: object, *, is_path: bool = False) -> object:
    """A value as a sentence can quote it: its first 80 characters at most, of a path the last 255, and none that steers a
    terminal."""
    if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < _LARGE):
        return value
    try:
        text = str(value)
    except Exception:  # no whole number of more than 4,300 digits can be written, and a caller's own object may refuse anything
        text = hex(value) if isinstance(value, int) else type(value).__name__
    if is_path and len(text) > _LONGEST_PATH:
        text = f"…{text[1 - _LONGEST_PATH :]}"
    elif not is_path and len(text) > _MOST_QUOTED:
        text = f"{text[: _MOST_QUOTED - 1]}…"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _flat(table: Mapping[str, object], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in table.items():
        key = f"{prefix}{name}"
        rows += _flat(value, f"{key}.") if isinstance(value, Mapping) else [(key, str(value))]
    return rows


def system_language(environment: Mapping[str, str] = os.environ, ui_languages: Sequence[str] | None = None) -> str:
    """The language of the user's environment, else the first of those that the system was set to ("zh-Hans-CN", "de").

    Without either Chinese: an unset locale says nothing about its user. `ui_languages`: what Qt knows of them; None asks the
    system without Qt. On Linux they are the environment's own.
    """
    named = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    if named.split(".")[0] not in ("", "C", "POSIX"):
        asked = environment.get("LANGUAGE", "").split(":")[0] or named  # as gettext has it
    elif sys.platform.startswith("linux"):
        asked = ""
    else:
        asked = next(iter(_ui_languages() if ui_languages is None else ui_languages), "")
    return "zh" if not asked or asked.lower().startswith("zh") else "en"


def _ui_languages() -> Sequence[str]:
    """What Windows or macOS was set to, in the user's order; nothing where it does not say."""
    if sys.platform == "win32":
        import ctypes

        return [locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")]
    if sys.platform == "darwin":
        try:
            with (Path.home() / "Library/Preferences/.GlobalPreferences.plist").open("rb") as file:
                return [str(each) for each in plistlib.load(file).get("AppleLanguages", ())]
        except (OSError, ValueError, plistlib.InvalidFileException):
            pass
    return []


@lru_cache(maxsize=len(LANGUAGES))
def _words(language: str) -> Words:
    return Words.load(language)


def sentence(error: ExplorerError) -> str:
    """What went wrong, in the system's language: what `str(error)` is. A language whose file is gone is told in another."""
    for language in (system_language(), *LANGUAGES):
        try:
            return _words(language).error(error)
        except MissingAsset:
            continue
    return f"{error.key}: {error.values}"  # without any texts the program can only say what is gone


ExplorerError.told_by = sentence
