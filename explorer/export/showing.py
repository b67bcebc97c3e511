"""The window in a process of its own, from a notebook. A file carries the Trace or the result there, and nothing comes back."""

import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import attrs

from explorer.resources import own_command, own_environment
from explorer.trace.found.over_prompts import OverPrompts
from explorer.trace.found.prompts_file import SUFFIX
from explorer.trace.trace import Trace


@attrs.frozen(eq=False, repr=False)
class OpenWindow:
    """An open window. It stays open when this object, or the notebook, is gone."""

    process: "subprocess.Popen[bytes]"

    @property
    def is_open(self) -> bool:
        """Whether the window's process is still running."""
        return self.process.poll() is None

    def wait(self) -> int:
        """Wait until somebody closes the window; returns the exit status, 0 if all went well."""
        return self.process.wait()

    def close(self) -> None:
        """Close the window, and wait until it is closed."""
        self.process.terminate()
        self.process.wait()

    def __repr__(self) -> str:
        return f"<OpenWindow {'open' if self.is_open else 'closed'}>"


def open_window(shown: Trace | OverPrompts) -> OpenWindow:
    """Open the window on a Trace, or on a result over prompts. Raises CannotWrite."""
    flag, file = ("--open", f"results{SUFFIX}") if isinstance(shown, OverPrompts) else ("--trace", "trace.npz")
    folder = Path(tempfile.mkdtemp(prefix="transformer-explorer-"))
    try:
        shown.save(folder / file)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    process = subprocess.Popen([*own_command(), "gui", flag, str(folder / file)], env=own_environment())
    threading.Thread(target=_tidy, args=(process, folder), name="window", daemon=True).start()
    return OpenWindow(process)


def _tidy(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Delete the file when the window is closed: it may be read again until then."""
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
