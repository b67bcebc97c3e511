"""The entry in a Linux desktop: placed, whole, understood by the desktop's own tools, and taken away."""

import configparser
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import CannotCreate, CannotWrite
from explorer.install import desktop
from explorer.resources import asset

_INFO = "{http://www.freedesktop.org/standards/shared-mime-info}"


def entry_of(data: Path) -> configparser.SectionProxy:
    reader = configparser.ConfigParser(interpolation=None)
    reader.optionxform = str  # type: ignore[assignment,method-assign]
    reader.read(desktop.places(data)[0], encoding="utf-8")
    return reader["Desktop Entry"]


def test_everything_is_placed_and_taken_away(tmp_path: Path) -> None:
    """Three files, none of them twice; the second removal finds nothing."""
    assert sorted(desktop.place(tmp_path)) == sorted(desktop.places(tmp_path))
    assert sorted(desktop.place(tmp_path)) == sorted(desktop.places(tmp_path))
    assert desktop.places(tmp_path)[1].read_bytes() == asset("icons/explorer.svg").read_bytes()
    assert not list(tmp_path.rglob("*.unfinished*"))
    assert sorted(desktop.take_away(tmp_path)) == sorted(desktop.places(tmp_path))
    assert desktop.take_away(tmp_path) == []


def test_the_entry_starts_the_program_that_runs_now(tmp_path: Path) -> None:
    """By its whole path, and it takes a file."""
    desktop.place(tmp_path)
    *command, file = shlex.split(entry_of(tmp_path)["Exec"])
    assert file == "%f" and Path(command[0]).is_absolute() and Path(command[0]).is_file()


def test_the_entry_opens_the_kinds_that_are_declared(tmp_path: Path) -> None:
    """The same in the desktop file and in the list of kinds."""
    desktop.place(tmp_path)
    kinds = ElementTree.parse(desktop.places(tmp_path)[2]).getroot()
    declared = {each.get("type") for each in kinds.iter(f"{_INFO}mime-type")}
    assert declared == set(entry_of(tmp_path)["MimeType"].strip(";").split(";")) == set(desktop.MIME_TYPES)


@pytest.mark.skipif(shutil.which("update-mime-database") is None, reason="reads the kinds as a desktop does")
def test_the_desktop_knows_the_kinds_by_their_names(tmp_path: Path) -> None:
    """Through its own compiled list of endings."""
    desktop.place(tmp_path)
    globs = (tmp_path / "mime" / "globs2").read_text("utf-8")
    assert f"60:{desktop.MIME_TYPES[0]}:*.explorer.toml" in globs
    assert f"60:{desktop.MIME_TYPES[1]}:*.explorer\n" in globs
    assert f"60:{desktop.MIME_TYPES[2]}:*.lesson.toml\n" in globs


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="the makers' own check")
def test_the_entry_is_valid(tmp_path: Path) -> None:
    """No error and no warning."""
    desktop.place(tmp_path)
    done = subprocess.run(["desktop-file-validate", desktop.places(tmp_path)[0]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
def test_any_path_comes_back_from_the_exec_line(word: str) -> None:
    """Undone as the rules say: first the string value, then the quotes, then the doubled per cent sign."""
    line = desktop.quoted(word).replace("\\\\", "\\")
    assert shlex.split(line.replace("\\`", "`").replace("\\$", "$") if "\\" in line else line)[0].replace("%%", "%") == word


def test_a_bundle_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no Python beside it; without the command beside it, Python starts the package."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/a b/transformer-explorer")
    assert desktop.exec_line() == '"/opt/a b/transformer-explorer" %f'
    monkeypatch.setattr(sys, "frozen", False)
    monkeypatch.setattr(sys, "executable", "/opt/python")
    assert desktop.exec_line() == "/opt/python -P -m explorer %f"


def test_the_users_folder_is_the_one_that_desktops_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """XDG_DATA_HOME where it is a whole path."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert desktop.data_folder({"XDG_DATA_HOME": "/a"}) == Path("/a")
    assert desktop.data_folder({"XDG_DATA_HOME": "a"}) == desktop.data_folder({}) == tmp_path / ".local" / "share"


def test_a_place_that_cannot_be_written_is_a_users_error(tmp_path: Path) -> None:
    """A file stands where a folder is wanted, or a folder where a file is."""
    (tmp_path / "mime").touch()
    with pytest.raises(CannotCreate):
        desktop.place(tmp_path)
    (tmp_path / "mime").unlink()
    desktop.places(tmp_path)[2].mkdir(parents=True)
    with pytest.raises(CannotWrite):
        desktop.place(tmp_path)


def test_an_older_entry_stays_where_the_new_one_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are replaced whole or not at all."""
    desktop.place(tmp_path)
    before = desktop.places(tmp_path)[0].read_bytes()

    def refuse(self: Path, _content: bytes) -> int:
        raise OSError(28, "full")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(CannotWrite):
        desktop.place(tmp_path)
    assert desktop.places(tmp_path)[0].read_bytes() == before
