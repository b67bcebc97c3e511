"""Where the program's own files are, and where it may write the user's.

An installed wheel has `assets/` inside the package; a checkout and an editable install have it beside the package.
"""

import contextlib
import os
import sys
from pathlib import Path

from platformdirs import user_cache_path, user_config_path, user_log_path

from explorer.errors import MissingAsset

_PACKAGE = Path(__file__).parent
_APP = "transformer-explorer"
OWN_FOLDERS = "TRANSFORMER_EXPLORER_FOLDERS"
"""The environment variable that names one folder for all of the user's: Windows and macOS know no variable of their own."""


def asset(name: str) -> Path:
    """The path of the bundled file or folder `name` ("lang/zh.toml"). Raises MissingAsset."""
    for root in (_PACKAGE / "assets", _PACKAGE.parent / "assets"):
        if (root / name).exists():
            return root / name
    raise MissingAsset(name=f"assets/{name}")


def asset_text(name: str) -> str:
    """The text of a bundled file. Raises MissingAsset."""
    return asset(name).read_text(encoding="utf-8")


def own_command() -> list[str]:
    """The command that starts this program again: the bundle itself, or this Python with the running package."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "explorer"]


def own_environment(**more: str) -> dict[str, str]:
    """The environment in which `own_command` finds the package that is running, wherever it lies, with these variables."""
    path = os.pathsep.join(filter(None, (str(_PACKAGE.parent), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "PYTHONPATH": path, **more}


def cache_folder() -> Path:
    """The user's own cache folder; unlike the shared temp folder, no other user writes to it."""
    return _made(_named("cache") or user_cache_path(_APP, appauthor=False))


def config_folder() -> Path:
    """The folder of preferences, of the last State and of the user's lessons."""
    return _made(_named("config") or user_config_path(_APP, appauthor=False))


def trainings_folder() -> Path:
    """The folder of the trainings that were started in the window, each in a folder of its own."""
    return _made(config_folder() / "trainings")


def log_folder() -> Path:
    """The folder of the log file."""
    return _made(_named("log") or user_log_path(_APP, appauthor=False))


def log_file() -> Path:
    """The log file of bugs and failed starts."""
    return log_folder() / "faults.log"


def _named(kind: str) -> Path | None:
    """The folder of a kind that the environment names, if it does."""
    named = os.environ.get(OWN_FOLDERS, "")
    return Path(named) / _APP / kind if named else None


def _made(folder: Path) -> Path:
    """The folder, made if possible. If it cannot be written, only files that would be kept there are lost."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder
