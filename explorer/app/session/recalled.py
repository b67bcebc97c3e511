"""The pass that the window shows before torch is there: the last one on screen, or at the first start the preset's own one.

A pass is shown for the very Wish that it answered, and by the version of the program that kept it. It is computed anew at once.
"""

import contextlib
import hashlib
from pathlib import Path

from explorer.app.session.changing import opened
from explorer.engine.request import Frame, Request
from explorer.errors import ExplorerError
from explorer.presets import load_preset
from explorer.resources import config_folder
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.version import __version__

OF_PRESET = "first_pass.npz"
"""The file in a preset's folder with the pass over its own sentence, which `python -m tests.first_pass PRESET` records."""
_MOST_BYTES = 8 * 2**20
_PATTERN = "pass-*.npz"


def recalled(wish: Wish) -> Frame | None:
    """The kept answer to a Wish, or None where there is none that can be read. Its serial number is 0."""
    path = _kept_path(wish)
    with contextlib.suppress(ExplorerError, OSError):
        if path.is_file():
            return _frame(wish, path)
        folder = load_preset(wish.preset).folder
        if folder is not None and (folder / OF_PRESET).is_file() and wish == opened(wish.preset).wish:
            return _frame(wish, folder / OF_PRESET)
    return None


def keep(frame: Frame) -> None:
    """Keep an answer for the next start, in place of the one before. One of more than 8 MB is not kept."""
    path = _kept_path(frame.wish)
    n_bytes = sum(array.nbytes for array in frame.trace.arrays.values())
    with contextlib.suppress(ExplorerError, OSError):  # Nothing but the first picture of the next start is lost.
        if n_bytes <= _MOST_BYTES and not frame.request.is_provisional:
            frame.trace.save(path)
        for other in config_folder().glob(_PATTERN):
            if other != path:
                other.unlink(missing_ok=True)


def _frame(wish: Wish, path: Path) -> Frame:
    return Frame(request=Request(wish=wish), trace=Trace.load(path), tokens_ms=0.0, build_ms=0.0, pass_ms=0.0)


def _kept_path(wish: Wish) -> Path:
    """The file of the answer to a Wish: another Wish, or another version of the program, has another name."""
    told = hashlib.sha256(f"{__version__} {wish!r}".encode()).hexdigest()
    return config_folder() / _PATTERN.replace("*", told[:16])
