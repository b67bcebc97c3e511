"""Errors of a command line that cannot be understood.

ExplorerError
└── WrongCall  FlagsExclude, SentencesNeedOneSide, UnknownCommand, UnknownFlag (SimilarFlag), FlagWithoutValue,
               FlagWithValue, MissingArgument, ExtraArguments, NullInArgument
"""

from explorer.errors.base import ExplorerError


class WrongCall(ExplorerError):
    """A command line that cannot be understood."""


class FlagsExclude(WrongCall):
    """Two flags that ask for different things. Values: first, second."""

    key = "error.flags_exclude"


class SentencesNeedOneSide(WrongCall):
    """Further sentences of one language for the training of a translator, which needs pairs."""

    key = "error.sentences_need_one_side"


class UnknownCommand(WrongCall):
    """A command of this name does not exist. Values: name, known."""

    key = "error.unknown_command"


class UnknownFlag(WrongCall):
    """A flag that the command does not have. Values: name, command."""

    key = "error.unknown_flag"


class SimilarFlag(UnknownFlag):
    """An unknown flag with a name similar to known ones. Values: name, known."""

    key = "error.similar_flag"


class FlagWithoutValue(WrongCall):
    """A flag that lacks its value. Values: name."""

    key = "error.flag_without_value"


class FlagWithValue(WrongCall):
    """A value for a flag that takes none. Values: name."""

    key = "error.flag_with_value"


class MissingArgument(WrongCall):
    """A required argument or flag is missing. Values: name, command."""

    key = "error.missing_argument"


class ExtraArguments(WrongCall):
    """More arguments than the command takes. Values: got, command."""

    key = "error.extra_arguments"


class NullInArgument(WrongCall):
    """An argument with the character that ends every argument for the system. Values: got."""

    key = "error.null_in_argument"
