"""The models on this machine: models."""

from collections.abc import Iterator
from pathlib import Path

import click

from explorer.cli.flags import json_flag, tell_json
from explorer.cli.spoken import SpokenCommand
from explorer.errors import FolderIsGone
from explorer.lang import Words
from explorer.trace.printed import printed

_OF_1000 = ("B", "kB", "MB", "GB", "TB")


@click.command(cls=SpokenCommand)
@click.argument("folder", required=False, type=click.Path())
@json_flag
@click.pass_obj
def models(words: Words, /, folder: str | None, *, as_json: bool) -> None:
    """List the models in FOLDER, or in the stores of Hugging Face, LM Studio and Ollama."""
    from explorer.on_disk.catalogue import ModelEntry, entry_of
    from explorer.on_disk.places import models_below, stored_models

    if folder is not None and not Path(folder).is_dir():
        raise FolderIsGone(path=folder)
    places = stored_models() if folder is None else models_below(Path(folder).absolute())
    if as_json:
        tell_json([entry_of(each).as_json(words) for each in places])
        return

    def lines(entry: ModelEntry) -> Iterator[str]:
        kind = " · ".join(filter(None, (entry.family, entry.form)))
        mark = words("open.yes" if entry.refused is None else "open.no")
        yield f"{printed(entry.place.name)}  {kind}  {size_told(entry.n_bytes)}  {mark}"
        yield f"    {printed(str(entry.place.path))}"
        if entry.refused is not None:
            yield f"    {printed(entry.reason(words))}"

    for place in places:
        click.echo("\n".join(lines(entry_of(place))))
    if not places:
        click.echo(
            words("open.in_stores" if folder is None else "open.in_folder", path=folder or "") + " " + words("open.none")
        )


def size_told(n_bytes: int) -> str:
    """A number of bytes with its unit, by thousands."""
    value, unit = float(n_bytes), 0
    while value >= 999.95 and unit < len(_OF_1000) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} B" if unit == 0 else f"{value:.1f} {_OF_1000[unit]}"
