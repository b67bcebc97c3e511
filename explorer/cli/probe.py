"""What `doctor` asks of Qt, in a process of its own: a Qt that lacks something may end the whole process.

Each answer is written as soon as it is known, so what was reached before the end can be read.
"""

import os
import time
from collections.abc import Iterator
from typing import Any

import psutil
from PySide6.QtCore import QEventLoop, QTimer, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication, QPixmap
from PySide6.QtWidgets import QApplication

from explorer.app.display import check_display, make_application
from explorer.app.main import Program
from explorer.engine.request import Frame
from explorer.errors import NoDisplay

_PATIENCE_MS = 120_000
Answer = dict[str, Any]


def answers(*, picture: bool) -> Iterator[Answer]:
    """Version and platform of Qt, fonts and screens; with `picture`, when the first picture stood in the window as well."""
    yield {"qt": qVersion()}
    try:
        check_display(os.environ)
    except NoDisplay:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        yield {"no_screen": True}
    application = make_application()
    yield {
        "platform": application.platformName(),
        "font": application.font().family(),
        "families": len(QFontDatabase.families()),
        "screens": [_screen(number) for number in range(len(QGuiApplication.screens()))],
    }
    if picture:
        yield first_picture(application)


def _screen(number: int) -> str:
    """A screen's size in pixels and its scale: "2560 × 1440 (×1.5)"."""
    screen = QGuiApplication.screens()[number]
    size, scale = screen.size(), screen.devicePixelRatio()
    return f"{round(size.width() * scale)} × {round(size.height() * scale)}" + (f" (×{scale:g})" if scale != 1 else "")


def first_picture(application: QApplication) -> Answer:
    """Open the window and wait until its first picture is painted: the ms since this process was started."""
    program = Program()
    loop, painted = QEventLoop(), list[QPixmap]()

    def hear(value: object) -> None:
        if isinstance(value, Frame):
            QTimer.singleShot(0, paint)  # The window hears of it as well, and shows it first.

    def paint() -> None:
        painted.append(program.window.grab())
        loop.quit()

    program.session.told.connect(hear)
    QTimer.singleShot(_PATIENCE_MS, loop.quit)
    program.open()
    loop.exec()
    since_s = time.time() - psutil.Process().create_time()
    program.close()
    if not painted:
        return {"no_picture": True}
    return {"picture_ms": round(since_s * 1e3), "width": painted[0].width(), "height": painted[0].height()}
