"""Errors of lessons and of the formulas in them.

ExplorerError
├── NotFound  NoSuchLesson, UnknownTraining
└── BadFile   BadLesson, BadFormula (TakesTooLong, TakesTooMuch, TooDeep, NotInSentence)
"""

from explorer.errors.base import BadFile, NotFound


class NoSuchLesson(NotFound):
    """A lesson that a session has open and that is not in this program's list. Values: lesson."""

    key = "error.no_such_lesson"


class UnknownTraining(NotFound):
    """A training that a formula names and that is not bundled. Values: name, known."""

    key = "error.unknown_training"


class BadLesson(BadFile):
    """A lesson with a mistake. Values: path, line, reason (words of the file, or another ExplorerError)."""

    key = "error.bad_lesson"


class BadFormula(BadFile):
    """A formula that cannot be understood or does not fit the pass. Values: formula, reason."""

    key = "error.bad_formula"


class TakesTooLong(BadFormula):
    """A formula with more operations than its time limit allows. Values: formula, limit_ms."""

    key = "error.takes_too_long"


class TakesTooMuch(BadFormula):
    """A formula that would use more memory than its limit allows. Values: formula, limit_mb."""

    key = "error.takes_too_much"


class TooDeep(BadFormula):
    """A formula that is too long or has too many nested brackets. Values: formula, length, depth."""

    key = "error.too_deep"


class NotInSentence(BadFormula):
    """A formula about something that the sentence does not have. Values: formula."""

    key = "error.not_in_sentence"
