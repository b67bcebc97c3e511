"""Sessions and lessons that open by a double click on Windows: entries of this user in the registry, below Software\\Classes.

Windows goes by the last part of a name. `*.explorer` becomes ours, unless another program has it; for `*.explorer.toml` and
`*.lesson.toml`, which are TOML to it, the program is offered under "Open with". Nobody's own choice is overwritten.
"""

import contextlib
import importlib
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.errors import CannotWrite
from explorer.install.desktop import NAME
from explorer.resources import asset

CLASSES = r"Software\Classes"
BUNDLE, TEXT = "TransformerExplorer.session", "TransformerExplorer.text"
_TITLES = {BUNDLE: "Transformer Explorer session", TEXT: "Transformer Explorer session or lesson"}
_ENDINGS = {BUNDLE: ".explorer", TEXT: ".toml"}
_CHANGED, _NO_LIST = 0x08000000, 0  # SHCNE_ASSOCCHANGED, SHCNF_IDLIST


def associate() -> list[str]:
    """Write all entries; returns the keys that were written. Raises CannotWrite."""
    registry = _registry()
    written: list[str] = []
    try:
        for key, name, value in _entries():
            with registry.CreateKeyEx(registry.HKEY_CURRENT_USER, rf"{CLASSES}\{key}", 0, registry.KEY_WRITE) as opened:
                registry.SetValueEx(opened, name, 0, registry.REG_SZ, value)
            written.append(key)
        if _value(registry, _ENDINGS[BUNDLE]) is None:
            with registry.CreateKeyEx(
                registry.HKEY_CURRENT_USER, rf"{CLASSES}\{_ENDINGS[BUNDLE]}", 0, registry.KEY_WRITE
            ) as opened:
                registry.SetValueEx(opened, "", 0, registry.REG_SZ, BUNDLE)
    except OSError as error:
        raise CannotWrite(path=rf"HKEY_CURRENT_USER\{CLASSES}", reason=error.strerror or str(error)) from error
    _tell()
    return [rf"HKEY_CURRENT_USER\{CLASSES}\{key}" for key in dict.fromkeys(written)]


def dissociate() -> list[str]:
    """Remove what `associate` wrote; returns the keys that were there. Raises CannotWrite."""
    registry = _registry()
    removed = []
    try:
        if _value(registry, _ENDINGS[BUNDLE]) == BUNDLE:
            _remove_value(registry, _ENDINGS[BUNDLE], "")
        for program, ending in _ENDINGS.items():
            _remove_value(registry, rf"{ending}\OpenWithProgids", program)
            for key in (
                rf"{program}\shell\open\command",
                rf"{program}\shell\open",
                rf"{program}\shell",
                rf"{program}\DefaultIcon",
                program,
            ):
                with contextlib.suppress(FileNotFoundError):
                    registry.DeleteKey(registry.HKEY_CURRENT_USER, rf"{CLASSES}\{key}")
                    removed.append(rf"HKEY_CURRENT_USER\{CLASSES}\{key}")
    except OSError as error:
        raise CannotWrite(path=rf"HKEY_CURRENT_USER\{CLASSES}", reason=error.strerror or str(error)) from error
    if removed:
        _tell()
    return removed


def _entries() -> Iterator[tuple[str, str, str]]:
    """Key, name and value of each entry; the empty name is that of a key's own value."""
    for program, title in _TITLES.items():
        yield program, "", title
        yield rf"{program}\DefaultIcon", "", icon()
        yield rf"{program}\shell\open\command", "", command_line()
        yield rf"{_ENDINGS[program]}\OpenWithProgids", program, ""


def command_line() -> str:
    """The command that opens a file in the window; Windows puts the file in place of %1."""
    return f'{subprocess.list2cmdline(_window_command())} "%1"'


def icon() -> str:
    """Where the icon is: in the bundle's own program, or in a file."""
    return f'"{_beside(Path(sys.executable).parent)}",0' if getattr(sys, "frozen", False) else str(asset("icons/explorer.ico"))


def _window_command() -> list[str]:
    """The program without a console: that of the bundle, the one that pip has installed, or Python's own with the package."""
    if getattr(sys, "frozen", False):
        return [str(_beside(Path(sys.executable).parent))]
    installed = _beside(Path(sysconfig.get_path("scripts")))
    if installed.is_file():
        return [str(installed)]
    return [str(Path(sys.executable).with_name("pythonw.exe")), "-P", "-m", "explorer"]


def _beside(folder: Path) -> Path:
    return folder / f"{NAME}-window.exe"


def _value(registry: Any, key: str) -> str | None:
    """A key's own value; None where it has none, or is not there."""
    try:
        with registry.OpenKey(registry.HKEY_CURRENT_USER, rf"{CLASSES}\{key}") as opened:
            found = registry.QueryValueEx(opened, "")[0]
    except FileNotFoundError:
        return None
    return str(found) or None


def _remove_value(registry: Any, key: str, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        with registry.OpenKey(registry.HKEY_CURRENT_USER, rf"{CLASSES}\{key}", 0, registry.KEY_WRITE) as opened:
            registry.DeleteValue(opened, name)


def _registry() -> Any:
    """Python's module for the registry, which other systems lack."""
    return importlib.import_module("winreg")


def _tell() -> None:
    """Make Explorer reread what opens what."""
    import ctypes

    windll: Any = getattr(ctypes, "windll", None)
    if windll is not None:
        windll.shell32.SHChangeNotify(_CHANGED, _NO_LIST, None, None)
