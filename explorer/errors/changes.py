"""Errors of changes inside a pass.

ExplorerError
├── BadChange  UnknownChangeKind, ChangeLacks, ChangeHasNo, BadChangeField, TooManyInChange, NoHeads, OutOfTensor,
│              LengthsDiffer, AllClosed, CannotClose, NoMean, NotForLongTexts, NeverReached,
│              ChangeIsFunction, BadFunctionResult
├── BadFile    BadChangesFile
└── BadReplacement
"""

from explorer.errors.base import BadFile, ExplorerError


class BadChange(ExplorerError):
    """A change inside a pass that cannot be made."""


class UnknownChangeKind(BadChange):
    """A kind of change that does not exist. Values: got, known."""

    key = "error.unknown_change_kind"


class ChangeLacks(BadChange):
    """A change without a field that its kind requires. Values: kind, field."""

    key = "error.change_lacks"


class ChangeHasNo(BadChange):
    """A change with a field that its kind does not use. Values: kind, field."""

    key = "error.change_has_no"


class BadChangeField(BadChange):
    """A field of a change that cannot have this value. Values: field, got."""

    key = "error.bad_change_field"


class TooManyInChange(BadChange):
    """A field of a change with more entries than it may have. Values: field, limit, got."""

    key = "error.too_many_in_change"


class NoHeads(BadChange):
    """A change that names a head at a tap without heads. Values: tap."""

    key = "error.no_heads"


class OutOfTensor(BadChange):
    """A change at a position that the tap does not have in this sentence. Values: tap, axis, got, last."""

    key = "error.out_of_tensor"


class LengthsDiffer(BadChange):
    """A patch whose length differs from the tensor that it replaces. Values: tap, axis, wanted, got."""

    key = "error.lengths_differ"


class AllClosed(BadChange):
    """A change that would mask every key of a row of an attention. Values: tap, row."""

    key = "error.all_closed"


class CannotClose(BadChange):
    """A change that masks cells at a tap that has no mask. Values: tap."""

    key = "error.cannot_close"


class NoMean(BadChange):
    """A mean of rows at a tap with masked cells. Values: tap."""

    key = "error.no_mean"


class NotForLongTexts(BadChange):
    """A change that needs whole maps, at a tap that processes a long text in blocks. Values: tap."""

    key = "error.not_for_long_texts"


class ChangeIsFunction(BadChange):
    """A change by a function, which no file can hold. Values: tap."""

    key = "error.change_is_function"


class BadFunctionResult(BadChange):
    """A function of a change that gave something else than an array like its own. Values: tap, wanted, got."""

    key = "error.bad_function_result"


class NeverReached(BadChange):
    """A change at a tap that the pass did not reach. Values: tap."""

    key = "error.never_reached"


class BadChangesFile(BadFile):
    """A file that holds no changes. Values: path, reason."""

    key = "error.bad_changes_file"


class BadReplacement(ExplorerError):
    """A hook of a tap returned a tensor that cannot replace the recorded one. Values: tap, wanted, got."""

    key = "error.bad_replacement"
