"""The commands generate, cloze and similar, each for one kind of model."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from explorer.cli.flags import json_flag, knob_flags, tell_json
from explorer.cli.passes import asked, computer
from explorer.cli.spoken import SpokenCommand
from explorer.config import KNOBS
from explorer.files import read_whole
from explorer.lang import Words
from explorer.progress_line import ProgressLine
from explorer.stops import Progress
from explorer.trace.choices import N_WRITTEN, SEED, TEMPERATURE, TOP_K, TOP_P

if TYPE_CHECKING:
    from explorer.trace.found.continuation import Sampling

_MOST_BYTES = 2**24
_SHOWN = 5  # candidates of a line


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.option("--begin", multiple=True, metavar="WORD")
@json_flag
@click.option("--preset", default="language-model", show_default=True, metavar="NAME")
@knob_flags((N_WRITTEN, TEMPERATURE, TOP_K, TOP_P, SEED))
@knob_flags(KNOBS)
@click.pass_obj
def generate(words: Words, /, text: str, begin: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Continue TEXT, token by token."""
    from explorer.trace.found.continuation import Sampling  # NumPy takes a tenth of a second to load.

    sampling = Sampling.asked(*(given[knob.name] for knob in (SEED, TEMPERATURE, TOP_K, TOP_P)))
    most = int(N_WRITTEN.check(N_WRITTEN.default if given["tokens"] is None else given["tokens"]))
    request = asked(text, given | {"target": None})
    from explorer.engine.sources.source import never

    with _counted() as progress:
        found = computer().writing.continuation(request.wish, begin, most, sampling, never, progress)
    if as_json:
        tell_json(found.to_dict())
        return
    click.echo(f"{text}{found.text}")
    for token in found.tokens:
        rows = zip(token.names[:_SHOWN], token.probabilities[:_SHOWN].tolist(), strict=True)
        likeliest = ", ".join(f"{name} {share:.3f}" for name, share in rows)
        key = "cli.generate_forced" if token.forced else "cli.generate"
        click.echo(words(key, token=token.text, p=f"{token.probability:.3f}", rank=token.rank, likeliest=likeliest))
    click.echo(_told_sampling(sampling, words))
    click.echo(words("cli.generate_sum", log_p=f"{found.log_p:.3f}", count=len(found.tokens)))


@contextmanager
def _counted() -> Iterator[Progress]:
    """A Progress that counts per cent in a line of the terminal, which goes at the end."""
    line = ProgressLine()
    try:
        yield lambda share: line.show(f"{share:.0%}")
    finally:
        line.end()


def _told_sampling(sampling: "Sampling", words: Words) -> str:
    """How each token was chosen."""
    if sampling.seed is None:
        return words("cli.generate_greedy")
    cut = sampling.top_k or words("sampling.off"), sampling.top_p if sampling.top_p < 1 else words("sampling.off")
    top_k, top_p = map(str, cut)
    return words("cli.generate_sampled", temperature=f"{sampling.temperature:g}", top_k=top_k, top_p=top_p, seed=sampling.seed)


@click.command(cls=SpokenCommand)
@click.argument("text")
@json_flag
@click.option("--preset", required=True, metavar="FOLDER")
@click.pass_obj
def cloze(words: Words, /, text: str, as_json: bool, preset: str) -> None:
    """Mask each token of TEXT in turn."""
    request = asked(text, {"preset": preset, "target": None})
    from explorer.engine.sources.source import never

    with _counted() as progress:
        found = computer().writing.cloze(request.wish, never, progress)
    if as_json:
        tell_json(found.to_dict())
        return
    for place, token in enumerate(found.tokens):
        rows = zip(found.candidates[place, :_SHOWN].tolist(), found.probabilities[place, :_SHOWN].tolist(), strict=True)
        likeliest = ", ".join(f"{found.names[each]} {share:.3f}" for each, share in rows)
        p = f"{math.exp(found.log_p[place]):.3f}"
        click.echo(words("cli.cloze", token=token, p=p, rank=int(found.ranks[place]), likeliest=likeliest))
    click.echo(words("cli.cloze_sum", log_p=f"{found.total:.3f}", count=len(found.tokens)))


@click.command(cls=SpokenCommand)
@click.argument("texts", nargs=-1, required=True)
@json_flag
@click.option("--preset", required=True, metavar="FOLDER")
@click.pass_obj
def similar(words: Words, /, texts: tuple[str, ...], as_json: bool, preset: str) -> None:
    """Compare several texts, or the lines of a file."""
    several = _lines(texts)
    request = asked(several[0] if several else "", {"preset": preset, "target": None})
    from explorer.engine.sources.source import never

    with _counted() as progress:
        found = computer().writing.similarity(request.wish, several, never, progress)
    if as_json:
        tell_json(found.to_dict())
        return
    click.echo(words("cli.similar" if found.told else "cli.similar_assumed", ways=", ".join(found.pooling)))
    for text, row in zip(found.texts, found.cosines.tolist(), strict=True):
        click.echo(f"{' '.join(f'{value:+.3f}' for value in row)}  {text}")


def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts, or the lines of the file if a single text names one. Raises BadFile."""
    path = Path(texts[0])
    try:
        is_file = len(texts) == 1 and path.is_file()
    except (OSError, ValueError):  # No file can have this name.
        is_file = False
    if not is_file:
        return texts
    return tuple(line for line in read_whole(path, _MOST_BYTES).decode("utf-8", "replace").splitlines() if line.strip())
