"""All texts for people, by key, in two languages. The texts are data in `assets/lang/<language>.toml`.

words = Words.load("zh")
words("stage.weights.title")
"""

import locale
import os
import re
import string
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from explorer.errors import BadKnob, ExplorerError, LacksTap, LensOfOtherKnobs, MissingAsset, NoStreamToSteer, NothingMeasured
from explorer.files import read_whole
from explorer.key_names import native
from explorer.resources import asset_text

LANGUAGES = ("zh", "en")
_MOST_QUOTED, _LONGEST_PATH = 80, 255  # characters of a quoted value, and of a path, which users need in order to find a file
_LONGEST_LIST = 400  # characters of a list of choices: our own are shorter, the words of a long text are not
_LINE_END = re.compile(r"[\n\r\v\f\x85\u2028\u2029]\s*")
_LARGE = 10**15
_MOST_BYTES = 2**20  # of the preferences of macOS
_LISTS = ("known", "choices", "columns")


class _Counting(string.Formatter):
    """Fills in values, and in "{count:head|heads}" the noun after its number: "1 head", "8 heads"."""

    def format_field(self, value: object, format_spec: str) -> str:
        one, counts, several = format_spec.partition("|")
        if counts:
            return f"{value} {one if str(value) == '1' else several}"
        return "…" if value == "…" else super().format_field(value, format_spec)


_COUNTING = _Counting()


class Words:
    """The texts of one language. `words(key, **values)` is the text under `key` with the values filled in.

    `usual` are the same texts with the keys that they name as they are on Linux and Windows.
    """

    def __init__(self, language: str, texts: Mapping[str, str], usual: Mapping[str, str] | None = None) -> None:
        self.language = language
        self._texts, self._usual = texts, texts if usual is None else usual

    @classmethod
    def load(cls, language: str) -> "Words":
        """Read a language file. Raises MissingAsset."""
        written = asset_text(f"lang/{language}.toml")
        return cls(language, _texts(native(written)), _texts(written))

    def __call__(self, key: str, **values: object) -> str:
        """The text under `key` with its values. A missing key or value is a bug and raises KeyError."""
        text = self._texts[key]
        return _COUNTING.vformat(text, (), values) if "|" in text else text.format(**values)

    def with_usual_keys(self, key: str, **values: object) -> str:
        """The text under `key` with keys as Qt is told them, for whoever puts the user's own in their place."""
        return self._usual[key].format(**values)

    def without_values(self, key: str) -> str:
        """The text under `key` with … in the place of each value. A missing key is a bug and raises KeyError."""
        return _COUNTING.vformat(self._texts[key], (), defaultdict(lambda: "…"))

    def or_other(self, key: str, **values: object) -> str:
        """The text under `key`, or the text `other` of the same table if there is none ("layers.dead.other")."""
        return self(key if key in self else f"{key.rpartition('.')[0]}.other", **values)

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def keys(self) -> frozenset[str]:
        """All keys, for the test that compares the languages."""
        return frozenset(self._texts)

    def error(self, error: ExplorerError) -> str:
        """The sentence that tells a user what went wrong; knobs are named in the user's language."""
        values = {
            name: quoted(value, _LONGEST_LIST if name in _LISTS else _MOST_QUOTED, is_path=name == "path")
            for name, value in error.values.items()
        }
        name = error.values.get("name")
        if isinstance(error, BadKnob | LensOfOtherKnobs) and f"knob.{name}.name" in self:
            values["name"] = f"{self(f'knob.{name}.name')} {name}"
        reason = error.values.get("reason")
        if isinstance(reason, ExplorerError):  # The error of a knob or a formula inside a file is quoted too.
            values["reason"] = self.error(reason).rstrip("。.")
        if isinstance(error, LacksTap | NoStreamToSteer) and str(error.values["why"]) in self:
            values["why"] = self(str(error.values["why"])).rstrip("。.")
        if isinstance(error, NothingMeasured):
            values["why"] = self.kind_of_error(str(error.values["why"])).rstrip("。.")
        return self(error.key, **values)

    def kind_of_error(self, key: str) -> str:
        """The sentence for several texts with the same kind of error, of which only the key is known, as in a scan."""
        common = f"scan.reason.{key.removeprefix('error.')}"
        if common in self:
            return self(common)
        return self.without_values(key) if key in self else key[:_MOST_QUOTED]


def quoted(value: object, most: int = _MOST_QUOTED, *, is_path: bool = False) -> object:
    """A value as an error quotes it: at most its `most` first characters, or a path's last 255, without control characters.

    A space replaces the end of a line, except in a path, where it would name another file.
    """
    if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < _LARGE):
        return value
    try:
        text = str(value)
    except Exception:  # Python writes no int of more than 4,300 digits, and a caller's own object may raise anything.
        text = hex(value) if isinstance(value, int) else type(value).__name__
    if not is_path:
        text = _LINE_END.sub(" ", text.rstrip("\r\n"))
    if is_path and len(text) > _LONGEST_PATH:
        text = f"…{text[1 - _LONGEST_PATH :]}"
    elif not is_path and len(text) > most:
        text = f"{text[: most - 1]}…"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def told_text(name: str) -> str:
    """The text of a bundled file for people, with keys as this system writes them. Raises MissingAsset."""
    return native(asset_text(name))


@lru_cache(maxsize=2 * len(LANGUAGES))
def _texts(toml: str) -> Mapping[str, str]:
    """All texts of a language file by their whole keys. Row "start → empty window": parsing a file takes 20 ms."""
    return dict(_flat(tomllib.loads(toml)))


def _flat(table: Mapping[str, object], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in table.items():
        key = f"{prefix}{name}"
        rows += _flat(value, f"{key}.") if isinstance(value, Mapping) else [(key, str(value))]
    return rows


def sentences(*several: str) -> str:
    """The non-empty sentences in a row; Chinese ones without a space between them."""
    return "".join(each if each.endswith("。") else f"{each} " for each in several if each).rstrip()


def system_language(environment: Mapping[str, str] = os.environ, ui_languages: Sequence[str] | None = None) -> str:
    """The language of the user's environment, else the first one that the system is set to ("zh-Hans-CN", "de").

    Without either it is Chinese, since an unset locale says nothing about the user. `ui_languages` are the system's languages
    as Qt reports them; None asks the system without Qt. On Linux only the environment counts.
    """
    named = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    if named.split(".")[0] not in ("", "C", "POSIX"):
        asked = environment.get("LANGUAGE", "").split(":")[0] or named  # LANGUAGE comes first, as in gettext.
    elif sys.platform.startswith("linux"):
        asked = ""
    else:
        asked = next(iter(_ui_languages() if ui_languages is None else ui_languages), "")
    return "zh" if not asked or asked.lower().startswith("zh") else "en"


def _ui_languages() -> Sequence[str]:
    """The languages that Windows or macOS is set to, in the user's order; empty where they are unknown."""
    if sys.platform == "win32":
        import ctypes

        return [locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")]
    if sys.platform == "darwin":
        import plistlib  # It is imported here because other systems do without it and its parser of XML.

        try:
            told = read_whole(Path.home() / "Library/Preferences/.GlobalPreferences.plist", _MOST_BYTES)
            return [str(each) for each in plistlib.loads(told).get("AppleLanguages", ())]
        except (ExplorerError, ValueError, plistlib.InvalidFileException):
            pass
    return []


def sentence(error: ExplorerError) -> str:
    """The error's sentence in the system's language, for `str(error)`; in the other language if its file is missing."""
    for language in (system_language(), *LANGUAGES):
        try:
            return Words.load(language).error(error)
        except MissingAsset:
            continue
    return f"{error.key}: {error.values}"  # Without any texts, only key and values can be shown.


ExplorerError.told_by = sentence
