"""Files that are replaced whole or not at all."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from explorer.errors import CannotCreate, CannotWrite, DiskFull


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside `path`, and put it in its place when the block has ended well.

    Whatever happens inside, an older file at `path` stays until then. Raises CannotWrite, DiskFull.
    """
    try:
        if path.exists() and not path.is_file():
            # A folder; or a device such as /dev/null, which root would replace by a plain file.
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=path.suffix, dir=path.parent)
        os.close(handle)
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error
    unfinished = Path(name)
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.chmod(0o666 & ~_umask())
        unfinished.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        unfinished.unlink(missing_ok=True)


def make_folder(path: Path) -> Path:
    """The folder, made if need be. Raises CannotCreate."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotCreate(path=str(path), reason=error.strerror) from error
    return path


def cannot_write(path: Path, error: OSError | ValueError) -> CannotWrite:
    """The user's error for the system's."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return DiskFull(path=str(path))
    return CannotWrite(path=str(path), reason=getattr(error, "strerror", None) or str(error))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
