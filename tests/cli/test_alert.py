"""A start that failed where nobody reads a terminal. The box of another system is emulated; Qt's is a real one."""

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from explorer import __main__ as program
from explorer import resources
from explorer.app import start_box
from explorer.cli import alert
from explorer.errors import MissingAsset, NoDisplay, UnknownPreset
from explorer.resources import log_file

pytestmark = pytest.mark.slow  # processes of their own

ROOT = Path(__file__).parents[2]
REFUSED = ["--preset", "nope", "--xyzzy"]
SENTENCE = "没有选项 --xyzzy：请看 transformer-explorer --help。"

Start = Callable[..., int]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Start:
    """Start without streams, as Windows and launchers do, with these arguments, on a system; the exit status."""
    monkeypatch.setattr(resources, "user_log_path", lambda *_name, **_more: tmp_path / "log")

    def run(*arguments: str, system: str = "linux") -> int:
        with monkeypatch.context() as patch:
            for name in ("stdin", "stdout", "stderr"):
                patch.setattr(sys, name, None)
            patch.setattr(sys, "platform", system)
            patch.setattr(sys, "argv", ["transformer-explorer-window", *arguments])
            with pytest.raises(SystemExit) as left:
                program.main_window()
        return int(left.value.code)  # type: ignore[arg-type]  # it is a number

    return run


@pytest.fixture
def no_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt cannot be loaded: importing what shows its box fails."""
    monkeypatch.setitem(sys.modules, "explorer.app.start_box", None)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What Windows was asked to show."""
    shown: list[tuple[object, ...]] = []
    user32 = SimpleNamespace(MessageBoxW=lambda *given: shown.append(given))
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(user32=user32), raising=False)
    return shown


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> list[tuple[str, str]]:
    """Title and text of each box that Qt showed; somebody closes it at once. The platform without a screen counts as one."""
    seen: list[tuple[str, str]] = []
    monkeypatch.setattr(start_box, "_SEEN_BY_NOBODY", ())
    execute = QMessageBox.exec

    def read(box: QMessageBox) -> int:
        def close() -> None:
            assert box.isVisible()
            seen.append((box.windowTitle(), box.text()))
            box.accept()

        QTimer.singleShot(0, close)
        return execute(box)

    monkeypatch.setattr(QMessageBox, "exec", read)
    return seen


def opening(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """The window cannot be opened."""

    def fail(**_given: object) -> int:
        raise error

    monkeypatch.setattr("explorer.app.main.open_window", fail)


def test_a_users_error_is_shown_in_a_box_of_qts(start: Start, boxes: list[tuple[str, str]]) -> None:
    """One sentence, and nothing in the log."""
    assert start(*REFUSED) == 2
    assert boxes == [("Transformer Explorer", SENTENCE)]
    assert not log_file().exists()


def test_what_the_window_refuses_is_shown_too(
    start: Start, boxes: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the language that was asked for; what is quoted is text and no markup."""
    opening(monkeypatch, UnknownPreset(name="<b>nope</b>", known="tiny"))
    assert start("--language", "en", "--preset", "nope") == 2
    assert boxes == [("Transformer Explorer", "There is no preset <b>nope</b>; there are tiny.")]


def test_without_qt_windows_shows_its_own_box(start: Start, no_qt: None, windows: list[tuple[object, ...]]) -> None:
    """With its sign for an error."""
    assert start(*REFUSED, system="win32") == 2
    assert windows == [(None, SENTENCE, "Transformer Explorer", 0x10)]


@pytest.mark.parametrize(("answer", "logged"), [(0, False), (1, True), (None, True)])
def test_without_qt_macos_shows_its_own_box(
    answer: int | None, logged: bool, start: Start, no_qt: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence is an argument of the script, so no quotation mark in it can break the script; without osascript, or where
    it fails, there is the log file."""
    asked: list[list[str]] = []

    def run(command: list[str], **_more: object) -> SimpleNamespace:
        asked.append(command)
        if answer is None:
            raise FileNotFoundError
        return SimpleNamespace(returncode=answer)

    monkeypatch.setattr(subprocess, "run", run)
    assert start(*REFUSED, system="darwin") == 2
    assert [(command[0], command[-1]) for command in asked] == [("osascript", SENTENCE)]
    assert not any("nonsense" in part for part in asked[0][:-1])
    assert log_file().exists() == logged


def test_where_no_box_can_be_shown_there_is_a_line_in_the_log_file(start: Start, no_qt: None) -> None:
    """With its time."""
    assert start(*REFUSED) == 2
    line = log_file().read_text(encoding="utf-8")
    assert line.endswith(f" {SENTENCE}\n") and line.count("\n") == 1 and line[:2] == "20"


def test_a_box_that_nobody_could_see_is_not_waited_for(start: Start, qtbot: QtBot) -> None:
    """Qt's platforms without a screen."""
    assert start(*REFUSED) == 2
    assert SENTENCE in log_file().read_text(encoding="utf-8")


def test_a_command_that_opens_no_window_shows_no_box(start: Start, boxes: list[tuple[str, str]]) -> None:
    """It may be a job of the night; its sentence is in the log file."""
    assert start("show", "") == 2
    assert boxes == []
    assert "句子是空的" in log_file().read_text(encoding="utf-8")


@pytest.mark.parametrize(("language", "sentence"), [("zh", "这是程序的错误，不是您的"), ("en", "its own mistake, not yours")])
def test_a_bug_at_the_start_is_reported_in_the_log_file_that_the_box_names(
    language: str, sentence: str, start: Start, boxes: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its traceback; the status is 1."""
    opening(monkeypatch, ImportError("libEGL.so.1: cannot open\nshared object file"))
    assert start("--language", language) == 1
    ((_title, text),) = boxes
    assert sentence in text and str(log_file()) in text
    assert "ImportError: libEGL.so.1: cannot open shared object file" in text
    report = log_file().read_text(encoding="utf-8")
    assert "Traceback" in report and "libEGL.so.1" in report


def test_a_log_that_cannot_be_written_costs_the_log_alone(
    start: Start, boxes: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The box says so."""
    (tmp_path / "log").write_text("no folder")
    opening(monkeypatch, ZeroDivisionError("division by zero"))
    assert start() == 1
    assert "ZeroDivisionError: division by zero" in boxes[0][1] and "报告没能写下来" in boxes[0][1]


@pytest.mark.parametrize("damage", ["gone", "torn"])
def test_broken_texts_are_told_in_the_other_language(
    damage: str, start: Start, boxes: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file that is gone is the user's to mend; one that is torn is a bug with a report."""
    real = resources.asset

    def without(name: str) -> Path:
        if name != "lang/zh.toml":
            return real(name)
        if damage == "gone":
            raise MissingAsset(name=f"assets/{name}")
        text = real(name).read_text("utf-8")
        (tmp_path / "zh.toml").write_text(text[: text.index('"') + 2], "utf-8")  # torn inside the first value
        return tmp_path / "zh.toml"

    monkeypatch.setattr(resources, "asset", without)
    assert start() == (2 if damage == "gone" else 1)
    assert ("lacks its file assets/lang/zh.toml" if damage == "gone" else "TOMLDecodeError") in boxes[0][1]


def test_without_any_texts_the_box_shows_what_there_is(
    start: Start, boxes: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error and the file with its report."""

    def torn(_language: str) -> None:
        raise ValueError("torn")

    monkeypatch.setattr(alert.Words, "load", torn)
    assert start() == 1
    assert boxes[0][1] == f"ValueError: torn {log_file()}"


def test_a_terminal_is_enough(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads the line there needs no box; where the window's command writes into a launcher's log, one is shown too."""
    told: list[str] = []
    monkeypatch.setattr(program, "tell", lambda sentence, **_more: told.append(sentence))
    monkeypatch.setattr(sys, "argv", ["transformer-explorer-window", *REFUSED])
    for entry, terminal, heard in (
        (program.main, False, []),
        (program.main_window, False, [SENTENCE]),
        (program.main_window, True, []),
    ):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        told.clear()
        with pytest.raises(SystemExit) as left:
            entry()
        assert (left.value.code, told) == (2, heard)
        assert capsys.readouterr().err == f"{SENTENCE}\n"


@pytest.mark.parametrize(
    ("environment", "answers", "found", "left"),
    [
        ({"DISPLAY": ":7"}, True, True, {"DISPLAY": ":7"}),
        ({"DISPLAY": ":7", "QT_QPA_PLATFORM": "wayland"}, True, True, {"DISPLAY": ":7"}),
        ({"DISPLAY": ":7", "QT_QPA_PLATFORM": "wayland"}, False, False, {"DISPLAY": ":7"}),
        ({}, True, False, {}),
    ],
)
def test_the_box_takes_the_screen_that_is_left(
    environment: dict[str, str], answers: bool, found: bool, left: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window was asked for on a compositor that is not there; its box opens on the X server."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("explorer.app.display.x_answers", lambda _display: answers)
    monkeypatch.setattr("os.environ", environment)
    monkeypatch.setattr(start_box.QGuiApplication, "instance", lambda: None)
    monkeypatch.setattr(QApplication, "instance", lambda: None)
    made: list[bool] = []
    monkeypatch.setattr(start_box, "make_application", lambda: made.append(True))
    start_box.show("", SENTENCE)
    assert (made, environment) == ([True] * found, left)


def test_without_a_screen_there_is_no_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before Qt has been started, which would end the process."""
    monkeypatch.setattr(start_box.QGuiApplication, "instance", lambda: None)
    monkeypatch.setattr(QApplication, "instance", lambda: None)
    monkeypatch.setattr("os.environ", {"QT_QPA_PLATFORM": "wayland"})

    def refuse(_environment: object) -> None:
        raise NoDisplay(display="", wayland="")

    monkeypatch.setattr(start_box, "check_display", refuse)
    assert not start_box.show("title", "sentence")


def test_outside_a_failed_start_leaves_its_line(tmp_path: Path) -> None:
    """The whole way, in a process without streams and without a screen."""
    script = "import sys; sys.stdin = sys.stdout = sys.stderr = None\nfrom explorer.__main__ import main_window\nmain_window()"
    environment = {"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LC_ALL": "en_US.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")
    (log,) = tmp_path.rglob("faults.log")
    assert "There is no screen" in log.read_text(encoding="utf-8")
