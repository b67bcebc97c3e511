"""Notices of the libraries: all that are required, each with the text of its licence, from the metadata that it brings."""

import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

from explorer.install import notices as noticed
from explorer.install.libraries import NEEDED
from explorer.install.notices import Notice, notice_of, notices, plain, read_notices, write_notices

FOUND = notices()


def named(name: str) -> Notice:
    return next(each for each in FOUND if plain(each.name) == plain(name))


def test_every_library_that_the_program_needs_is_named() -> None:
    """And those that these need; each once, with the version that is installed."""
    names = [plain(each.name) for each in FOUND]
    assert {plain(name) for name in NEEDED} | {"python", "shiboken6", "sympy"} <= set(names)
    assert len(names) == len(set(names))
    assert named("torch").version == metadata.version("torch")


def test_each_has_a_licence_and_its_text() -> None:
    """Of those that the program needs; the text says who owns what."""
    for name in (*NEEDED, "Python", "shiboken6"):
        notice = named(name)
        assert notice.licence and notice.texts, name
        assert re.search("(?i)copyright", notice.as_text()), name


def test_qts_licence_comes_with_its_two_texts() -> None:
    """Its wheels bring none: the Lesser licence, and the General one that it refers to."""
    texts = [text for _name, text in named("PySide6-Essentials").texts]
    assert len(texts) == 2 and all("Free Software Foundation" in text for text in texts)
    assert "LESSER" in texts[0] and "LESSER" not in texts[1].splitlines()[0]


class Distribution(metadata.Distribution):
    """One that is installed nowhere."""

    def __init__(self, folder: Path, about: str) -> None:
        self.folder = folder
        (folder / "a-1.dist-info").mkdir(exist_ok=True)
        (folder / "a-1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: a\nVersion: 1\n{about}\n")

    def read_text(self, filename: str) -> str | None:
        path = self.folder / "a-1.dist-info" / filename
        if filename == "RECORD":
            return "".join(f"{each.relative_to(self.folder).as_posix()},,\n" for each in self.folder.rglob("*"))
        return path.read_text("utf-8") if path.is_file() else None

    def locate_file(self, path: object) -> Path:  # type: ignore[override]
        return self.folder / str(path)


@pytest.mark.parametrize(
    ("about", "licence"),
    [
        ("License-Expression: MIT AND Zlib", "MIT AND Zlib"),
        ("License: BSD", "BSD"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License", "MIT License"),
        (f"License: {'All of a text. ' * 20}\nClassifier: License :: OSI Approved :: MIT License", "MIT License"),
        ("Classifier: Topic :: Games", ""),
    ],
)
def test_the_name_of_a_licence_is_found_where_it_stands(about: str, licence: str, tmp_path: Path) -> None:
    """In the field of SPDX, in the older one, which some fill with the whole text, or among the classifiers."""
    assert notice_of(Distribution(tmp_path, about)).licence == licence


def test_a_text_that_is_there_twice_is_told_once(tmp_path: Path) -> None:
    """By the names of files; what is no licence is left out."""
    made = Distribution(tmp_path, "License: MIT")
    licences = tmp_path / "a-1.dist-info" / "licenses"
    licences.mkdir()
    for name, text in (("COPYING", "one"), ("LICENSE.txt", "one"), ("AUTHORS", "two")):
        (licences / name).write_text(text)
    (tmp_path / "a-1.dist-info" / "NOTICE").write_text("three")
    (tmp_path / "LICENSE").write_text("not in the metadata")
    assert sorted(text for _name, text in notice_of(made).texts) == ["one", "three", "two"]


def test_a_bundle_reads_what_was_written_when_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the letter."""
    write_notices(tmp_path / noticed.FILE, FOUND)
    assert read_notices(tmp_path / noticed.FILE) == FOUND
    only = (Notice("libx.so.1", "1", "X", (("copyright", "© 中"),)),)
    write_notices(tmp_path / noticed.FILE, only)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert notices() == only
