"""Where the program's own files lie, and where the user's may.

An installed wheel carries `assets/` inside the package; a checkout (and an editable install) has it beside the package.
"""

from pathlib import Path

from platformdirs import user_cache_path, user_config_path, user_log_path

from explorer.errors import MissingAsset

_PACKAGE = Path(__file__).parent
_APP = "transformer-explorer"


def asset(name: str) -> Path:
    """The path of the bundled file or folder `name` ("lang/zh.toml"). Raises MissingAsset."""
    for root in (_PACKAGE / "assets", _PACKAGE.parent / "assets"):
        if (root / name).exists():
            return root / name
    raise MissingAsset(name=f"assets/{name}")


def asset_text(name: str) -> str:
    """The text of a bundled file. Raises MissingAsset."""
    return asset(name).read_text(encoding="utf-8")


def cache_folder() -> Path:
    """The user's own cache folder, made if need be; never the shared temp folder."""
    return user_cache_path(_APP, appauthor=False, ensure_exists=True)


def config_folder() -> Path:
    """Where preferences are kept."""
    return user_config_path(_APP, appauthor=False, ensure_exists=True)


def log_folder() -> Path:
    """Where faults are written."""
    return user_log_path(_APP, appauthor=False, ensure_exists=True)
