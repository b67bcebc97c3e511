"""Errors of questions to a recorded pass.

ExplorerError
├── NotFound  UnknownTap, UnknownParameter, UnknownHead, UnknownLayer, LayersDiffer, UnknownMeasure, UnknownTable, NoSuchStep,
│             NoSuchSymbol, NoSuchPart, UnknownWord, NoWrittenWords, NotLookedInto, RecordedOnly
└── NotKept
"""

from explorer.errors.base import ExplorerError, NotFound


class UnknownTap(NotFound):
    """A tap that the trace does not have. Values: name, nearest."""

    key = "error.unknown_tap"


class UnknownParameter(NotFound):
    """A parameter or circuit that the model does not have. Values: name, nearest."""

    key = "error.unknown_parameter"


class UnknownHead(NotFound):
    """A head that the model does not have. Values: got, last."""

    key = "error.unknown_head"


class UnknownLayer(NotFound):
    """A layer that the model does not have. Values: got, last."""

    key = "error.unknown_layer"


class LayersDiffer(NotFound):
    """A tap of all layers at once whose shapes are not the same in each. Values: tap, shapes."""

    key = "error.layers_differ"


class UnknownMeasure(NotFound):
    """A head metric that does not exist. Values: name, choices."""

    key = "error.unknown_measure"


class UnknownTable(NotFound):
    """A table that a result does not have. Values: name, choices."""

    key = "error.unknown_table"


class NoSuchStep(NotFound):
    """A position of the output that does not exist. Values: got, last."""

    key = "error.no_such_step"


class NoSuchSymbol(NotFound):
    """An id that the vocabulary does not have, or a word that is no token. Values: got, last."""

    key = "error.no_such_symbol"


class NoSuchPart(NotFound):
    """A part of a sum, or of one of its parts, that does not exist. Values: got, part."""

    key = "error.no_such_part"


class UnknownWord(NotFound):
    """A word that the pass did not generate. Values: got, known."""

    key = "error.unknown_word"


class NoWrittenWords(NotFound):
    """A model without a decoder, which generates no words. Values: architecture."""

    key = "error.no_written_words"


class NotLookedInto(NotFound):
    """A Trace without an experiment that is needed. Values: name."""

    key = "error.not_looked_into"


class RecordedOnly(NotFound):
    """Something that a model would have to compute, where there is only a recorded pass. Values: path."""

    key = "error.recorded_only"


class NotKept(ExplorerError):
    """A tensor of a long text that was not kept. Values: tap, n_tokens. `head` is the wanted head, -1 for all."""

    key = "error.not_kept"

    def __init__(self, *, head: int = -1, **values: object) -> None:
        super().__init__(**values)
        self.head = head
