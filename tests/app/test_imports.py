"""Qt's classes are made on the GUI thread alone."""

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys, threading

QT = ("PySide6", "pyqtgraph", "explorer.views", "explorer.app")


class Noticing:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(QT) and threading.current_thread() is not threading.main_thread():
            print("beside:", name, threading.current_thread().name)


sys.meta_path.insert(0, Noticing())

from tests.turning import turn
from explorer import lang, page_list
from explorer.app.main import Program, make_application

application = make_application()
assert "pyqtgraph" not in sys.modules
program = Program("我爱北京", "tiny", "zh")
program.open()
dialog, last_page = "explorer.app.shell.export_dialog", page_list.module_of(page_list.KEYS[-1])
while program.session.frame is None or lang._texts.cache_info().currsize < 2 or last_page not in sys.modules:
    turn()
print("page:", program.window.page_stack.page.key, "pyqtgraph" in sys.modules)
print("export:", "explorer.export.job" in sys.modules, dialog in sys.modules)
print("pages:", [name for name in sys.modules if name.endswith("_page")][-1], list(program.window.page_stack.pages))
program.close()
"""


def test_only_the_gui_thread_imports_what_makes_classes_of_qt() -> None:
    """Two threads that ask PySide for classes at once took one start in twenty down; so no other thread asks.

    What the first export needs of other kinds is loaded beside the window, and the texts of both languages; then its dialog
    and the modules of all pages, of which only the first is made.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    pages = "pages: explorer.app.pages.training_page ['overview']"
    assert done.stdout.split("\n") == ["page: overview True", "export: True True", pages, ""]


def test_no_thread_keeps_an_object_of_a_window_that_has_gone(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would let it go itself, while the GUI thread brings it a signal, and the process would die: one run in ten did."""
    from explorer.app import imports

    began, go_on = threading.Event(), threading.Event()

    def load(*_self: object) -> None:
        began.set()
        assert go_on.wait(60)

    monkeypatch.setattr(imports, "load_beside", load)
    later = imports.LaterImports()
    later.start(0)
    qtbot.waitUntil(began.is_set)
    kept = weakref.ref(later)
    del later
    gc.collect()
    assert kept() is None
    go_on.set()
