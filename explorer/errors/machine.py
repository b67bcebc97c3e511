"""Errors of what this machine or the installation lacks, and of unfinished computations.

ExplorerError
├── NotFound  MissingAsset
└── NoDisplay, NotForThisSystem, NoSuchDevice, NotEnoughMemory, ExtraMissing, WorkFailed, EngineRestarted
"""

from explorer.errors.base import ExplorerError, NotFound


class MissingAsset(NotFound):
    """A file of the program itself is missing. Values: name."""

    key = "error.missing_asset"


class NoDisplay(ExplorerError):
    """There is no screen to open a window on. Values: display, wayland."""

    key = "error.no_display"


class NotForThisSystem(ExplorerError):
    """A command for Linux and Windows. Values: system."""

    key = "error.not_for_this_system"


class NoSuchDevice(ExplorerError):
    """A device that this machine or this build of torch lacks. Values: device."""

    key = "error.no_such_device"


class NotEnoughMemory(ExplorerError):
    """The memory is too small for the computation. Values: need_mb."""

    key = "error.not_enough_memory"


class ExtraMissing(ExplorerError):
    """A library that an extra of the package brings. Values: name, extra."""

    key = "error.extra_missing"


class WorkFailed(ExplorerError):
    """A bug ended a computation: it stands where the result would, while the bug itself is reported. Values: kind."""

    key = "error.work_failed"


class EngineRestarted(ExplorerError):
    """A computation hung, and the user has restarted the engine."""

    key = "error.engine_restarted"
