"""Files that Windows opens: what is written into the registry, which is stood in for by a table with the same rules."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pytest

from explorer.cli import main as cli
from explorer.errors import CannotWrite
from explorer.install import associations
from explorer.install.associations import BUNDLE, CLASSES, TEXT, associate, dissociate
from explorer.resources import asset


class Key:
    """An open key."""

    def __init__(self, values: dict[str, str]) -> None:
        self.values = values

    def __enter__(self) -> "Key":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing is closed."""


class Registry:
    """winreg as far as it is asked: keys without regard to case, each with values; a key with others below stays."""

    HKEY_CURRENT_USER, KEY_WRITE, KEY_READ, REG_SZ = 1, 2, 4, 1

    def __init__(self) -> None:
        self.keys: dict[str, dict[str, str]] = {}
        self.full = False

    def CreateKeyEx(self, root: int, path: str, _zero: int, _access: int) -> Key:
        assert root == self.HKEY_CURRENT_USER  # Of no other user, and nothing that wants an administrator.
        if self.full:
            raise PermissionError(13, "Access is denied")
        parts = path.lower().split("\\")
        for n in range(1, len(parts) + 1):
            self.keys.setdefault("\\".join(parts[:n]), {})
        return Key(self.keys[path.lower()])

    def OpenKey(self, _root: int, path: str, _zero: int = 0, _access: int = 4) -> Key:
        if path.lower() not in self.keys:
            raise FileNotFoundError(2, "no such key")
        return Key(self.keys[path.lower()])

    def SetValueEx(self, key: Key, name: str, _zero: int, kind: int, value: str) -> None:
        assert kind == self.REG_SZ
        key.values[name] = value

    def QueryValueEx(self, key: Key, name: str) -> tuple[str, int]:
        if name not in key.values:
            raise FileNotFoundError(2, "no such value")
        return key.values[name], self.REG_SZ

    def DeleteValue(self, key: Key, name: str) -> None:
        if name not in key.values:
            raise FileNotFoundError(2, "no such value")
        del key.values[name]

    def DeleteKey(self, root: int, path: str) -> None:
        self.OpenKey(root, path)
        if any(each.startswith(f"{path.lower()}\\") for each in self.keys):
            raise PermissionError(13, "it has keys below")
        del self.keys[path.lower()]

    def value(self, path: str, name: str = "") -> str | None:
        return self.keys.get(rf"{CLASSES}\{path}".lower(), {}).get(name)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    made = Registry()
    monkeypatch.setitem(sys.modules, "winreg", made)  # type: ignore[arg-type]
    return made


def test_a_double_click_opens_what_is_ours_and_the_rest_is_offered(registry: Registry) -> None:
    """`.explorer` by its own value; `.toml` belongs to editors, where the program is one of those that are offered."""
    assert associate() == associate() != []
    assert registry.value(".explorer") == BUNDLE and registry.value(r".explorer\OpenWithProgids", BUNDLE) == ""
    assert registry.value(".toml") is None and registry.value(r".toml\OpenWithProgids", TEXT) == ""
    for program in (BUNDLE, TEXT):
        assert registry.value(rf"{program}\shell\open\command") == associations.command_line()
        assert registry.value(rf"{program}\DefaultIcon") == str(asset("icons/explorer.ico"))


def test_what_was_written_is_taken_away(registry: Registry) -> None:
    """And nothing else: what other programs have below the same endings stays."""
    with registry.CreateKeyEx(1, rf"{CLASSES}\.toml\OpenWithProgids", 0, 2) as key:
        registry.SetValueEx(key, "Editor.toml", 0, 1, "")
    before = {path: dict(values) for path, values in registry.keys.items()}
    associate()
    assert dissociate() != [] and dissociate() == []
    assert {path: values for path, values in registry.keys.items() if values} == {p: v for p, v in before.items() if v}


def test_an_ending_of_another_program_stays_its_own(registry: Registry) -> None:
    """The program is offered all the same."""
    with registry.CreateKeyEx(1, rf"{CLASSES}\.explorer", 0, 2) as key:
        registry.SetValueEx(key, "", 0, 1, "Other.file")
    associate()
    assert registry.value(".explorer") == "Other.file" and registry.value(r".explorer\OpenWithProgids", BUNDLE) == ""
    dissociate()
    assert registry.value(".explorer") == "Other.file"


def test_a_registry_that_cannot_be_written_is_said(registry: Registry) -> None:
    """By the system's own words."""
    registry.full = True
    with pytest.raises(CannotWrite, match="Access is denied"):
        associate()


def _no_scripts(_name: str) -> str:
    return "/no/such/folder"


@pytest.mark.parametrize("frozen", [True, False])
def test_the_window_opens_without_a_console(frozen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the bundle's second program, by the command that pip made for windows, or by the Python that has no console."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "my folder" / "python.exe"))
    if frozen:
        monkeypatch.setattr(sys, "frozen", True, raising=False)
        program = tmp_path / "my folder" / "transformer-explorer-window.exe"
        assert associations.command_line() == f'"{program}" "%1"' and associations.icon() == f'"{program}",0'
        return
    scripts: Callable[[str], str] = lambda _name: str(tmp_path)  # noqa: E731
    monkeypatch.setattr(associations.sysconfig, "get_path", scripts)
    (tmp_path / "transformer-explorer-window.exe").touch()
    assert associations.command_line() == f'{tmp_path / "transformer-explorer-window.exe"} "%1"'
    monkeypatch.setattr(associations.sysconfig, "get_path", _no_scripts)
    assert associations.command_line() == f'"{tmp_path / "my folder" / "pythonw.exe"}" -P -m explorer "%1"'


def test_the_command_writes_and_removes(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On Windows it says what a double click does now."""
    monkeypatch.setattr("explorer.cli.install.sys.platform", "win32")
    for flags, said in (([], "*.explorer"), (["--remove"], "Removed"), (["--remove"], "nothing")):
        assert cli.main(["install-desktop", *flags, "--language", "en"]) == 0
        out = capsys.readouterr().out
        assert said in out and ("HKEY_CURRENT_USER" in out) is (said != "nothing")
