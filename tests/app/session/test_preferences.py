"""Preferences: what an earlier version wrote is read as text, and no file of them runs anything."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QApplication, QWidget

from explorer.app.session.preferences import Preferences, read_old_preferences
from explorer.resources import config_folder

# As QSettings has written it; `[other]` and the list are nothing that an earlier version kept.
OLD = rb"""[General]
export="{\"size\": \"a, b\"}"
folders="/a/\x597d;x\n/b=c"
geometry=@ByteArray(\x1\xd9\xd0\xcb\0\x3\0\0ab))
at=@@home
nul=@String(a\0\x62)
language=en
list=a, "b, c"
n=3
odd=\xd800\x110000\q
theme=dark
rect=@Rect(0 0 1 1)
wrong key=1
noise

[other]
theme=light
"""


class Runs:
    """Unpickled, it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, (str(self.path),)


def variant(value: object) -> str:
    """What QSettings writes of a Python object: a user's type, its name, and its pickle."""
    raw, name = pickle.dumps(value), b"PySide::PyObjectWrapper\0"
    data = (127).to_bytes(4, "big") + len(name).to_bytes(4, "big") + name + len(raw).to_bytes(4, "big") + raw
    return "@Variant(" + "".join(f"\\x{each:02x}" for each in data) + ")"


def test_what_an_earlier_version_wrote_is_read() -> None:
    """Texts with their escapes, and bytes; of lists, objects and other sections nothing."""
    assert read_old_preferences(OLD) == {
        "export": '{"size": "a, b"}',
        "folders": "/a/好;x\n/b=c",
        "geometry": "AdnQywADAABhYik=",
        "at": "@home",
        "nul": "a\0b",
        "language": "en",
        "n": "3",
        "odd": "\ufffd\ufffdq",
        "theme": "dark",
    }


@pytest.mark.parametrize("name", ["preferences.ini", "preferences.toml"])
def test_a_pickled_object_in_the_file_runs_nothing(name: str, tmp_path: Path, qapp: QApplication) -> None:
    """It is dropped, and what stands beside it is read."""
    ran = tmp_path / "ran"
    pickle.loads(pickle.dumps(Runs(ran)))
    assert ran.is_dir()
    ran.rmdir()
    value = variant(Runs(ran))
    lines = ["[General]", f"geometry={value}", f'text="{value}"', "theme=dark"]
    if name.endswith("toml"):
        lines = [f"geometry = '{value}'", 'theme = "dark"']
    (config_folder() / name).write_text("\n".join(lines))

    found = Preferences()

    assert found.theme == "dark" and found.text("text") == ""
    QWidget().restoreGeometry(found.geometry)
    found.put(language="en")
    assert not ran.exists()


def test_old_preferences_go_on_as_toml_and_the_geometry_comes_back() -> None:
    """The first change writes all of them into the new file; the old one is then no longer read."""
    old = config_folder() / "preferences.ini"
    old.write_bytes(OLD)
    Preferences().put(language="zh")
    old.unlink()
    found = Preferences()
    assert (found.language, found.theme, found.text("at")) == ("zh", "dark", "@home")
    assert found.geometry == QByteArray(b"\x01\xd9\xd0\xcb\x00\x03\x00\x00ab)")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"theme = ", b"a = " + b"[" * 100_000, b'theme = 7\nlanguage = ["en"]', b"theme = " + b"9" * 5000]
)
def test_a_file_that_cannot_be_read_gives_the_defaults(content: bytes) -> None:
    """And is written over by the next change."""
    path = config_folder() / "preferences.toml"
    path.write_bytes(content)
    found = Preferences()
    assert (found.theme, found.motion, found.size, found.geometry) == ("system", "system", "by_screen", QByteArray())
    found.put(theme="light")
    assert Preferences().theme == "light"


def test_a_window_keeps_what_it_could_not_write() -> None:
    """A folder stands where the file should be; when it is gone, the next change writes all of it."""
    folder = config_folder() / "preferences.toml"
    folder.mkdir()
    found = Preferences()
    found.put(theme="dark")
    assert found.change("sessions", lambda text: f"{text}a") == "a" and found.theme == "dark"
    folder.rmdir()
    found.put(motion="full")
    assert [Preferences().text(name) for name in ("theme", "sessions", "motion")] == ["dark", "a", "full"]


def test_a_change_that_changes_nothing_is_not_written() -> None:
    """At a start each list of several entries is looked at in this way."""
    assert Preferences().change("folders", lambda text: text) == ""
    Preferences().put(theme="")
    assert not (config_folder() / "preferences.toml").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in its folders")
@pytest.mark.parametrize("name", ["preferences.ini", "preferences.toml"])
def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(name: str) -> None:
    """The window opens with the defaults."""
    os.mkfifo(config_folder() / name)
    assert Preferences().theme == "system"
