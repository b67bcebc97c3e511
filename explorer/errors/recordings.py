"""Errors of Traces that were read from a file, and of recording one's own torch modules.

ExplorerError
├── CannotRecord  NoTaps, BadAxes, SeveralSentences, NotMaps
└── BadFile       NotATrace (BadRecording), RecordingFault (BadCard, BadTensor, NoAxes, DoNotAgree, RecordingTooLarge)
"""

from explorer.errors.base import BadFile, ExplorerError


class CannotRecord(ExplorerError):
    """A pass of a user's own torch module that cannot be recorded."""


class NoTaps(CannotRecord):
    """Nothing in a torch module that could be recorded, or nothing of it ran. Values: module."""

    key = "error.no_taps"


class BadAxes(CannotRecord):
    """Names of axes that are not those of the tensor. Values: tap, axes, shape."""

    key = "error.bad_axes"


class SeveralSentences(CannotRecord):
    """A batch of more than one. Values: got."""

    key = "error.several_sentences"


class NotMaps(CannotRecord):
    """Nothing that could be attention weights. Values: got."""

    key = "error.not_maps"


class NotATrace(BadFile):
    """A file that holds no Trace. Values: path."""

    key = "error.not_a_trace"


class BadRecording(NotATrace):
    """A Trace that another program recorded, and that cannot be shown. Values: path, reason (an error)."""

    key = "error.bad_recording"


class RecordingFault(BadFile):
    """What is wrong with such a Trace: the reason of a BadRecording."""


class BadCard(RecordingFault):
    """A field of the card of such a Trace that cannot be read. Values: field, got."""

    key = "error.bad_card"


class BadTensor(RecordingFault):
    """A tensor that cannot be a tap's: of another type, or empty. Values: name, got."""

    key = "error.bad_tensor"


class NoAxes(RecordingFault):
    """A tensor without names of its axes. Values: tap."""

    key = "error.no_axes"


class DoNotAgree(RecordingFault):
    """An axis whose length differs from the number of its tokens, heads or layers. Values: tap, axis, got, wanted."""

    key = "error.do_not_agree"


class RecordingTooLarge(RecordingFault):
    """More numbers than there is memory for. Values: need_mb, free_mb."""

    key = "error.recording_too_large"
