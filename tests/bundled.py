"""The files under `.ci` as modules, and the bundle's spec run with stand-ins for what PyInstaller makes."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CI = ROOT / ".ci"


def script(name: str) -> ModuleType:
    """A file under `.ci`, which is no package and may have no ending."""
    loader = SourceFileLoader(name.removesuffix(".py"), str(CI / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    made = importlib.util.module_from_spec(spec)
    loader.exec_module(made)
    return made


class Made:
    """What a call of PyInstaller's makes: what it was given."""

    def __init__(self, kind: str, *given: Any, **named: Any) -> None:
        self.kind, self.given, self.named = kind, given, named
        self.pure = self.scripts = self.binaries = self.datas = ()


def run_spec(system: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Made]]:
    """What the spec makes on a system, by kind."""
    made: dict[str, list[Made]] = {}

    def maker(kind: str) -> Any:
        def make(*given: Any, **named: Any) -> Made:
            made.setdefault(kind, []).append(Made(kind, *given, **named))
            return made[kind][-1]

        return make

    hooks = SimpleNamespace(
        collect_data_files=lambda name: [], collect_submodules=lambda name: [name], copy_metadata=lambda name: []
    )
    monkeypatch.setitem(sys.modules, "bundle_notices", SimpleNamespace(gathered=lambda entries: ()))  # type: ignore[arg-type]
    for name, module in (
        ("PyInstaller", SimpleNamespace()),
        ("PyInstaller.utils", SimpleNamespace()),
        ("PyInstaller.utils.hooks", hooks),
    ):
        monkeypatch.setitem(sys.modules, name, module)  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "path", list(sys.path))
    torch = folder / "torch" / "__init__.py"
    torch.parent.mkdir(exist_ok=True)
    torch.touch()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: SimpleNamespace(origin=str(torch)))
    monkeypatch.setattr(sys, "platform", system)
    names = {kind: maker(kind) for kind in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
    code = compile((CI / "bundle.spec").read_text("utf-8"), "bundle.spec", "exec")
    exec(code, {**names, "SPECPATH": str(CI), "workpath": str(folder)})
    return made
