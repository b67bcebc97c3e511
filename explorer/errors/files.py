"""Errors of reading and writing files, whatever they hold.

ExplorerError
├── CannotWrite  CannotCreate, DiskFull
└── BadFile      CannotRead (NotAFile (FolderAsFile, PipeAsFile, DeviceAsFile)), OverLimit
"""

from explorer.errors.base import BadFile, ExplorerError


class CannotWrite(ExplorerError):
    """A file that cannot be written. Values: path, reason."""

    key = "error.cannot_write"


class CannotCreate(CannotWrite):
    """A folder that cannot be made. Values: path, reason."""

    key = "error.cannot_create"


class DiskFull(CannotWrite):
    """The disk has no room for the file. Values: path."""

    key = "error.disk_full"


class CannotRead(BadFile):
    """A file that cannot be read. Values: path, reason."""

    key = "error.cannot_read"


class NotAFile(CannotRead):
    """Something that is no regular file, such as a socket, where a file should be. Values: path."""

    key = "error.not_a_file"


class FolderAsFile(NotAFile):
    """A folder where a file should be. Values: path."""

    key = "error.folder_as_file"


class PipeAsFile(NotAFile):
    """A named pipe where a file should be. Values: path."""

    key = "error.pipe_as_file"


class DeviceAsFile(NotAFile):
    """A device where a file should be. Values: path."""

    key = "error.device_as_file"


class OverLimit(BadFile):
    """More of something in a file than its limit allows. Values: name, limit, got."""

    key = "error.over_limit"
