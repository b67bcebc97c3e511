"""Errors of scans of many sentences, and of other work on many texts.

ExplorerError
├── OtherScan  OtherScanFile, OtherScanWeights
├── NotFound   NoSuchColumn, UnknownFormat (UnreadableFormat)
├── BadFile    NotAScanTable
└── NoSentences (NothingMeasured), UnfinishedScan, BadPrompt, NoPrompts, NotPrompts, CannotOpenPrompt
"""

from explorer.errors.base import BadFile, ExplorerError, NotFound
from explorer.errors.export import UnknownFormat


class OtherScan(ExplorerError):
    """An unfinished scan of other sentences, or with another model or other metrics. Values: path."""

    key = "error.other_scan"


class OtherScanFile(OtherScan):
    """A file of sentences that has changed since its unfinished scan began. Values: path, file."""

    key = "error.other_scan_file"


class OtherScanWeights(OtherScan):
    """A model whose weights have changed since an unfinished scan with it began. Values: path."""

    key = "error.other_scan_weights"


class NoSuchColumn(NotFound):
    """A column that a file of sentences lacks. Values: path, name, known."""

    key = "error.no_such_column"


class UnreadableFormat(UnknownFormat):
    """A file of sentences whose ending is none of those that can be read. Values: name, known."""

    key = "error.unreadable_format"


class NotAScanTable(BadFile):
    """A file that is no table of a scan, or a damaged one. Values: path, reason."""

    key = "error.not_a_scan_table"


class NoSentences(ExplorerError):
    """A file without a sentence. Values: path."""

    key = "error.no_sentences"


class NothingMeasured(NoSentences):
    """A file of which no sentence could be measured; `why` is the key of the commonest reason. Values: count, why."""

    key = "error.nothing_measured"


class UnfinishedScan(ExplorerError):
    """A scan that was begun before and that the user did not ask to resume. Values: path."""

    key = "error.unfinished_scan"


class BadPrompt(ExplorerError):
    """A prompt among several that cannot be used. Values: number (from 0), reason."""

    key = "error.bad_prompt"


class NoPrompts(ExplorerError):
    """Not one prompt where some are wanted."""

    key = "error.no_prompts"


class NotPrompts(ExplorerError):
    """Neither all texts, nor all rows of ids, nor all pairs of one of these. Values: number (from 0)."""

    key = "error.not_prompts"


class CannotOpenPrompt(ExplorerError):
    """A prompt of a result whose model, or what else its passes were made with, cannot be set up. Values: reason."""

    key = "error.cannot_open_prompt"
