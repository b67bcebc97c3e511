"""Errors of checkpoints that are converted: what torch's restricted reader refuses, and what fits no layout.

ExplorerError
└── BadFile  CannotConvert (NotACheckpoint, CheckpointHoldsCode, CheckpointStopped, NoTensorsInside, UnknownLayout,
             UnknownTensors, LacksKeys, OtherShape, NoFloats, NeedsHeads, HeadsAreTold, HeadsDoNotDivide, OtherPositions,
             UnknownSetting, OtherCharacters, FolderIsThere, PartOfCheckpoint,
             NotConverted (NormedStream, MixtureOfExperts, EmbeddingAlone, StackAlone))
"""

from explorer.errors.base import BadFile


class CannotConvert(BadFile):
    """A checkpoint that cannot be converted."""


class NotACheckpoint(CannotConvert):
    """A file that torch cannot read: incomplete, damaged, or of another kind. Values: path."""

    key = "error.not_a_checkpoint"


class CheckpointHoldsCode(CannotConvert):
    """A file that asks for something else than tensors and plain values. Values: path, name."""

    key = "error.checkpoint_holds_code"


class CheckpointStopped(CannotConvert):
    """A file whose reading was ended, because it took too much time or memory. Values: path, reason."""

    key = "error.checkpoint_stopped"


class NoTensorsInside(CannotConvert):
    """A file without a table of named tensors. Values: path."""

    key = "error.no_tensors_inside"


class UnknownLayout(CannotConvert):
    """Tensors of no known course. Values: path, found, known."""

    key = "error.unknown_layout"


class UnknownTensors(CannotConvert):
    """Tensors that the course's model does not have. Values: path, course, tensors."""

    key = "error.unknown_tensors"


class LacksKeys(CannotConvert):
    """Tensors of the course's model that are not there. Values: path, course, tensors."""

    key = "error.lacks_keys"


class OtherShape(CannotConvert):
    """A tensor of another shape than the others ask for. Values: path, tensor, got, wanted."""

    key = "error.other_shape"


class NoFloats(CannotConvert):
    """A tensor of another type than floats, as of quantized weights. Values: path, tensor, dtype."""

    key = "error.no_floats"


class NeedsHeads(CannotConvert):
    """A checkpoint that does not say how many heads its model has. Values: path."""

    key = "error.needs_heads"


class HeadsAreTold(CannotConvert):
    """A number of heads that is not the one in the file. Values: path, told, got."""

    key = "error.heads_are_told"


class HeadsDoNotDivide(CannotConvert):
    """A number of heads that does not divide the features. Values: path, n_heads, features."""

    key = "error.heads_do_not_divide"


class OtherPositions(CannotConvert):
    """A table of positions that no formula here gives. Values: path, tensor."""

    key = "error.other_positions"


class UnknownSetting(CannotConvert):
    """A setting that the course's model does not leave open, or a value of another kind. Values: got, known."""

    key = "error.unknown_setting"


class OtherCharacters(CannotConvert):
    """A training text with another number of characters than the model has tokens. Values: path, got, wanted."""

    key = "error.other_characters"


class FolderIsThere(CannotConvert):
    """A folder to write that exists already. Values: path."""

    key = "error.folder_is_there"


class PartOfCheckpoint(CannotConvert):
    """One of several files of a model. Values: path, count."""

    key = "error.part_of_checkpoint"


class NotConverted(CannotConvert):
    """A model of a known course that no model here is equal to."""


class NormedStream(NotConverted):
    """A model that adds each block to the normalized stream. Values: path, course."""

    key = "error.normed_stream"


class MixtureOfExperts(NotConverted):
    """A model with experts, without the number that each token uses. Values: path, course, tensor."""

    key = "error.mixture_of_experts"


class EmbeddingAlone(NotConverted):
    """An embedding without layers. Values: path, course."""

    key = "error.embedding_alone"


class StackAlone(NotConverted):
    """An encoder or a decoder without embedding and output. Values: path, course."""

    key = "error.stack_alone"
