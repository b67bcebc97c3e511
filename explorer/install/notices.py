"""The libraries that the program runs with, and their licences, from the metadata that each of them brings.

A bundle has them in a file that was written when it was made: there the libraries of the system count too (`.ci/bundle.spec`).
"""

import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

import attrs

from explorer.files import read_whole
from explorer.install.libraries import OPTIONAL
from explorer.json_text import read_json_text
from explorer.resources import asset_text

FILE = "notices.json"
PROGRAM = "transformer-explorer"
_MOST_BYTES = 2**26  # of the file in a bundle
_MOST_OF_TEXT = 2**22
_LONGEST_NAME = 160  # characters of a licence's name; some metadata has the whole text in its place
_NAMED = re.compile(r"(?i)(licen[cs]e|copying|notice|copyright)")
_REQUIRED = re.compile(r"^[\w.-]+")
_WITHOUT_TEXT = {
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "jieba": ("MIT-jieba.txt",),
}
"""Licences whose texts a library does not bring, under `assets/licences`."""


@attrs.frozen
class Notice:
    """A library, the name of its licence, and the texts that come with it: each with the name of its file."""

    name: str
    version: str
    licence: str
    texts: tuple[tuple[str, str], ...] = ()

    def as_text(self) -> str:
        """The whole notice."""
        head = f"{self.name} {self.version}\n{self.licence}\n"
        return head + "".join(f"\n--- {name} ---\n\n{text.strip()}\n" for name, text in self.texts)


def notices() -> tuple[Notice, ...]:
    """The notices of all libraries: those of the bundle, or of what is installed. Raises CannotRead for a damaged bundle."""
    if getattr(sys, "frozen", False):
        return read_notices(Path(sys._MEIPASS) / FILE)  # type: ignore[attr-defined]  # PyInstaller sets it.
    return (python_notice(), *(notice_of(each) for each in required()))


def write_notices(path: Path, found: Iterable[Notice]) -> None:
    """Write the file of a bundle."""
    path.write_text(json.dumps([attrs.asdict(each) for each in found], ensure_ascii=False), encoding="utf-8")


def read_notices(path: Path) -> tuple[Notice, ...]:
    """What `write_notices` wrote. Raises CannotRead, ValueError."""
    rows = read_json_text(read_whole(path, _MOST_BYTES).decode("utf-8"))
    return tuple(Notice(**{**row, "texts": tuple((name, text) for name, text in row["texts"])}) for row in rows)


def required() -> tuple[metadata.Distribution, ...]:
    """The installed distributions that the program requires, and those that they require, by name."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [PROGRAM, *OPTIONAL]
    while waiting:
        try:
            each = metadata.distribution(waiting.pop())
        except metadata.PackageNotFoundError:  # An optional one, or one for other systems.
            continue
        if plain(each.name) not in found:
            found[plain(each.name)] = each
            waiting += [_REQUIRED.findall(line)[0] for line in each.requires or () if "extra ==" not in line]
    found.pop(PROGRAM, None)
    return tuple(found[name] for name in sorted(found))


def plain(name: str) -> str:
    """The name of a distribution as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def notice_of(each: metadata.Distribution) -> Notice:
    """The notice of a distribution; a text that it brings several times stands there once."""
    texts: dict[str, str] = {}
    for name, text in (
        *_brought(each),
        *((name, asset_text(f"licences/{name}")) for name in _WITHOUT_TEXT.get(plain(each.name), ())),
    ):
        if text not in texts.values():
            texts[name] = text
    return Notice(each.name, each.version, _licence(each), tuple(texts.items()))


def python_notice() -> Notice:
    """The notice of Python itself, with the libraries of others inside it."""
    places = (Path(os.__file__).with_name("LICENSE.txt"), Path(sys.base_prefix) / "LICENSE.txt")
    texts = ((path.name, read_whole(path, _MOST_OF_TEXT).decode("utf-8", "replace")) for path in places if path.is_file())
    return Notice("Python", platform.python_version(), "PSF-2.0", tuple(texts)[:1])


def _brought(each: metadata.Distribution) -> Iterator[tuple[str, str]]:
    """The texts in a distribution's metadata, by the names of their files."""
    for file in each.files or ():
        folder, *rest = file.parts
        if folder.endswith(".dist-info") and rest and (_NAMED.search(rest[-1]) or rest[0] == "licenses"):
            path = Path(str(each.locate_file(file)))
            if path.is_file():
                yield "/".join(rest).removeprefix("licenses/"), read_whole(path, _MOST_OF_TEXT).decode("utf-8", "replace")


def _licence(each: metadata.Distribution) -> str:
    """The name of a licence: in the notation of SPDX where the distribution has it, else in its own words."""
    told = each.metadata
    fields = [*(told.get_all("License-Expression") or ()), *(told.get_all("License") or ()), ""]
    name = " ".join(str(fields[0]).split())
    if 0 < len(name) <= _LONGEST_NAME and name != "UNKNOWN":
        return name
    rows = [row.rpartition(" :: ")[2] for row in told.get_all("Classifier") or () if row.startswith("License ::")]
    return " / ".join(rows)
