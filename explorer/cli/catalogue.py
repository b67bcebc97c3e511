"""The models on this machine, and what is in their files, before torch: models, tensors."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from explorer.cli.flags import json_flag, number_flag, tell_json, theme_flag
from explorer.cli.spoken import SpokenCommand
from explorer.errors import FolderIsGone, MissingArgument
from explorer.lang import Words
from explorer.on_disk.sizes import size_told
from explorer.presets import titles
from explorer.trace.printed import printed

if TYPE_CHECKING:
    from explorer.on_disk.catalogue import ModelEntry
    from explorer.on_disk.tensors import TensorInFile


@click.command(cls=SpokenCommand)
@click.argument("folder", required=False, type=click.Path())
@json_flag
@click.pass_obj
def models(words: Words, /, folder: str | None, *, as_json: bool) -> None:
    """List the models in FOLDER, or in the stores of Hugging Face, LM Studio and Ollama."""
    from explorer.on_disk.catalogue import entry_of
    from explorer.on_disk.places import models_below, stored_models

    if folder is not None and not Path(folder).is_dir():
        raise FolderIsGone(path=folder)
    places = stored_models() if folder is None else models_below(Path(folder).absolute())
    if as_json:
        tell_json([entry_of(each).as_json(words) for each in places])
        return

    def lines(entry: "ModelEntry") -> Iterator[str]:
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


@click.command(cls=SpokenCommand)
@click.argument("place", type=click.Path())
@click.option("--tensor", metavar="NAME")
@number_flag("--matrix", "matrix", 0, 2**20, default=0)
@click.option("--out", metavar="FILE", type=click.Path())
@theme_flag
@json_flag
@click.pass_obj
def tensors(
    words: Words, /, place: str, tensor: str | None, matrix: float, out: str | None, theme: str, *, as_json: bool
) -> None:
    """List the tensors in a model's files; with --tensor, tell the figures of one, and write its picture or its numbers."""
    from explorer.on_disk.catalogue import entry_of
    from explorer.on_disk.places import Place
    from explorer.on_disk.tensors import files_place, read_files

    if out is not None and tensor is None:
        raise MissingArgument(name="--tensor", command="transformer-explorer tensors")
    path = files_place(place)
    files = read_files(path)
    if tensor is not None:
        _tell_one(files.named(tensor), int(matrix), out, theme, words, as_json=as_json)
        return
    entry = entry_of(Place(titles((str(path),))[0], path.absolute(), "folder"))
    if as_json:
        told = {"settings": dict(files.settings), "tensors": [each.as_json() for each in files.tensors]}
        tell_json({**entry.as_json(words), **told})
        return
    for line in filter(None, (printed(entry.reason(words)),)):
        click.echo(line)
    for name, value in files.settings:
        click.echo(f"{printed(name)} = {printed(value)}")
    for each in files.tensors:
        own = each.parameter
        shape = "×".join(map(str, own.shape)) or "1"
        click.echo(f"{printed(own.name):56} {own.dtype:8} {shape:20} {size_told(each.n_bytes)}")
    size = size_told(sum(each.n_bytes for each in files.tensors))
    click.echo(words("files.count", count=f"{len(files.tensors):,}", size=size))


def _tell_one(tensor: "TensorInFile", number: int, out: str | None, theme: str, words: Words, *, as_json: bool) -> None:
    """Tell the figures of one matrix, and write its picture or all its numbers.

    Raises NoNumbers, UnknownHead, BadWeights, GgufNotInstalled.
    """
    from explorer.export import formats
    from explorer.export.alone import format_alone, write_alone
    from explorer.on_disk.stored_rows import read_tensor
    from explorer.picture.cell_text import rough
    from explorer.picture.makers.parameters import parameter_map
    from explorer.picture.theme import THEMES
    from explorer.state.look import Look

    format_ = None if out is None else format_alone(formats.named(out))
    read = read_tensor(tensor, number, whole=format_ is not None and not format_.is_figure)
    about = read.summary
    figures = {"low": about.low, "high": about.high, "mean": about.mean, "deviation": about.deviation}
    told = {**tensor.as_json(), "matrix": number, **figures}
    if format_ is not None and out is not None:
        write_alone(parameter_map(read, Look(), words), Path(out), format_, words, told, THEMES[theme])
    if as_json:
        tell_json(told)
        return
    own = tensor.parameter
    click.echo(f"{printed(own.name)} {own.dtype} {'×'.join(map(str, own.shape)) or '1'} {size_told(tensor.n_bytes)}")
    click.echo(words("files.figures", **{name: rough(value) for name, value in figures.items()}))
    if own.quantized:
        click.echo(words("parameters.dequantized", kind=own.dtype))
    if out is not None:
        click.echo(words("cli.exported", count=1, path=out))
