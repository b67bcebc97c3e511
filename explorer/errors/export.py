"""Errors of pictures, tables and scripts that are to be written.

ExplorerError
├── TooNarrow  TooWideForPaper
├── NotFound   UnknownFormat, NoScriptForModel, NoScriptForKnobs
└── NotAWidth, NothingOnPage
"""

from explorer.errors.base import ExplorerError, NotFound


class TooNarrow(ExplorerError):
    """A figure for print that is wider than its place on paper. Values: title, need_mm, room_mm, font_pt."""

    key = "error.too_narrow"


class TooWideForPaper(TooNarrow):
    """A figure for print that needs more than the greatest width. Values: title, need_mm, most_mm, font_pt."""

    key = "error.too_wide_for_paper"


class UnknownFormat(NotFound):
    """A file format that does not exist or does not suit the content. Values: name, known."""

    key = "error.unknown_format"


class NoScriptForModel(NotFound):
    """A script of a foreign model that hooks on its modules do not cover. Values: name."""

    key = "error.no_script_for_model"


class NoScriptForKnobs(NotFound):
    """A script of a pass with knobs that scripts do not know. Values: names."""

    key = "error.no_script_for_knobs"


class NotAWidth(ExplorerError):
    """A width that is no number with a unit. Values: got."""

    key = "error.not_a_width"


class NothingOnPage(ExplorerError):
    """A page that shows no picture of a pass. Values: page."""

    key = "error.nothing_on_page"
