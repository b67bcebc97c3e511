"""Whose files lie in a bundle: written down when it is made, and looked for again in what was made.

    python .ci/bundle_notices.py FOLDER      what the finished bundle holds and its notices do not name

PyInstaller knows of each file where it came from. A file in the record of an installed distribution is that distribution's; one
of Python's own folder is Python's; what is left came from the system, on Debian from a package with a file of its licence.
"""

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from explorer.install.notices import FILE, PROGRAM, Notice, notice_of, plain, python_notice, read_notices

Entry = tuple[str, str, str]  # Where a file goes, where it came from, and its kind, as PyInstaller lists it.
SHARED = re.compile(r"\.(?:so(?:\.[\d.]+)?|dylib|dll|pyd)$", re.IGNORECASE)
_LICENCE = re.compile(r"^License: *(\S.*?) *$", re.MULTILINE)  # of Debian's own format


def owners() -> dict[str, metadata.Distribution]:
    """Each installed file by its whole path, with the distribution whose record has it."""
    found = {}
    for each in metadata.distributions():
        for file in each.files or ():
            found[str(Path(str(each.locate_file(file))).resolve())] = each
    return found


def gathered(entries: Iterable[Entry]) -> tuple[Notice, ...]:
    """The notices of Python, of every distribution of which a file goes into the bundle, and of libraries of the system."""
    by_path, system = owners(), dict[str, Path]()
    libraries: dict[str, metadata.Distribution] = {}
    python = [Path(each).resolve() for each in {sys.base_prefix, sys.prefix}]
    for place, source, kind in entries:
        path = Path(source).resolve() if source and source != "-" else None
        owner = by_path.get(str(path))
        if owner is not None:
            libraries[plain(owner.name)] = owner
        elif path is not None and kind == "BINARY" and not any(path.is_relative_to(each) for each in python):
            system[Path(place).name] = path
    libraries.pop(plain(PROGRAM), None)
    own = [notice_of(libraries[name]) for name in sorted(libraries)]
    return (python_notice(), *own, *(_of_system(name, system[name]) for name in sorted(system)))


def _of_system(name: str, path: Path) -> Notice:
    """The notice of a shared library: by its package where the system has packages."""
    package, version = _package(path)
    text = Path("/usr/share/doc") / package / "copyright"
    if not package or not text.is_file():
        return Notice(name, version, "")
    told = text.read_text("utf-8", "replace")
    return Notice(name, f"{package} {version}", " / ".join(dict.fromkeys(_LICENCE.findall(told))), (("copyright", told),))


def _package(path: Path) -> tuple[str, str]:
    """The Debian package of a file and its version; empty where there is none."""
    if shutil.which("dpkg-query") is None:
        return "", ""
    for each in (path, Path("/usr") / path.relative_to("/"), Path("/", *path.parts[2:])):
        done = subprocess.run(["dpkg-query", "-S", str(each)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            package = done.stdout.split(":")[0].split(",")[0]
            told = subprocess.run(
                ["dpkg-query", "-W", "-f", "${Version}\n", package], capture_output=True, text=True, check=False
            )
            return package, told.stdout.split("\n")[0]
    return "", ""


def unnamed(folder: Path) -> list[str]:
    """What lies in a finished bundle and is named by no notice: packages of its archive, folders, and shared libraries.

    This goes by names alone, and so knows nothing of what `gathered` went by.
    """
    inside = next((each for each in (folder / "_internal", folder / "Contents" / "Frameworks") if each.is_dir()), folder)
    named = {plain(each.name) for each in read_notices(inside / FILE)}
    packages = {name: {plain(each) for each in owning} for name, owning in metadata.packages_distributions().items()}
    known = {*sys.stdlib_module_names, "explorer", "_pyi_rth_utils", "python", "base_library"}
    missing = []
    for name in sorted({*_archived(folder), *_top_names(inside)}):
        if name in known or name.startswith(("pyi", "_pyi", "lib-dynload", "python3", "libpython3", "_sysconfigdata")):
            continue
        if not (packages.get(name) or {plain(name)}) & named:
            missing.append(name)
    return missing


def _archived(folder: Path) -> Iterator[str]:
    """The packages in the archive of compiled modules that is a part of the program."""
    from PyInstaller.archive.readers import CArchiveReader

    program = next(each for each in folder.rglob(f"{PROGRAM}*") if each.is_file() and each.suffix in ("", ".exe"))
    archive = CArchiveReader(str(program))
    yield from {name.partition(".")[0] for name in archive.open_embedded_archive("PYZ.pyz").toc}


def _top_names(inside: Path) -> Iterator[str]:
    """The names of folders and shared libraries: of a wheel's own libraries ("numpy.libs") that of the wheel."""
    for link in inside.iterdir():
        each = (
            inside / link.resolve().relative_to(inside.resolve()).parts[0]
        )  # Links lead to the libraries in a wheel's folder.
        name = each.name
        if each.is_dir() and not name.endswith((".dist-info", ".egg-info")):
            yield name.removesuffix(".libs").removesuffix(".dylibs")
        elif SHARED.search(name):
            yield name if importlib.util.find_spec(name.partition(".")[0]) is None else name.partition(".")[0]


def main() -> int:
    """Say what is not named; the status is 1 if anything is."""
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("folder", type=Path)
    missing = unnamed(flags.parse_args().folder)
    print("\n".join(f"no notice names {each}" for each in missing) or "The notices name every library.")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
