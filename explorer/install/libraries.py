"""The Python libraries: their versions, compared with those that the installed program requires.

The one declaration stands in `pyproject.toml`; an installed program carries it in its metadata, and a bundle does not.
"""

import re
import sys
from collections.abc import Iterator
from importlib import metadata

from explorer.install.diagnosis import Diagnosis

NEEDED = (
    "torch", "numpy", "PySide6-Essentials", "pyqtgraph", "jieba", "opencc-python-reimplemented", "regex", "attrs", "click",
    "platformdirs", "safetensors", "tomli-w", "psutil", "fonttools",
)  # fmt: skip
OPTIONAL = ("transformers", "tokenizers")
_PROGRAM = "transformer-explorer"
_REQUIREMENT = re.compile(r"^(?P<name>[\w.-]+)\s*(?P<limits>[^;]*?)\s*(?:;\s*(?P<marker>.*))?$")
_LIMIT = re.compile(r"(>=|<=|==|!=|<|>)\s*([\w.+*]+)")
_PYTHON = re.compile(r"""^python_version\s*(>=|<)\s*["']3\.(\d+)["']$""")


def libraries() -> Diagnosis:
    """The versions of all required libraries; a fault if one is missing or has a wrong version."""
    found = {name: version_of(name) for name in (*NEEDED, *OPTIONAL)}
    there = " · ".join(f"{name} {version}" for name, version in found.items() if version)
    missing = [name for name in NEEDED if not found[name]]
    limits = {_plain(name): each for name, each in limits_here()}
    wrong = [
        name + limits[_plain(name)]
        for name, version in found.items()
        if version and not is_within(version, limits.get(_plain(name), ""))
    ]
    values = {"there": there, "python": sys.executable, "names": " ".join(f'"{each}"' for each in (*missing, *wrong))}
    if missing or wrong:
        return Diagnosis("libraries", "fault", "libraries.fault", values, "libraries.advice")
    return Diagnosis("libraries", "well", "libraries.well", values)


def models() -> Diagnosis:
    """Whether foreign models can be opened, which is optional."""
    version = version_of("transformers")
    if version and version_of("tokenizers"):
        return Diagnosis("models", "well", "models.well", {"version": version})
    if getattr(sys, "frozen", False):
        return Diagnosis("models", "note", "models.bundle", advice="models.bundle_advice")
    return Diagnosis("models", "note", "models.lacking", {"python": sys.executable}, "models.advice")


def version_of(name: str) -> str:
    """The version of an installed distribution, or "". The whole of Qt counts as its essentials."""
    for each in (name, *(("PySide6",) if name == "PySide6-Essentials" else ())):
        try:
            return metadata.version(each)
        except metadata.PackageNotFoundError:
            continue
    return ""


def limits_here() -> Iterator[tuple[str, str]]:
    """The requirements on this Python, such as ("PySide6-Essentials", "<6.10,>=6.8"); none without metadata."""
    try:
        required = metadata.requires(_PROGRAM) or []
    except metadata.PackageNotFoundError:
        return
    for line in required:
        read = _REQUIREMENT.match(line)
        if read and _counts_here(read["marker"] or ""):
            yield read["name"], read["limits"].strip("() ")


def _plain(name: str) -> str:
    """The name of a distribution as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _counts_here(marker: str) -> bool:
    """Whether a requirement applies to this Python; those of extras do not."""
    if not marker:
        return True
    read = _PYTHON.match(marker)
    if read is None:
        return False
    return (sys.version_info.minor >= int(read[2])) is (read[1] == ">=")


def is_within(version: str, limits: str) -> bool:
    """Whether a version keeps all limits (">=2.6,<2.14"). Only numbers are compared; "+cpu" and "rc1" are not."""
    got = _numbers(version)
    for sign, wanted in _LIMIT.findall(limits):
        bound = _numbers(wanted)
        if not {
            ">=": got >= bound,
            "<=": got <= bound,
            ">": got > bound,
            "<": got < bound,
            "==": got == bound,
            "!=": got != bound,
        }[sign]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """(2, 13) of "2.13.0+cpu": without zeros at the end, so that 2.13 and 2.13.0 are one."""
    read = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(each) for each in read[0].split(".")] if read else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
