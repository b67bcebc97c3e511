"""Moving the window to a screen of another scale and back: everything is drawn anew, for that screen.

Qt's platform without a screen has two here, the second with two pixels a point. It is told so by QT_SCREEN_SCALE_FACTORS: a
`dpr` in its file reaches the screen alone and no window. In place of a window manager the script gives the window to a screen.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from tests.sweeps import exhaustive

pytestmark = [pytest.mark.slow, exhaustive]  # every page on two screens

ROOT = Path(__file__).parents[2]
ONE, TWO = ROOT / "tests" / "screen.json", ROOT / "tests" / "two_screens.json"
SIZE, LARGE = (1200, 800), (2400, 1600)
PAGES = ("overview", "tokens", "position", "attention", "layers", "output")  # each kind of view is on one of them
VIEWS = "views"  # some of them by themselves: where a window keeps its size, as on Windows and macOS, nothing is laid out anew

_PROGRAM = f"""
import sys, time
from tests.turning import turn
from explorer.app.display import make_application
from explorer.app.main import Program

application = make_application()
program = Program("我爱北京天安门", "tiny", "en")
window, session = program.window, program.session
window.resize{SIZE}
window.status.hide()  # it tells milliseconds
window.show()

def settle():
    end = time.monotonic() + 60
    while session.waiting or session.frame is None or session.frame.serial != session.serial:
        turn()
        assert time.monotonic() < end
    resize{SIZE}

def resize(width, height):
    window.resize(width, height)
    for _ in range(20):
        application.processEvents()

def draw(screen, name):
    if screen:
        (there,) = [each for each in application.screens() if each.name() == screen]
        window.windowHandle().setScreen(there)
    # Without a window manager a window keeps its pixels, so that it is twice as large for a moment on the plain screen. The
    # axis of a curve keeps the room that its numbers had there; it has it on every screen, so that pictures are alike.
    resize{LARGE}
    resize{SIZE}
    window.grab().save(sys.argv[1] + "/" + name + ".png", quality=100)  # not pressed, which takes longer than to draw it

settle()
for page in {PAGES}:
    window.go(page)
    settle()
    for name, screen in zip(("first", "moved", "back"), sys.argv[2:]):
        draw(screen, page + "-" + name)
window.close()
program.close()
"""

_VIEWS = """
import sys
import numpy as np
from PySide6.QtWidgets import QWidget
from explorer.app.display import make_application
from explorer.picture.kinds import Waves
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.waves import WavesView
from tests.picture.examples import heatmap, wall, words

application = make_application()
grid = wall(2, 4, 6)
lines = np.stack([np.sin(np.arange(60) / 3), np.cos(np.arange(60) / 9)])
waves = Waves(values=lines, names=("a", "b"), n_marked=5, caption=grid.caption, x_name="position")
host = QWidget()
host.resize(700, 900)
for place, (view, picture) in enumerate(((WavesView(), waves), (HeatmapView(), heatmap(lines[:, :8])), (HeadGridView(), grid))):
    view.setParent(host)
    view.setGeometry(10, 10 + 290 * place, 600, 280)
    view.draw(picture, words("en"))
host.show()
for name, screen in zip(("first", "moved", "back"), sys.argv[2:]):
    if screen:
        (there,) = [each for each in application.screens() if each.name() == screen]
        host.windowHandle().setScreen(there)
        host.resize(700, 900)  # what is in it has no layout and stays as it is
    for _ in range(20):
        application.processEvents()
    host.grab().save(f"{sys.argv[1]}/views-{name}.png", quality=100)
"""


def _pictures(folder: Path, cache: Path, config: Path, *screens: str, **environment: str) -> None:
    """Run both scripts; a picture of each page, and of views whose size stays, on each of these screens in turn, where "" is
    the one that they opened on."""
    folder.mkdir()
    own = {
        "QT_QPA_PLATFORM": f"offscreen:configfile={config}",
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": str(cache),
        **environment,
    }
    for script in (_PROGRAM, _VIEWS):
        done = subprocess.run(
            [sys.executable, "-c", script, str(folder), *screens],
            cwd=ROOT,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def _read(path: Path) -> QImage:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    assert not image.isNull(), path
    return image


def _different(one: QImage, other: QImage) -> int:
    """How many pixels differ at all."""
    assert one.size() == other.size()
    pixels = [np.frombuffer(each.constBits(), np.uint8).reshape(each.height(), -1, 4)[..., :3] for each in (one, other)]
    return int((pixels[0] != pixels[1]).any(-1).sum())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path) -> Path:
    """The pages of a window that is moved to and fro, and of one that was opened on a dense screen and stays."""
    made = tmp_path_factory.mktemp("screens")
    _pictures(made / "moved", shared_cache, TWO, "plain", "dense", "plain", QT_SCREEN_SCALE_FACTORS="plain=1;dense=2")
    _pictures(made / "there", shared_cache, ONE, "", QT_SCALE_FACTOR="2")
    return made


@pytest.mark.parametrize("page", [*PAGES, VIEWS])
def test_on_a_denser_screen_a_page_is_as_sharp_as_if_it_had_been_opened_there(page: str, folder: Path, qtbot: QtBot) -> None:
    """Labels, maps, walls, curves and signs, to the pixel: nothing drawn for the other screen is left."""
    moved, there = _read(folder / "moved" / f"{page}-moved.png"), _read(folder / "there" / f"{page}-first.png")
    assert page == VIEWS or (moved.width(), moved.height()) == (2 * SIZE[0], 2 * SIZE[1])
    assert _different(moved, there) == 0


@pytest.mark.parametrize("page", [*PAGES, VIEWS])
def test_back_on_the_plain_screen_a_page_is_as_it_was(page: str, folder: Path, qtbot: QtBot) -> None:
    """To the pixel."""
    first, back = (_read(folder / "moved" / f"{page}-{name}.png") for name in ("first", "back"))
    assert page == VIEWS or (back.width(), back.height()) == SIZE
    assert _different(first, back) == 0


@pytest.mark.parametrize("page", [*PAGES, VIEWS])
def test_what_is_only_enlarged_would_be_seen(page: str, folder: Path, qtbot: QtBot) -> None:
    """The plain screen's picture at twice the size differs in every letter."""
    plain, there = _read(folder / "moved" / f"{page}-first.png"), _read(folder / "there" / f"{page}-first.png")
    for way in (Qt.TransformationMode.FastTransformation, Qt.TransformationMode.SmoothTransformation):
        enlarged = plain.scaled(there.size(), Qt.AspectRatioMode.IgnoreAspectRatio, way)
        assert _different(enlarged.convertToFormat(QImage.Format.Format_RGB32), there) > 10_000
