"""The bundle on three systems, as far as it can be seen without them: what PyInstaller is told, and icons that each reads."""

import hashlib
import json
import plistlib
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import attr
import numpy as np
import pytest
import yaml
from PySide6.QtGui import QImage, QImageReader

from explorer.install.notices import FILE, Notice, write_notices
from explorer.state.state_file import BUNDLE_SUFFIX
from explorer.version import __version__
from tests.bundled import ROOT, run_spec, script

ICONS = ROOT / "assets" / "icons"
FACTS = script("bundle_facts.py")


def test_on_a_mac_the_program_stands_in_the_dock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyInstaller makes a program "with a console" one that runs in the background, without Dock and menus."""
    made = run_spec("darwin", tmp_path, monkeypatch)
    (program,), (bundle,) = made["EXE"], made["BUNDLE"]
    assert program.named["console"] is False
    assert bundle.named["name"] == "Transformer Explorer.app" and bundle.named["icon"].endswith("explorer.icns")
    assert bundle.named["version"] == __version__
    parts = bundle.named["bundle_identifier"].split(".")
    assert len(parts) > 1 and all(part.replace("-", "").isalnum() for part in parts)


def test_on_a_mac_files_of_ours_open_the_program() -> None:
    """The entries are a whole Info.plist; the kind that it declares is the one that it opens."""
    told = plistlib.loads(plistlib.dumps(FACTS.info_plist("1.2.3")))
    ours, other = told["CFBundleDocumentTypes"]
    (declared,) = told["UTExportedTypeDeclarations"]
    assert ours["LSItemContentTypes"] == [declared["UTTypeIdentifier"]] and ours["LSHandlerRank"] == "Owner"
    assert declared["UTTypeTagSpecification"]["public.filename-extension"] == [BUNDLE_SUFFIX.removeprefix(".")]
    assert other["LSHandlerRank"] == "Alternate"  # Nobody's editor for TOML is replaced.
    assert "LSBackgroundOnly" not in told and told["NSHighResolutionCapable"] is True


def test_on_windows_one_program_has_a_console_and_one_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are typed into one; the other is for clicks. Both have the icon and say their version."""
    made = run_spec("win32", tmp_path, monkeypatch)
    consoles = {each.named["name"]: each.named["console"] for each in made["EXE"]}
    assert consoles == {"transformer-explorer": True, "transformer-explorer-window": False}
    for each in made["EXE"]:
        assert each.named["icon"].endswith("explorer.ico")
        text = Path(each.named["version"]).read_text("utf-8")
        assert text == FACTS.version_resource(__version__, each.named["name"])
    assert len(made["COLLECT"][0].given) == 4 and "BUNDLE" not in made


def test_a_version_resource_says_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as PyInstaller reads it, by the names of its classes."""
    kinds = ("VSVersionInfo", "FixedFileInfo", "StringFileInfo", "StringTable", "StringStruct", "VarFileInfo", "VarStruct")
    names: dict[str, Any] = {kind: lambda *given, **named: SimpleNamespace(given=given, **named) for kind in kinds}
    told = eval(FACTS.version_resource("1.2.3", "x"), names)
    assert told.ffi.filevers == told.ffi.prodvers == (1, 2, 3, 0)
    strings, languages = told.kids
    (table,) = strings.given[0]
    rows = dict(each.given for each in table.given[1])
    assert rows["ProductVersion"] == rows["FileVersion"] == "1.2.3" and rows["OriginalFilename"] == "x.exe"
    # The key of the table is its language and its code page, in hexadecimal digits.
    (row,) = languages.given[0]
    assert table.given[0] == "".join(f"{number:04x}" for number in row.given[1])


def test_on_linux_there_is_one_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which a desktop file starts."""
    made = run_spec("linux", tmp_path, monkeypatch)
    (program,) = made["EXE"]
    assert program.named["icon"] is None and program.named["version"] is None and "BUNDLE" not in made


@pytest.mark.parametrize("name", ["explorer.ico", "explorer.icns"])
def test_the_icons_are_the_drawing_in_every_size(name: str) -> None:
    """Read by Qt's own readers of both formats, each image looks like the drawing in its size."""
    reader = QImageReader(str(ICONS / name))
    widths = []
    for number in range(reader.imageCount()):
        reader.jumpToImage(number)
        image = reader.read()
        widths.append(image.width())
        drawn = QImage.fromData(script("icons").png(image.width()), "PNG")
        assert image.convertToFormat(QImage.Format.Format_ARGB32) == drawn.convertToFormat(QImage.Format.Format_ARGB32)
    assert {16, 32, 48, 256} <= set(widths) if name.endswith("ico") else {32, 128, 256, 512} <= set(widths)


@pytest.mark.parametrize(("name", "windowed"), [("transformer-explorer-window.exe", True), ("transformer-explorer.exe", False)])
def test_the_program_for_clicks_shows_its_errors_in_a_box(name: str, windowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the name of the program that runs."""
    asked: list[bool] = []
    monkeypatch.setattr("explorer.__main__.main", lambda *, windowed=False: asked.append(windowed))
    monkeypatch.setattr(sys, "executable", f"/opt/{name}")
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.setattr(sys, "platform", "linux")
    script("bundle_start.py")
    assert asked == [windowed]


def test_scripts_keep_their_line_ends_in_a_clone_made_on_windows(tmp_path: Path) -> None:
    """Cloned as git for Windows does it by default; other texts show that the setting was on."""
    settings = ["-c", "core.autocrlf=true", "-c", "init.defaultBranch=main", "-c", "user.name=a", "-c", "user.email=a@b"]

    def git(*arguments: str, cwd: Path) -> None:
        subprocess.run(["git", *settings, *arguments], cwd=cwd, capture_output=True, check=True)

    first = tmp_path / "first"
    shutil.copytree(ROOT / ".ci", first / ".ci", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (".gitattributes", "README.md"):
        shutil.copy(ROOT / name, first / name)
    git("init", cwd=first)
    git("add", "-A", cwd=first)
    git("commit", "-m", "a", cwd=first)
    git("clone", str(first), "second", cwd=tmp_path)
    second = tmp_path / "second"
    assert b"\r\n" in (second / "README.md").read_bytes()
    assert [path.name for path in (second / ".ci").iterdir() if b"\r" in path.read_bytes()] == []


@pytest.fixture(scope="module")
def bundle_notices() -> ModuleType:
    return script("bundle_notices.py")


def test_each_library_that_goes_into_a_bundle_is_named(bundle_notices: ModuleType, tmp_path: Path) -> None:
    """By the distribution whose file it is, once; one of the system by itself. Python's own and the program's are no others."""
    own = tmp_path / "libown.so.1"
    own.touch()
    entries = [
        ("numpy.linalg", np.linalg.__file__, "PYMODULE"),
        ("numpy", np.__file__, "PYMODULE"),
        ("attr", attr.__file__, "PYMODULE"),
        ("json", json.__file__, "PYMODULE"),
        ("libown.so.1", str(own), "BINARY"),
        ("namespace", "-", "PYMODULE"),
    ]
    found = bundle_notices.gathered(entries)
    assert [each.name for each in found] == ["Python", "attrs", "numpy", "libown.so.1"]
    assert found[2].version == np.__version__ and found[2].texts


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="asks Debian's own records")
def test_a_library_of_debian_brings_the_text_of_its_package(bundle_notices: ModuleType) -> None:
    """Whose file it is, by the way that the loader knows it."""
    (path, *_) = [*Path("/usr/lib").glob("*/libz.so.1"), *Path("/lib").glob("*/libz.so.1")]
    notice = bundle_notices.gathered([("libz.so.1", str(path), "BINARY")])[-1]
    assert notice.version.startswith("zlib1g ") and "Jean-loup Gailly" in notice.as_text()


def test_what_no_notice_names_is_found_in_the_finished_bundle(
    bundle_notices: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package in the archive, a folder, a library; a link to a library in a wheel's own folder is that wheel's."""
    inside = tmp_path / "_internal"
    for name in ("numpy", "numpy.libs", "numpy-2.dist-info", "stranger", "explorer"):
        (inside / name).mkdir(parents=True)
    for name in ("numpy.libs/libblas.so.3", "libodd.so.1", "base_library.zip", "libpython3.11.so.1.0"):
        (inside / name).touch()
    (inside / "libblas.so.3").symlink_to("numpy.libs/libblas.so.3")
    monkeypatch.setattr(bundle_notices, "_archived", lambda _folder: iter(("json", "numpy", "hidden", "attr")))
    write_notices(inside / FILE, [Notice("numpy", "2", "BSD"), Notice("attrs", "1", "MIT")])
    assert bundle_notices.unnamed(tmp_path) == ["hidden", "libodd.so.1", "stranger"]


def test_the_readme_of_an_index_leads_nowhere_or_to_the_whole_address() -> None:
    """Without an address links are their texts; with one they lead to the version's own files. Others stay."""
    made = script("index_readme.py")
    text = "![p](.github/a.png)\n\n[map](explorer/README.md#words), [PyTorch](https://pytorch.org), [here](#start)\n"
    assert made.for_index(text, "", "1.0") == "\n\nmap, [PyTorch](https://pytorch.org), [here](#start)\n"
    whole = made.for_index(text, "https://example.org/x/", "1.0")
    assert "![p](https://example.org/x/raw/v1.0/.github/a.png)" in whole
    assert "[map](https://example.org/x/blob/v1.0/explorer/README.md#words)" in whole
    told = made.for_index((ROOT / "README.md").read_text("utf-8"), "", "1.0")
    assert re.findall(r"\]\((?!https?:|#)", told) == [] and len(told) > 5000


def test_the_citation_has_the_version() -> None:
    """And the name that the licence has."""
    told = yaml.safe_load((ROOT / ".github" / "CITATION.cff").read_text("utf-8"))
    assert told["version"] == __version__ and told["authors"][0]["name"] in (ROOT / "LICENSE").read_text("utf-8")


@pytest.mark.parametrize(
    ("system", "name"),
    [
        ("linux", "transformer-explorer-1.2.3-linux-x86_64.tar.xz"),
        ("darwin", "transformer-explorer-1.2.3-macos-x86_64.tar.gz"),
        ("win32", "transformer-explorer-1.2.3-win32-x86_64.zip"),
    ],
)
def test_a_bundle_is_packed_as_its_system_opens_it(
    system: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By version and system, with links inside it on macOS, and a checksum that the usual program reads."""
    bundle = script("bundle")
    monkeypatch.setattr(bundle, "WORK", tmp_path)
    monkeypatch.setattr(bundle, "run", lambda _command, _environment: SimpleNamespace(stdout="transformer-explorer 1.2.3\n"))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    for folder in ("transformer-explorer", "Transformer Explorer.app"):
        (tmp_path / "dist" / folder).mkdir(parents=True)
        (tmp_path / "dist" / folder / "program").write_text("x")
        (tmp_path / "dist" / folder / "link").symlink_to("program")
    monkeypatch.setattr(sys, "platform", system)
    packed = bundle.pack()
    assert packed == tmp_path / name
    digest, named = packed.with_name(f"{name}.sha256").read_text("utf-8").split()
    assert named == name and digest == hashlib.sha256(packed.read_bytes()).hexdigest()
    if system != "win32":
        with tarfile.open(packed) as archive:
            links = [each.name for each in archive if each.issym()]
        assert links == [f"{'Transformer Explorer.app' if system == 'darwin' else 'transformer-explorer'}/link"]


def test_a_session_counts_as_opened_when_the_program_has_written_it_down(tmp_path: Path) -> None:
    """In any of its files below its folders."""
    bundle = script("bundle")
    (tmp_path / "a" / "config").mkdir(parents=True)
    assert not bundle.holds(tmp_path, "猫在看书。")
    (tmp_path / "a" / "config" / "last.toml").write_text('text = "猫在看书。"', encoding="utf-8")
    assert bundle.holds(tmp_path, "猫在看书。") and not bundle.holds(tmp_path / "none", "猫在看书。")
