"""Writing the Postcard of a changed pass, as the window does, for the command line and the library."""

from pathlib import Path

from explorer.errors import NothingChanged
from explorer.export import formats
from explorer.export.job import Export
from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard
from explorer.picture.figure.kinds import kind_of
from explorer.picture.makers.postcard import postcard
from explorer.picture.theme import Theme
from explorer.state.look import Look
from explorer.trace.trace import Trace


def write_postcard(trace: Trace, out: Path, words: Words, theme: Theme, width_px: int | None = None) -> Postcard:
    """Write the Postcard of a pass that was computed with the experiment "unchanged"; returns it. The suffix names the format.

    Files of numbers are the same in every language. Raises NothingChanged, UnknownFormat, CannotWrite.
    """
    format_ = out.suffix[1:].lower()
    in_numbers = formats.find(format_, formats.formats_of(figure=True, numbers=True)).write is not None
    look = Look(signed_colours=theme.signed_colours).fitted(trace)
    made = postcard(trace, look, Words.load("en") if in_numbers else words)
    if made is None:
        raise NothingChanged
    sheet = kind_of(made).sheet
    width = width_px or (None if sheet is None else round(sheet[0]))
    job = Export(trace=trace, out=out, format=format_, words=words, picture=made, look=look, theme=theme, width_px=width)
    for _step in job.run():
        pass
    return made
