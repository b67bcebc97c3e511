"""A session with its presets and their weights in one file: a zip with the suffix `.explorer`.

It holds `session.explorer.toml`, and a folder `presets/0`, `presets/1` for each preset that is not bundled with the program:
TOML, safetensors and vocabularies as plain text. Files may be of unknown origin. Nothing in them is run or unpickled, and the
directory of the zip is checked whole before any file of it is written.

Decision: the presets of an opened file go into a folder that is named after a hash of their contents, so that opening the file
again finds them there. Rejected: a temporary folder, which would be gone at the next start, when the State comes back.
"""

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from explorer.errors import BadState, BundleLinks, BundleStray, BundleTooLarge, BundleTooMany, CannotRead, NotTakenAlong
from explorer.files import cannot_write, make_folder, opened, replacing, sha256_of
from explorer.presets import FILE, load_preset, preset_names
from explorer.resources import config_folder
from explorer.state.state_file import SUFFIX, parsed, to_toml

MOST_FILES = 32
_SESSION = f"session{SUFFIX}"
_NAME = re.compile(r"[\w\- ][\w.\- ]{0,80}\.(?:toml|safetensors|txt)")
_FOLDER = re.compile(r"presets/[01]")
_MOST_TEXT, _MOST_TENSORS = 2**24, 2**31  # bytes of one file
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MOST_DIRECTORY = 2**16  # bytes of a zip's directory
_END, _END_BYTES, _LONGEST_COMMENT = b"PK\5\6", 22, 2**16
_CHUNK = 2**20  # bytes
_UNFINISHED = re.compile(r"\.(\d+)-[0-9a-f]{8}\.unfinished")


def write_bundle(table: Mapping[str, Any], path: Path) -> None:
    """Write a table with the presets that it names. Raises NotTakenAlong, CannotWrite, DiskFull, UnknownPreset, BadPreset."""
    names = [name for name in _presets_of(table) if _files_of(name)]
    where = {name: f"presets/{number}" for number, name in enumerate(names)}
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w") as bundle:
        taken = {"taken": {"names": names, "folders": [where[name] for name in names]}} if names else {}
        bundle.writestr(_SESSION, to_toml({**table, **taken}), zipfile.ZIP_DEFLATED)
        for name in names:
            for called, file in _files_of(name).items():
                packing = zipfile.ZIP_STORED if file.suffix == ".safetensors" else zipfile.ZIP_DEFLATED
                bundle.write(file, f"{where[name]}/{_plain(called)}", packing)


def read_bundle(path: Path) -> dict[str, Any]:
    """The table in a bundle; it names the presets where their files were put.

    Raises CannotRead, CannotWrite, BadState, NewerState, BundleStray, BundleLinks, BundleTooMany, BundleTooLarge.
    """
    try:
        with opened(path) as file:
            _check_end(file, path)
            with zipfile.ZipFile(file) as bundle:
                entries = {entry.filename: entry for entry in _checked(bundle, path)}
                if _SESSION not in entries:
                    raise BadState(path=str(path), reason=f"{_SESSION} ?")
                table = parsed(bundle.read(_SESSION), path)
                return _with_presets(table, bundle, path)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise BadState(path=str(path), reason=str(error)[:200]) from error
    except OSError as error:
        raise CannotRead(path=str(path), reason=error.strerror or str(error)) from error


def weights_sha256(preset: str) -> str:
    """The SHA-256 of the weights of one of our presets; "" if it has none. Raises UnknownPreset, BadPreset."""
    path = load_preset(preset).weights
    with contextlib.suppress(OSError):
        if path is not None:
            told = path.stat()
            return _sha256(path, told.st_mtime_ns, told.st_size)
    return ""


@lru_cache(maxsize=16)  # What is set up is saved after each change, and would hash the translator's 36 MB.
def _sha256(path: Path, changed_ns: int, size: int) -> str:
    return sha256_of(path)


def _presets_of(table: Mapping[str, Any]) -> list[str]:
    """The presets that a table names: its own, and that of the state to compare with."""
    other = table.get("compared_with", {})
    names = [table.get("preset"), other.get("preset") if isinstance(other, dict) else None]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def _files_of(name: str) -> dict[str, Path]:
    """The files that another machine needs to open a preset, by their names. Raises NotTakenAlong."""
    preset = load_preset(name)
    if preset.foreign is not None or preset.recorded is not None:
        raise NotTakenAlong(path=name)
    if preset.folder is None:
        return {} if name in preset_names() else {Path(name).name: Path(name)}
    return preset.files()


def _plain(name: str) -> str:
    """A file name that is valid on every disk."""
    stem, suffix = Path(name).stem, Path(name).suffix
    plain = re.sub(r"[^\w. -]", "_", stem).lstrip(".")[:60]
    return f"{plain or 'preset'}{suffix}"


def _check_end(file: IO[bytes], path: Path) -> None:
    """Check how many files a zip claims to have before Python's reader trusts it: a directory of millions takes gigabytes."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - _END_BYTES - _LONGEST_COMMENT))
    tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) - place < _END_BYTES:
        raise BadState(path=str(path), reason="zip ?")
    count, directory = struct.unpack_from("<HL", tail, place + 10)
    if count > MOST_FILES or directory > _MOST_DIRECTORY or b"PK\6\7" in tail[max(0, place - 20) : place]:
        raise BundleTooMany(path=str(path), most=MOST_FILES)
    file.seek(0)


def _checked(bundle: zipfile.ZipFile, path: Path) -> Iterator[zipfile.ZipInfo]:
    """Each entry of a zip, if it may be there. Raises BundleStray, BundleLinks, BundleTooMany, BundleTooLarge."""
    entries = bundle.infolist()
    if len(entries) > MOST_FILES:
        raise BundleTooMany(path=str(path), most=MOST_FILES)
    seen, n_bytes = set(), {True: 0, False: 0}  # names, and bytes of tensors and of texts
    room = {True: path.stat().st_size, False: 4 * _MOST_TEXT}  # Several entries may claim the same bytes of a zip.
    for entry in entries:
        name = entry.filename
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BundleLinks(path=str(path), name=name)
        # Two spellings may be one name on a disk.
        if not _belongs(name) or name.casefold() in seen or entry.flag_bits & 1 or entry.compress_type not in _PACKED:
            raise BundleStray(path=str(path), name=name)
        seen.add(name.casefold())
        tensors = name.endswith(".safetensors")
        n_bytes[tensors] += entry.file_size
        most = min(_MOST_TENSORS if tensors else _MOST_TEXT, room[tensors])
        if entry.file_size > most or n_bytes[tensors] > room[tensors]:
            raise BundleTooLarge(path=str(path), name=name, mb=entry.file_size / 1e6)
        yield entry


def _belongs(name: str) -> bool:
    folder, _slash, file = name.rpartition("/")
    return name == _SESSION or bool(_FOLDER.fullmatch(folder) and _NAME.fullmatch(file))


def _with_presets(table: dict[str, Any], bundle: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    """The table with the places of its presets on this machine."""
    taken = table.pop("taken", {"names": (), "folders": ()})
    try:
        where = dict(zip(map(str, taken["names"]), map(str, taken["folders"]), strict=True))
    except (TypeError, ValueError, KeyError) as error:
        raise BadState(path=str(path), reason="taken ?") from error
    preset = table.get("preset")
    same = preset in preset_names() and table.get("weights") == weights_sha256(str(preset))
    for name, folder in where.items():
        if not (same and name == preset):  # Otherwise the program has these very weights.
            _put(table, name, str(_extracted(bundle, f"{folder}/", path, name)))
    return table


def _put(table: dict[str, Any], name: str, place: str) -> None:
    for each in (table, table.get("compared_with")):
        if isinstance(each, dict) and each.get("preset") == name:
            each["preset"] = place


def _extracted(bundle: zipfile.ZipFile, prefix: str, path: Path, name: str) -> Path:
    """The preset of one folder of a bundle, put beside the preferences. Raises CannotWrite, BadState."""
    names = sorted(each for each in bundle.namelist() if each.startswith(prefix))
    if not names or not _FOLDER.fullmatch(prefix[:-1]):
        raise BadState(path=str(path), reason=f"{prefix} ?")
    home = make_folder(config_folder() / "taken-along")
    _sweep(home)
    unfinished = home / f".{os.getpid()}-{secrets.token_hex(4)}.unfinished"
    try:
        unfinished.mkdir()
        digest = hashlib.sha256()
        for each in names:
            digest.update(each.removeprefix(prefix).encode() + b"\0")
            _copy(bundle, each, unfinished / each.removeprefix(prefix), digest)
        # The folder's name is what the preset box shows.
        title = re.sub(r"[^\w\- ]", "", Path(name).name.removesuffix(".toml"))[:60] or "preset"
        place = home / digest.hexdigest()[:16] / title
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            unfinished.replace(place)
    except OSError as error:
        raise cannot_write(home, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return place if (place / FILE).exists() else place / names[0].removeprefix(prefix)


def _copy(bundle: zipfile.ZipFile, name: str, to: Path, digest: "hashlib._Hash") -> None:
    """Copy one file of a zip to the disk. Its checked size cannot be exceeded: zipfile reads no further."""
    with bundle.open(name) as file, to.open("xb") as out:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            out.write(chunk)
        out.flush()
        os.fsync(out.fileno())


def _sweep(home: Path) -> None:
    """Remove the unfinished files of killed processes."""
    import psutil  # Only here and in `files` it is needed.

    for path in home.iterdir():
        found = _UNFINISHED.fullmatch(path.name)
        if found and not psutil.pid_exists(int(found[1])):
            shutil.rmtree(path, ignore_errors=True)
