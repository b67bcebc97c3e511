"""The commands breaks and postcard: which sentences a change breaks most, and a picture of one changed translation."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from explorer.cli.flags import checked_flag, json_flag, number_flag, shared_flags, tell_json, theme_flag
from explorer.cli.passes import asked, computer
from explorer.cli.spoken import SpokenCommand
from explorer.config import BEAM
from explorer.errors import BadChange, BadChangesFile, NothingChanged, OverLimit
from explorer.files import read_whole
from explorer.json_text import read_json_text
from explorer.knobs import Value
from explorer.lang import Words
from explorer.presets import load_own_preset
from explorer.progress_line import ProgressLine
from explorer.state.breaks import BREAKS
from explorer.state.held_out import MOST, held_out, own_sentences
from explorer.state.tries import is_altered
from explorer.toml_text import deep_line, too_deep
from explorer.trace.changes import Change, changes_from, switched_on
from explorer.trace.found.experiments import UNCHANGED

if TYPE_CHECKING:
    from explorer.engine.request import Request

_MOST = 10_000
_MOST_BYTES = 2**24  # of a file of changes
_changes = click.option("--changes", metavar="FILE")
_beam = checked_flag(attrs.evolve(BEAM, name="--beam"), "beam", 1, metavar="NUMBER")


def read_alterations(path: Path) -> tuple[tuple[Change, ...], Mapping[str, Value]]:
    """The changes that are on, and the knobs of BREAKS, in a JSON file: a list of changes, or the file beside an export.

    Raises CannotRead, NotAFile, BadChangesFile.
    """
    try:
        text = read_whole(path, _MOST_BYTES).decode("utf-8-sig")
        if deep_line(text):
            raise too_deep()
        content = read_json_text(text)
        table = content if isinstance(content, dict) else {"changes": content}
        config = table.get("config")
        knobs = {name: config[name] for name in BREAKS if name in config} if isinstance(config, dict) else {}
        return switched_on(changes_from(table.get("changes", ()))), knobs
    except (BadChange, OverLimit) as error:
        raise BadChangesFile(path=str(path), reason=error) from error
    except ValueError as error:  # The file is no JSON or no UTF-8.
        raise BadChangesFile(path=str(path), reason=str(error)[:200]) from error


def altered(text: str, given: dict[str, Any], changes: str | None, beam: int) -> "Request":
    """The Request of a text with the flags and a file's changes; a flag overrides the file's knob.

    Raises ExplorerError.
    """
    made, knobs = read_alterations(Path(changes)) if changes is not None else ((), {})
    turned = {**knobs, **{name: value for name, value in given.items() if value is not None}}
    return asked(text, {**given, **turned}).wishing(changes=made, beam=beam)


@click.command(cls=SpokenCommand)
@_changes
@click.option("--sentences", metavar="FILE")
@number_flag("--most", "most", 1, _MOST, default=MOST)
@_beam
@json_flag
@shared_flags
@click.pass_obj
def breaks(
    words: Words, /, changes: str | None, sentences: str | None, most: int, beam: int, as_json: bool, **given: Any
) -> None:
    """Search for the sentences whose translation changes or knobs break most."""
    request = altered(load_own_preset(given["preset"]).text, given, changes, beam)
    english = request.wish.reads_english
    tried = held_out(most, english=english) if sentences is None else own_sentences(Path(sentences), english=english)[:most]
    line = ProgressLine()
    found = computer().pieces.breaks(request.wish, tried, progress=lambda share: line.show(f"{share:.0%}"))
    line.end()
    if as_json:
        tell_json(found.to_dict())
        return
    share = f"{found.share:.0%}".replace("%", " %")
    click.echo(words("breaks.rate", tried=len(found), changed=found.changed, share=share, kept=len(found.kept)))
    for one in found.kept:
        click.echo(f"{one.score:6.1f}  {one.source}\n        {one.before}\n        {one.after}")


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.option("--out", required=True, metavar="PATH")
@_changes
@_beam
@number_flag("--width", "width_px", 16, 20_000)
@theme_flag
@shared_flags
@click.pass_obj
def postcard(
    words: Words, /, text: str, out: str, changes: str | None, beam: int, width_px: int | None, theme: str, **given: Any
) -> None:
    """Write a picture of TEXT with its translation before and after changes, 1200 × 630 px."""
    from explorer.export import formats
    from explorer.export.postcard import write_postcard
    from explorer.picture.theme import THEMES

    path = Path(out)
    formats.find(path.suffix[1:].lower(), formats.formats_of(figure=True, numbers=True))  # Refuse it before the pass.
    request = altered(text, given, changes, beam)
    if not is_altered(request.wish):
        raise NothingChanged
    trace = computer()(request.asking(experiments=frozenset({UNCHANGED.key}))).trace
    write_postcard(trace, path, words, THEMES[theme], width_px)
    click.echo(words("cli.exported", count=1, path=path))
