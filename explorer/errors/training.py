"""Errors of a training: its data, its checkpoints, and the memory that a step needs.

ExplorerError
├── BadFile  NotACorpus, EmptySplit, BadCheckpoint, NotPairs, NotInUtf8
└── NoTrainingData, UnknownTask, TooFewExamples, NotEnoughDeviceMemory
"""

from explorer.errors.base import BadFile, ExplorerError


class NotACorpus(BadFile):
    """A data file without the required columns. Values: path, columns."""

    key = "error.not_a_corpus"


class EmptySplit(BadFile):
    """A data file with no usable row of a split. Values: path, split."""

    key = "error.empty_split"


class BadCheckpoint(BadFile):
    """A checkpoint that is damaged, or of another training. Values: path, reason."""

    key = "error.bad_checkpoint"


class NotPairs(BadFile):
    """A table of pairs with a line that is no pair. Values: path, line."""

    key = "error.not_pairs"


class NotInUtf8(BadFile):
    """A text file in another encoding. Values: path."""

    key = "error.not_in_utf8"


class NoTrainingData(ExplorerError):
    """A training without a file of examples and without a task, or with a task that needs one, or with one that needs none."""

    key = "error.no_training_data"


class UnknownTask(ExplorerError):
    """A name that no task has. Values: name, known."""

    key = "error.unknown_task"


class TooFewExamples(ExplorerError):
    """More different examples than a task has. Values: task, most."""

    key = "error.too_few_examples"


class NotEnoughDeviceMemory(ExplorerError):
    """The memory of a device is too small for a training step. Values: device, batch_tokens."""

    key = "error.not_enough_device_memory"
