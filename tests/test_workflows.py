"""The workflows, which run elsewhere: what they call is here and runs without them, and what others made is pinned."""

import os
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bundled import ROOT, script
from tests.wheels import PYTHONS

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
_PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$")
_INTERPRETERS = {"python", "python3", "sudo"}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text("utf-8"))


def steps(workflow: Any) -> list[Any]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", ())]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_is_a_script_that_is_here(path: Path) -> None:
    """One command each, without a value of the workflow's inside, which somebody else may have chosen."""
    for step in steps(read(path.name)):
        if "run" not in step:
            continue
        words = [word for word in shlex.split(step["run"]) if word not in _INTERPRETERS]
        called = ROOT / words[0]
        assert "\n" not in step["run"] and "${{" not in step["run"]
        assert called.is_relative_to(ROOT / ".ci") and called.is_file()
        assert os.name == "nt" or os.access(called, os.X_OK)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_of_others_are_pinned_to_a_commit(path: Path) -> None:
    """A tag of theirs may be moved to other code. What is called of our own is here."""
    lines = [line.strip().removeprefix("- ") for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    for line in lines:
        local = line.removeprefix("uses: ")
        assert _PINNED.match(line) or (local.startswith("./") and (ROOT / local).is_file()), line
    assert _PINNED.match("uses: a/b@v4") is None


def test_nothing_may_be_written_but_the_release() -> None:
    """Every workflow begins with reading alone; one job may make a release, and only for a tag."""
    for path in WORKFLOWS:
        workflow = read(path.name)
        assert workflow["permissions"] == {"contents": "read"}
        writing = [name for name, job in workflow["jobs"].items() if "write" in str(job.get("permissions", ""))]
        assert writing == (["release"] if path.name == "release.yml" else [])
    assert read("release.yml")[True] == {"push": {"tags": ["v*"]}}  # YAML reads "on" as a truth value.


def test_every_python_and_system_of_the_readme_is_tested() -> None:
    """Three systems with each Python; the bundle is made on the same three."""
    matrix = read("tests.yml")["jobs"]["system"]["strategy"]["matrix"]
    assert tuple(matrix["python"]) == PYTHONS
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {f"Programming Language :: Python :: {each}" for each in PYTHONS} <= set(told["classifiers"])
    for systems in (matrix["system"], read("bundle.yml")["jobs"]["bundle"]["strategy"]["matrix"]["system"]):
        assert [each.split("-")[0] for each in systems] == ["ubuntu", "windows", "macos"]


def test_packages_are_those_of_the_readme(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """And a virtual screen."""
    monkeypatch.setattr(sys, "argv", ["packages", "--show"])
    assert script("packages").main() == 0
    update, install = capsys.readouterr().out.splitlines()
    assert update.startswith("apt-get update") and "libxcb-cursor0" in install and install.endswith("xvfb")


def test_the_tests_run_as_the_readme_says_with_torchs_small_build_on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other systems have no other build."""
    made = script("tests")
    monkeypatch.setattr(sys, "platform", "linux")
    torch, install, check = made.commands("URL", only_check=False)
    assert torch[-1] == "URL" and install[-1] == ".[test]" and check[1:] == ["-m", "tests.check", "--all"]
    assert made.commands("URL", only_check=True) == [check]
    monkeypatch.setattr(sys, "platform", "win32")
    assert made.commands("URL", only_check=False) == [install, check]
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert made.TORCH[0] in told["dependencies"]


def test_the_notes_of_a_release_are_those_of_its_version() -> None:
    """Up to the heading of the version before, in both languages; a version without notes is refused."""
    release = script("release")
    assert release.of_version("### 0.3.0\n\nNew.\n\n### 0.2.0\n\nOld.\n", "0.3.0") == "New."
    with pytest.raises(ValueError, match="no notes"):
        release.of_version("### 0.2.0\n\nOld.\n", "0.3.0")
    told = release.notes(release.current())
    assert "Watch it learn" in told and "看着它学会" in told and "Control-click" in told
    assert "### " not in told


def test_a_tag_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is built."""
    monkeypatch.setattr(sys, "argv", ["release", "--tag", "v99.0.0"])
    assert script("release").main() == 1
    assert "explorer/version.py" in capsys.readouterr().err


def test_checksums_are_written_as_they_are_checked(tmp_path: Path) -> None:
    """Of what is published: neither of themselves nor of the notes."""
    for name in ("a.whl", "notes.md", "SHA256SUMS", "b.zip", "b.zip.sha256"):
        (tmp_path / name).write_bytes(b"abc")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1
    assert script("release").sums(tmp_path) == f"{digest}  a.whl\n{digest}  b.zip\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands in for gh")
@pytest.mark.parametrize(("tag", "preview"), [("v1.0.0", False), ("v1.0.0rc1", True)])
def test_a_release_is_handed_to_gh(tag: str, preview: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every file but the notes, which are its text."""
    release = script("release")
    monkeypatch.setattr(release, "DIST", tmp_path / "dist")
    (tmp_path / "dist").mkdir()
    for name in ("a.whl", "notes.md", "SHA256SUMS"):
        (tmp_path / "dist" / name).touch()
    (tmp_path / "gh").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path / "told"}"\n')
    (tmp_path / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert release.publish(tag) == 0
    told = (tmp_path / "told").read_text().splitlines()
    assert told[:3] == ["release", "create", tag] and ("--prerelease" in told) is preview
    assert [Path(each).name for each in told if each.startswith("/")] == ["notes.md", "SHA256SUMS", "a.whl"]


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.name)
def test_the_forms_of_issues_are_whole(path: Path) -> None:
    """As GitHub asks: a name, a description, and boxes with labels, each of another id; both languages in what people read."""
    told = yaml.safe_load(path.read_text("utf-8"))
    if path.name == "config.yml":
        assert told == {"blank_issues_enabled": True}
        return
    boxes = [each for each in told["body"] if each["type"] != "markdown"]
    assert {"name", "description", "body"} <= set(told) and boxes
    assert len({each["id"] for each in boxes}) == len(boxes)
    for text in (told["name"], told["description"]):
        assert " · " in text and re.search("[\u4e00-\u9fff]", text)
    assert any(each.get("validations", {}).get("required") for each in boxes)
