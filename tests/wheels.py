"""Whether every dependency has a wheel for each Python and system that the README names. Nothing is installed.

    python -m tests.wheels

jieba has no wheel and builds everywhere from plain Python; it is left out. torch comes in a build of several GB on Linux, of
which only what it says of itself is read.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = {
    "Linux": (
        "manylinux_2_28_x86_64",
        "manylinux_2_27_x86_64",
        "manylinux_2_17_x86_64",
        "manylinux2014_x86_64",
        "manylinux_2_34_x86_64",
        "manylinux_2_5_x86_64",
    ),
    "macOS": (
        "macosx_14_0_arm64",
        "macosx_12_0_arm64",
        "macosx_11_0_arm64",
        "macosx_14_0_universal2",
        "macosx_13_0_universal2",
        "macosx_12_0_universal2",
        "macosx_10_9_universal2",
        "macosx_10_13_universal2",
    ),
    "Windows": ("win_amd64",),
}
WITHOUT_WHEEL = ("jieba",)


def wanted(python: str) -> list[str]:
    """The project's dependencies for a Python, their markers decided."""
    from packaging.requirements import Requirement

    told = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    found = [Requirement(each) for each in told["project"]["dependencies"]]
    chosen = [
        each
        for each in found
        if each.name not in WITHOUT_WHEEL and (each.marker is None or each.marker.evaluate({"python_version": python}))
    ]
    return [f"{each.name}{each.specifier}" for each in chosen]


def lacking(python: str, platforms: tuple[str, ...]) -> list[str]:
    """What cannot be had as a wheel, each with pip's last word."""
    found = []
    for requirement in wanted(python):
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--dry-run",
                "--quiet",
                "--no-deps",
                "--ignore-installed",
                "--only-binary=:all:",
                "--python-version",
                python,
                "--target",
                folder,
                *(argument for each in (*platforms, "any") for argument in ("--platform", each)),
                requirement,
            ]
            done = _ask(command)
            if done.returncode:  # an index may not answer once
                done = _ask(command)
        if done.returncode:
            found.append(f"{requirement}: {done.stderr.strip().splitlines()[-1]}")
    return found


def _ask(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def main() -> int:
    """Print a line for each; the status is 1 where something is lacking."""
    bad = False
    for system, platforms in SYSTEMS.items():
        for python in PYTHONS:
            missing = lacking(python, platforms)
            bad = bad or bool(missing)
            print(f"{system:8} {python}  {'; '.join(missing) or 'every wheel is there'}", flush=True)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
