"""Versions: found, missing, and held against limits."""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from explorer.install import libraries

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("limits", [">=2.6,<2.14", "==0.42.1", ">=6.8,<6.10", "!=2.13", "<=2.13", ">2.13", ""])
@pytest.mark.parametrize("version", ["2.5", "2.6.0", "2.13.0", "2.13", "2.14.1", "6.9.3", "6.10", "0.42.1", "10"])
def test_a_version_is_within_limits_when_packaging_says_so(version: str, limits: str) -> None:
    """The library that pip itself compares versions with is the second source."""
    assert libraries.is_within(version, limits) is (Version(version) in SpecifierSet(limits))


def test_a_build_of_a_version_is_that_version() -> None:
    """As of torch for the processor."""
    assert libraries.is_within("2.13.0+cpu", ">=2.6,<2.14") and not libraries.is_within("2.14.0+cpu", ">=2.6,<2.14")


def test_only_what_this_python_needs_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extras and other Pythons are left out."""
    minor = sys.version_info.minor
    lines = [
        "torch<2.14,>=2.6",
        f"PySide6-Essentials<6.10,>=6.8; python_version < '3.{minor + 1}'",
        f"PySide6-Essentials<6.13,>=6.8; python_version >= '3.{minor + 1}'",
        "transformers<6,>=5.3; extra == 'models'",
    ]
    monkeypatch.setattr(metadata, "requires", lambda _name: lines)
    assert list(libraries.limits_here()) == [("torch", "<2.14,>=2.6"), ("PySide6-Essentials", "<6.10,>=6.8")]


def test_every_library_of_the_project_is_looked_at() -> None:
    """The names are those that `pyproject.toml` declares; here everything is there and right."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert {re.split(r"[<>=!; ]", line)[0] for line in declared} == set(libraries.NEEDED)
    assert libraries.libraries().standing == "well"


def test_a_missing_library_and_a_wrong_version_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice is the line that installs both."""

    def version(name: str) -> str:
        if name == "jieba":
            raise metadata.PackageNotFoundError(name)
        return "6.12.1" if name == "PySide6-Essentials" else "2.13"

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(libraries, "limits_here", lambda: iter([("PySide6-Essentials", ">=6.8,<6.10"), ("torch", "<2.14")]))
    found = libraries.libraries()
    assert (found.standing, found.values["names"]) == ("fault", '"jieba" "PySide6-Essentials>=6.8,<6.10"')


def test_without_metadata_no_limits_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a bundle."""

    def requires(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert list(libraries.limits_here()) == []


def test_transformers_is_nobodys_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it there is a note, with it the version."""
    assert libraries.models().standing == "well"
    monkeypatch.setattr(libraries, "version_of", lambda _name: "")
    assert libraries.models().text == "models.lacking"
    monkeypatch.setattr(sys, "frozen", True, raising=False)  # In a bundle, pip cannot install it.
    assert libraries.models().text == "models.bundle"
