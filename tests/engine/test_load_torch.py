"""Who loads torch's libraries, and whether Python's lock is free meanwhile."""

import ast
import builtins
import ctypes
import os
import platform
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from explorer.engine import load_torch

DLLS = ["torch_cpu.dll", "torch_python.dll"]
SOURCE = Path(torch.__file__)


def test_torch_itself_loads_its_libraries_without_the_lock_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own function, run with a Windows of three stand-ins: functions of a WinDLL give the lock away, those of a PyDLL do
    not. Nothing is left for us to load there.
    """
    loaded: list[str] = []

    class WinDLL:
        """kernel32 as far as it is asked: every function of a WinDLL runs without Python's lock."""

        def __init__(self, name: str, use_last_error: bool = False) -> None:
            self.name = name
            self.AddDllDirectory = self.LoadLibraryW = self.SetErrorMode = _function(lambda *_given: 1)
            self.LoadLibraryExW = _function(lambda path, *_flags: loaded.append(path) or 1)

    own = SimpleNamespace(WinDLL=WinDLL, CDLL=lambda _name: None, c_void_p=ctypes.c_void_p, get_last_error=lambda: 0)
    files = SimpleNamespace(glob=lambda pattern: [] if "nvToolsExt" in pattern or "cudart" in pattern else list(DLLS))
    monkeypatch.setattr(os, "add_dll_directory", lambda _path: None, raising=False)
    made = _function_of("_load_dll_libraries")
    names = {
        "__file__": str(SOURCE),
        "builtins": builtins,
        "os": os,
        "sys": sys,
        "platform": platform,
        "ctypes": own,
        "glob": files,
    }
    exec(made, names)
    names["_load_dll_libraries"]()
    assert loaded == DLLS


def _function(run: Any) -> Any:
    """A function that takes attributes, as those of ctypes do."""

    class Function:
        def __call__(self, *given: Any) -> Any:
            return run(*given)

    return Function()


def _function_of(name: str) -> Any:
    """A function of torch's first file, compiled alone."""
    tree = ast.parse(SOURCE.read_text("utf-8"))
    found = next(each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name == name)
    return compile(ast.Module([found], []), str(SOURCE), "exec")


@pytest.mark.parametrize(("system", "name"), [("linux", "libtorch_cpu.so"), ("darwin", "libtorch_cpu.dylib")])
def test_elsewhere_the_systems_loader_is_called_beforehand(
    system: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a function of a CDLL; Windows has no such function, and needs none."""
    called: list[bytes] = []

    def dlopen(path: bytes, _flags: int) -> int:
        called.append(path)
        return 1

    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / name).touch()
    found = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(load_torch.importlib.util, "find_spec", lambda _name: found)
    monkeypatch.setattr(load_torch.ctypes, "CDLL", lambda _name: SimpleNamespace(dlopen=_function(dlopen)))
    monkeypatch.setattr(load_torch.os, "RTLD_NOW", 2, raising=False)
    for each in (system, "win32"):
        monkeypatch.setattr(sys, "platform", each)
        load_torch.load_library()
    assert called == [os.fsencode(tmp_path / "lib" / name)]
