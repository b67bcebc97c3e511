"""The command convert: a checkpoint of a course becomes a folder that opens."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from explorer.cli.flags import number_flag
from explorer.cli.spoken import SpokenCommand
from explorer.lang import Words
from explorer.progress_line import ProgressLine

if TYPE_CHECKING:
    from explorer.checkpoints.conversion import Converted

_STOPPED = 130  # the exit status of a program that a signal has ended
_MOST_HEADS = 4096
_NAMED = 2  # tensors in a line


@click.command(cls=SpokenCommand)
@click.argument("file")
@click.option("--out", metavar="FOLDER")
@number_flag("--n-heads", "n_heads", 1, _MOST_HEADS)
@click.option("--tokenizer", metavar="FOLDER")
@click.option("--characters", metavar="FILE")
@click.option("--setting", "settings", multiple=True, metavar="NAME=VALUE")
@click.pass_obj
def convert(
    words: Words,
    /,
    file: str,
    out: str | None,
    n_heads: int | None,
    tokenizer: str | None,
    characters: str | None,
    settings: tuple[str, ...],
) -> int:
    """Write the model of a course's checkpoint into FOLDER, which opens like any model."""
    from explorer.checkpoints.conversion import Supplied
    from explorer.checkpoints.conversion import convert as run

    beside = Supplied(
        n_heads=n_heads,
        tokenizer=None if tokenizer is None else Path(tokenizer),
        characters=None if characters is None else Path(characters),
        settings={name: _value(value) for name, _, value in (each.partition("=") for each in settings)},
    )
    line = ProgressLine()
    line.show(words("convert.reading", share=0.0))
    try:
        made = run(
            Path(file),
            Path(file).with_suffix("") if out is None else Path(out),
            beside,
            lambda share: line.show(words("convert.reading", share=share)),
        )
    except KeyboardInterrupt:
        line.end()
        click.echo(words("convert.stopped"), err=True)
        return _STOPPED
    finally:
        line.end()
    for told in _lines(made, words):
        click.echo(told)
    return 0


def _value(text: str) -> int | float | str:
    """A number where the text is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _shown(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _lines(made: "Converted", words: Words) -> list[str]:
    """What was written, what the file did not say, what a text is, and how the folder opens."""
    told = [words("convert.written", folder=made.folder, course=made.course, count=made.n_parameters)]
    if made.left_out:
        names = ", ".join(made.left_out[:_NAMED]) + (", …" if len(made.left_out) > _NAMED else "")
        told.append(words("convert.left_out", count=len(made.left_out), names=names))
    if made.assumed:
        named = ", ".join(f"{name}={_shown(value)}" for name, value in made.assumed.items())
        told.append(words("convert.assumed", course=made.course, settings=named))
    if made.vocabulary.kind != "tokenizer":
        told.append(words(f"convert.{made.vocabulary.kind}", text=made.vocabulary.text))
    told.append(words("convert.open", command=f'transformer-explorer gui --preset "{made.folder}"'))
    return told
