"""Errors of the State and of the files of sessions.

ExplorerError
├── BadFile  BadState (NewerState, BundleStray, BundleLinks, BundleTooMany, BundleTooLarge), NotTakenAlong,
│            ChangedElsewhere
└── BadField
"""

from explorer.errors.base import BadFile, ExplorerError


class BadState(BadFile):
    """A file that holds no State. Values: path, reason."""

    key = "error.bad_state"


class NewerState(BadState):
    """A State's file from a later version of the program. Values: path, version, known."""

    key = "error.newer_state"


class BundleStray(BadState):
    """A file that has no place in a session with weights, or cannot be read there. Values: path, name."""

    key = "error.bundle_stray"


class BundleLinks(BadState):
    """A link in a session with weights. Values: path, name."""

    key = "error.bundle_links"


class BundleTooMany(BadState):
    """A session with weights that has too many files. Values: path, most."""

    key = "error.bundle_too_many"


class BundleTooLarge(BadState):
    """A file in a session with weights that is larger than it can be. Values: path, name, mb."""

    key = "error.bundle_too_large"


class NotTakenAlong(BadFile):
    """A foreign model or a recorded pass, which a session does not include. Values: path."""

    key = "error.not_taken_along"


class ChangedElsewhere(BadFile):
    """A file that another program has changed since it was opened. Values: path."""

    key = "error.changed_elsewhere"


class BadField(ExplorerError):
    """A field of a Look, a Wish or a file of them that cannot have this value. Values: name, got."""

    key = "error.bad_field"
