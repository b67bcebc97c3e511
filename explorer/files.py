"""Writing files whole or not at all, and reading files of unknown origin, of which only regular ones are opened."""

import contextlib
import errno
import hashlib
import io
import os
import re
import secrets
import shutil
import stat
import time
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from explorer.errors import CannotCreate, CannotRead, CannotWrite, DeviceAsFile, DiskFull, FolderAsFile, NotAFile, PipeAsFile

_CHUNK_BYTES = 2**20
# A temporary file's name contains machine and process, so that files of killed processes can be removed.
_UNFINISHED = re.compile(r"^\..*\.(?P<machine>[0-9a-f]{8})-(?P<process>\d+)-[0-9a-f]{8}\.unfinished(\.[^.]*)?$", re.DOTALL)
# Windows' errors while an indexer or a virus scanner has the file open: access denied, sharing violation, lock violation.
_HELD = (5, 32, 33)
_WAITS_S = (0.01, 0.02, 0.04, 0.08, 0.15, 0.2)  # seconds, half a second in all
_MOST_OF_NAME = 40  # characters of a file's name that its temporary file's name contains


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside `path`, which replaces `path` when the block ends without an error.

    An older file at `path` stays until then. Raises CannotWrite, DiskFull.
    """
    try:
        if path.exists() and not path.is_file():
            # Refuse folders, and devices such as /dev/null, which root would replace by a plain file.
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sweep(path.absolute().parent)
        unfinished = _made_beside(path)
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error
    try:
        yield unfinished
        with unfinished.open("rb+") as file:  # Windows syncs only files that are open for writing.
            os.fsync(file.fileno())
        _put_in_place(unfinished, path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        with contextlib.suppress(OSError):  # A file that is held open now is removed at the next export.
            unfinished.unlink(missing_ok=True)


def _put_in_place(unfinished: Path, path: Path) -> None:
    """Replace the older file. Windows refuses while another program has it open, which is usually short, so try again."""
    for wait_s in _WAITS_S:
        try:
            unfinished.replace(path)
        except OSError as error:
            if getattr(error, "winerror", None) not in _HELD:  # Only Windows sets `winerror`.
                raise
            time.sleep(wait_s)
        else:
            return
    unfinished.replace(path)


def _made_beside(path: Path) -> Path:
    """Make an empty file with a unique name and the usual permissions of the user's new files."""
    token = f"{_machine()}-{os.getpid()}-{secrets.token_hex(4)}"
    made = path.with_name(f".{path.name[:_MOST_OF_NAME]}.{token}.unfinished{path.suffix[:_MOST_OF_NAME]}")
    os.close(os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
    return made


@lru_cache(maxsize=64)  # row "48 labelled maps to PNG": an export of many files sweeps its folder once.
def sweep(folder: Path) -> None:
    """Remove temporary files in a folder whose process on this machine has ended."""
    import psutil  # Only writing needs it.

    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _UNFINISHED.match(entry.name)
            if found and found["machine"] == _machine() and not psutil.pid_exists(int(found["process"])):
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()


def _machine() -> str:
    """Eight hexadecimal digits of this machine's name, because process numbers are unique only on one machine."""
    import socket  # Imported here because a start writes no file and need not wait for it.

    return f"{zlib.crc32(socket.gethostname().encode('utf-8', 'replace')):08x}"


def opened(path: Path) -> io.BufferedReader:
    """Open a regular file for reading; a pipe would block, and a device may never end.

    Raises NotAFile, CannotRead; each reading of the file raises CannotRead where a disk or a system file fails.
    """
    check_file(path)
    try:
        file: io.BufferedReader = io.BufferedReader(_OpenedFile(path))
    except (OSError, ValueError) as error:
        raise _cannot_read(path, error) from error
    try:
        _check_mode(path, os.fstat(file.fileno()).st_mode)  # The file may have been replaced since it was checked.
    except NotAFile:
        file.close()
        raise
    return file


def read_into(path: Path, begin: int, room: memoryview) -> None:
    """Fill `room` with the bytes of a regular file from `begin` on. Raises NotAFile, CannotRead, also where it is too short."""
    with opened(path) as file:
        file.seek(begin)
        done = 0
        while done < len(room):
            n = file.readinto(room[done:])
            if not n:
                raise CannotRead(path=str(path), reason=f"{begin + done} B …")
            done += n


def check_file(path: Path) -> None:
    """Refuse what is no regular file without opening it. Raises NotAFile, CannotRead."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise _cannot_read(path, error) from error
    _check_mode(path, mode)


def _check_mode(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kind = NotAFile
    if stat.S_ISDIR(mode):
        kind = FolderAsFile
    elif stat.S_ISFIFO(mode):
        kind = PipeAsFile
    elif stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        kind = DeviceAsFile
    raise kind(path=str(path))


class _OpenedFile(io.FileIO):
    """The bytes of a file, without waiting; failures of the disk are a user's error."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb", opener=_without_waiting)
        self._path = path

    def readinto(self, room: Any) -> int | None:
        try:
            return super().readinto(room)
        except OSError as error:
            raise _cannot_read(self._path, error) from error

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            raise _cannot_read(self._path, error) from error


def _cannot_read(path: Path, error: OSError | ValueError) -> CannotRead:
    return CannotRead(path=str(path), reason=getattr(error, "strerror", None) or str(error))


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_whole(path: Path, most_bytes: int) -> bytes:
    """The contents of a regular file of at most `most_bytes`. Raises NotAFile, CannotRead."""
    with opened(path) as file:
        told = os.fstat(file.fileno()).st_size  # A sparse file may be much larger than its room on the disk.
        # Room is taken for what is asked for, which is no more than the file seems to have; system files seem to have nothing.
        asked = min(max(told, _CHUNK_BYTES), most_bytes) + 1
        content = b"" if told > most_bytes else file.read(asked)
    if max(told, len(content)) > most_bytes:
        raise CannotRead(path=str(path), reason=f"> {most_bytes:,} B")
    return content


def sha256_of(path: Path) -> str:
    """The SHA-256 of a regular file. Raises NotAFile, CannotRead."""
    digest = hashlib.sha256()
    with opened(path) as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def make_folder(path: Path) -> Path:
    """Make the folder if it does not exist. Raises CannotCreate."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise CannotCreate(path=str(path), reason=getattr(error, "strerror", None) or str(error)) from error
    return path


@contextlib.contextmanager
def making_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside `path`, which becomes `path` when the block ends without an error.

    Nothing may be at `path`. Raises CannotWrite, DiskFull.
    """
    unfinished = path.absolute().with_name(f".{path.absolute().name}.{os.getpid()}-{secrets.token_hex(4)}.unfinished")
    try:
        unfinished.mkdir(parents=True)
        yield unfinished
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        unfinished.replace(path)
    except CannotWrite as error:  # of a file in it, whose temporary place means nothing to the user
        raise type(error)(**error.values | {"path": str(path)}) from error
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def cannot_write(path: Path, error: OSError | ValueError) -> CannotWrite:
    """The user's error for an error of the system."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return DiskFull(path=str(path))
    return CannotWrite(path=str(path), reason=getattr(error, "strerror", None) or str(error))
