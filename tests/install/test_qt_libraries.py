"""What Qt lacks on a bare Linux, and the packages that have it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.install import qt_libraries

README = Path(__file__).parents[2] / "README.md"
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux's loader")


@linux
def test_here_nothing_is_missing() -> None:
    """The other tests open windows, so nothing can be."""
    found = qt_libraries.qt_libraries()
    assert found is not None and found.standing == "well"


@linux
@pytest.mark.skipif(shutil.which("cc") is None, reason="links a library")
def test_a_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A plugin linked to a library that is deleted then, as on a machine that never had it."""
    plugins = tmp_path / "plugins" / "platforms"
    plugins.mkdir(parents=True)
    (tmp_path / "a.c").write_text("int a(void) { return 1; }")
    (tmp_path / "b.c").write_text("int a(void); int b(void) { return a(); }")
    lacking = tmp_path / "libnever.so.7"
    link = ["cc", "-shared", "-fPIC", "-Wl,--no-as-needed"]
    subprocess.run([*link, "a.c", "-o", lacking, "-Wl,-soname,libnever.so.7"], cwd=tmp_path, check=True)
    subprocess.run([*link, "b.c", lacking, "-o", plugins / "libqxcb.so"], cwd=tmp_path, check=True)
    lacking.unlink()
    assert qt_libraries.missing_in(tmp_path) == ["libnever.so.7"] or shutil.which("ldd") is None


def test_the_advice_names_each_package_once() -> None:
    """Two libraries of one package, and one that no package is known for."""
    found = qt_libraries.told_of(["libEGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0", "libnew.so.1"])
    assert (found.standing, found.values["packages"], found.values["others"]) == (
        "fault",
        "libegl1 libglib2.0-0",
        "libnew.so.1",
    )
    assert qt_libraries.told_of(["libnew.so.1"]).advice == "qt.advice_other"


def test_the_readme_names_the_same_packages() -> None:
    """Each package of the README's line has a library in the table."""
    line = re.search(r"<!-- debian -->(.*?)<!-- end -->", README.read_text("utf-8"), re.DOTALL)
    assert line is not None
    assert set(re.findall(r"\blib[\w.+-]+", line[1])) <= set(qt_libraries.DEBIAN.values())


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="dpkg knows which package has a file")
def test_debian_says_the_same_of_what_is_installed_here() -> None:
    """The owner of each library by dpkg; some packages have been renamed for 64-bit times since ("t64")."""
    checked = 0
    for library, package in qt_libraries.DEBIAN.items():
        done = subprocess.run(["dpkg", "-S", f"*/{library}"], capture_output=True, text=True, check=False)
        owners = {line.split(":")[0].removesuffix("t64") for line in done.stdout.splitlines()}
        if owners:
            checked += 1
            assert package in owners
    assert checked or sys.platform != "linux"


def test_other_systems_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their wheels bring everything."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert qt_libraries.qt_libraries() is None


@linux
def test_without_qt_there_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySide6 is not installed."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    found = qt_libraries.qt_libraries()
    assert found is not None and found.text == "qt.nowhere"


def test_a_system_without_ldd_names_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The probe will then name what is missing first."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libQt6Widgets.so.6").touch()
    assert qt_libraries.missing_in(tmp_path) == []
