"""What Qt is told before the window opens, on systems other than this one as well."""

import json
import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QFrame,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from explorer.app import display
from explorer.app.display import IDENTITY, QtTexts, check_display, choose_input_method, suited_size, use_size
from explorer.errors import NoDisplay
from explorer.lang import Words
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.painting.style import use_theme

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SCREEN = ROOT / "tests" / "screen.json"


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """A folder of Qt's plugins as PySide6 brings it."""
    folder = tmp_path / "platforminputcontexts"
    folder.mkdir()
    for name in ("compose", "ibus"):
        (folder / f"lib{name}platforminputcontextplugin.so").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("before", "lacking", "after"),
    [
        ({"QT_IM_MODULE": "fcitx"}, "fcitx", {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULE": "fcitx5"}, "fcitx5", {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULES": "fcitx;uim"}, "fcitx", {"QT_IM_MODULES": "ibus", "QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULES": "wayland;fcitx;ibus"}, "", {"QT_IM_MODULES": "wayland;fcitx;ibus"}),
        ({"QT_IM_MODULE": "ibus"}, "", {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULE": "xim"}, "", {"QT_IM_MODULE": "xim"}),
        ({"QT_IM_MODULE": "none"}, "", {"QT_IM_MODULE": "none"}),
        ({}, "", {}),
    ],
)
def test_an_input_method_without_a_plugin_is_spoken_to_as_ibus(
    before: dict[str, str], lacking: str, after: dict[str, str], plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fcitx is the usual one of Chinese desktops; what has a plugin, or needs none, is left alone."""
    monkeypatch.setattr(sys, "platform", "linux")
    assert choose_input_method(before, plugins) == lacking
    assert before == after


def test_the_plugins_of_this_qt_are_found() -> None:
    """Where PySide6 lies; on Linux it brings the one for ibus."""
    if sys.platform.startswith("linux"):
        environment = {"QT_IM_MODULE": "fcitx"}
        assert (choose_input_method(environment), environment) == ("fcitx", {"QT_IM_MODULE": "ibus"})


def test_with_a_plugin_of_its_own_fcitx_is_kept(plugins: Path) -> None:
    """Whoever has put it there knows why."""
    (plugins / "platforminputcontexts" / "libfcitx5platforminputcontextplugin.so").touch()
    environment = {"QT_IM_MODULE": "fcitx5"}
    assert (choose_input_method(environment, plugins), environment) == ("", {"QT_IM_MODULE": "fcitx5"})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has these two kinds of screens")
def test_a_stale_wayland_display_is_one_sentence(tmp_path: Path) -> None:
    """Qt would abort; without an X server there is no screen at all."""
    left = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}
    with pytest.raises(NoDisplay) as caught:
        check_display(left)

    assert 'WAYLAND_DISPLAY "wayland-0"' in Words.load("en").error(caught.value)
    with pytest.raises(NoDisplay):
        check_display({"QT_QPA_PLATFORM": "wayland", **left})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has these two kinds of screens")
def test_beside_a_stale_wayland_display_the_x_server_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a compositor that answers is."""
    monkeypatch.setattr(display, "x_answers", lambda _display: True)
    environment = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path), "DISPLAY": ":7"}
    check_display(environment)
    assert environment["QT_QPA_PLATFORM"] == "xcb"

    del environment["QT_QPA_PLATFORM"]
    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.bind(str(tmp_path / "wayland-0"))
        compositor.listen()
        check_display(environment)
    assert "QT_QPA_PLATFORM" not in environment


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("shadow", list(QFrame.Shadow))
def test_a_line_in_qts_own_boxes_is_a_hairline(theme: Theme, shadow: QFrame.Shadow, qtbot: QtBot, qapp: QApplication) -> None:
    """The one above a report's details was white in the dark theme."""
    before = qapp.palette()
    use_theme(qapp, theme)
    try:
        dialog = QDialog()
        qtbot.addWidget(dialog)
        line = QFrame(dialog)
        line.setFrameStyle(QFrame.Shape.HLine | shadow)
        line.resize(100, 4)
        seen = line.grab().toImage()
        colours = {seen.pixelColor(50, y).name() for y in range(seen.height())} - {QColor(theme.window).name()}
        assert colours <= {QColor(theme.hairline).name(), QColor(theme.text).name()} and colours
    finally:
        qapp.setStyleSheet("")
        qapp.setPalette(before)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", [QLabel, QLineEdit, QComboBox, QPushButton, QCheckBox, WholeNumberBox, QToolButton])
def test_disabled_text_looks_disabled(kind: type[QWidget], theme: Theme, qtbot: QtBot, qapp: QApplication) -> None:
    """Its letters stand out from their ground by at most two thirds of what they do otherwise."""
    before = qapp.palette()
    use_theme(qapp, theme)
    try:
        dialog = QDialog()
        qtbot.addWidget(dialog)
        dialog.resize(200, 60)
        widget = kind()
        widget.setParent(dialog)
        if isinstance(widget, QComboBox):
            widget.addItem("MMMM")
        elif isinstance(widget, WholeNumberBox):
            widget.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
            widget.setPrefix("MMMM")
        else:
            widget.setText("MMMM")  # type: ignore[attr-defined]  # all the others have it
        widget.setGeometry(10, 10, 160, 32)
        dialog.show()
        dialog.setFocus()
        stands_out = []
        for enabled in (True, False):
            widget.setEnabled(enabled)
            seen = dialog.grab().toImage()
            across = [seen.pixelColor(x, y).lightness() for x in range(34, 136) for y in range(18, 34)]
            ground = max(set(across), key=across.count)
            stands_out.append(max(abs(each - ground) for each in across))
        assert stands_out[0] > 100
        assert stands_out[1] < 0.65 * stands_out[0]
    finally:
        qapp.setStyleSheet("")
        qapp.setPalette(before)


def test_the_window_has_the_programs_name_and_sign(qapp: QApplication) -> None:
    """Desktops find the file with its name and icon by this, and group its windows."""
    display.identify(qapp)
    assert (QGuiApplication.desktopFileName(), qapp.applicationName()) == (IDENTITY, IDENTITY)
    assert not qapp.windowIcon().isNull()


def test_the_launcher_starts_a_command_that_is_installed() -> None:
    """The one that tells in a box what goes wrong: nobody reads what is written there."""
    told = (ROOT / "assets" / "linux" / f"{IDENTITY}.desktop").read_text(encoding="utf-8")
    entry = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command, files = entry["Exec"].split()
    assert project["gui-scripts"][command] == "explorer.__main__:main_window" and files == "%f"
    assert (entry["Icon"], entry["StartupWMClass"]) == (IDENTITY, IDENTITY)


def test_qts_own_words_follow_the_language(qtbot: QtBot) -> None:
    """Its file dialog and message boxes are Qt's texts."""
    texts = QtTexts()
    try:
        texts.speak("zh")
        assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "取消"
    finally:
        texts.speak("en")
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Cancel"


_LOCALES = """
import sys
from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtGui import QFontInfo, QKeyEvent
from PySide6.QtTest import QTest
from explorer.app.main import make_application
from explorer.config import find_knob
from explorer.lang import Words
from explorer.views.controls.knobs import KnobRow

application = make_application()
row = KnobRow(find_knob("temperature"))
row.speak(Words.load("en"))
told = []
row.turned.connect(lambda _name, value: told.append(value))
for typed in ("0.5", "0,5", "0，5", "0。5", "٠٫٥", "０．５"):
    row.put(1.0, 1.0)
    row.editor.lineEdit().selectAll()
    for letter in typed:
        application.sendEvent(row.editor.lineEdit(), QKeyEvent(QEvent.Type.KeyPress, 0, Qt.KeyboardModifier.NoModifier, letter))
    QTest.keyClick(row.editor, Qt.Key.Key_Return)
whole = KnobRow(find_knob("d_model"))
whole.put(256, 256)
print(QLocale.system().name(), told, whole.editor.text(), application.layoutDirection().name,
      QFontInfo(application.font()).pixelSize())
"""


@pytest.mark.parametrize("locale", ["de_DE", "zh_CN", "ar_EG"])
@pytest.mark.parametrize("dpi", [72, 96])
def test_numbers_are_the_same_in_every_locale(locale: str, dpi: int) -> None:
    """In German 0.5 became 5.0, in Arabic the knobs showed ٢٥٦ and everything ran from the right; on macOS, where an inch
    has 72 pixels, letters were a quarter smaller."""
    environment = {**os.environ, "LC_ALL": f"{locale}.UTF-8", "QT_QPA_PLATFORM": "offscreen", "QT_FONT_DPI": str(dpi)}
    done = subprocess.run(
        [sys.executable, "-c", _LOCALES],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{locale} [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] 256 LeftToRight 13"


_ENLARGED = """
import json
import os
from explorer.app.display import make_application
from PySide6.QtWidgets import QWidget
application = make_application("{size}")
widget = QWidget()
widget.show()
print(widget.devicePixelRatioF())
"""


@pytest.mark.parametrize(
    ("size", "own", "screen", "ratio"),
    [
        ("100", None, (2560, 1440), 1.0),
        ("150", None, (1920, 1080), 1.5),
        ("150", "2", (1920, 1080), 2.0),
        ("by_screen", None, (1920, 1080), 1.0),
        ("by_screen", None, (2560, 1440), 1.6),
        ("by_screen", "1.25", (2560, 1440), 1.25),
    ],
)
def test_a_size_enlarges_everything(size: str, own: str | None, screen: tuple[int, int], ratio: float, tmp_path: Path) -> None:
    """Qt's scale factor, which must be known before Qt starts; one that the environment names already stays."""
    there = json.loads(SCREEN.read_text())
    there["screens"][0] |= dict(zip(("width", "height"), screen, strict=True))
    told = tmp_path / "screen.json"
    told.write_text(json.dumps(there))
    environment = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={told}"}
    environment |= {} if own is None else {"QT_SCALE_FACTOR": own}
    done = subprocess.run(
        [sys.executable, "-c", _ENLARGED.format(size=size)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert ratio == float(done.stdout)


def test_the_size_is_told_to_qt_once() -> None:
    environment: dict[str, str] = {}
    for usual in ("100", "by_screen"):
        use_size(environment, usual)
        assert not environment
    use_size(environment, "125")
    assert {"QT_SCALE_FACTOR": "1.25"} == environment


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        ((800, 600), "100"),
        ((1366, 768), "100"),
        ((1920, 1080), "100"),
        ((1920, 1200), "130"),
        ((2560, 1440), "160"),
        ((3440, 1440), "160"),
        ((3840, 2160), "240"),
    ],
)
def test_everything_grows_with_the_screen(screen: tuple[int, int], size: str) -> None:
    """The window as it opens at first has room in it; at 2560 × 1440 its letters have 21 pixels."""
    assert suited_size(*screen) == size


def test_numpy_multiplies_with_one_thread_unless_it_is_told_otherwise() -> None:
    """Its other threads would look for work on the model's cores long behind a product. The command has not imported it yet."""
    script = """
import os, sys
import explorer.cli.main
early = "numpy" in sys.modules
import explorer.app.main
import numpy as np, psutil
np.ones((700, 700)) @ np.ones((700, 700))
print(early, os.environ["OPENBLAS_NUM_THREADS"], psutil.Process().num_threads())
"""
    printed: dict[str, list[str]] = {}
    for told in ("", "1", "2"):
        environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
        environment |= {"OPENBLAS_NUM_THREADS": told} if told else {}
        run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
        printed[told] = run.stdout.split()
    assert printed[""] == printed["1"] and printed[""][:2] == ["False", "1"]
    assert printed["2"][:2] == ["False", "2"]
    if sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1:  # There NumPy's wheels have OpenBLAS.
        assert int(printed["2"][2]) > int(printed["1"][2])
