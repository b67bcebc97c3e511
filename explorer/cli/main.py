"""The command line. Every knob is a flag made from its declaration; a user's error is one line with exit status 2."""

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import click

from explorer.cli.breaking import breaks, postcard
from explorer.cli.catalogue import models, tensors
from explorer.cli.causes import ablation, patching, saliency
from explorer.cli.comparing import diff
from explorer.cli.completing import presets_completed
from explorer.cli.converting import convert
from explorer.cli.exporting import export
from explorer.cli.flags import choice_flag, json_flag, range_of, shared_flags
from explorer.cli.install import doctor, install_desktop, probe
from explorer.cli.language import asked_language
from explorer.cli.lens_fit import fit_lens
from explorer.cli.many import many
from explorer.cli.passes import explored
from explorer.cli.reasons import attribution, heads, lens
from explorer.cli.scanning import scan
from explorer.cli.spoken import RENAMED, SpokenGroup
from explorer.cli.translation import evaluate, teach, train, translate
from explorer.cli.writing import cloze, generate, similar
from explorer.config import KNOBS
from explorer.errors import ExplorerError, MissingAsset
from explorer.lang import LANGUAGES, Words, system_language
from explorer.presets import load_preset, preset_names
from explorer.stops import ending_signals
from explorer.version import __version__


def main(arguments: list[str] | None = None, tell: Callable[..., None] | None = None) -> int:
    """Run one command and return its exit status. `tell` shows a user's error where nobody reads stderr."""
    asked, rest = asked_language(sys.argv[1:] if arguments is None else arguments)
    fail = partial(_fail, tell=None if tell is None else partial(tell, by_window=_opens_window(rest)))
    try:
        words = Words.load(asked[1] if asked and asked[1] in LANGUAGES else system_language())
    except MissingAsset as error:  # Without its texts the program can only name the missing file.
        return fail(str(error))
    try:
        result = commands.main([*asked, *_opening(rest)], prog_name="transformer-explorer", standalone_mode=False, obj=words)
    except ExplorerError as error:
        return fail(words.error(error))
    except click.ClickException as error:
        return fail(re.sub(r"\S{81,}", lambda found: f"{found[0][:79]}…", error.format_message()))
    except (click.Abort, KeyboardInterrupt):
        return 130
    return result if isinstance(result, int) else 0


def _opening(arguments: list[str]) -> list[str]:
    """Turn a single path or name that the window can open, which is how a desktop starts the program, into its flag.

    It may stand after gui. Raises ExplorerError for a path that means nothing.
    """
    alone = arguments[-1] if arguments and arguments[:-1] in ([], ["gui"]) else ""
    if not alone or alone.startswith("-") or "\0" in alone or alone in {*commands.commands, *RENAMED}:
        return arguments
    from explorer.on_disk.meant import meant_by  # Few command lines are such a path.

    found = meant_by(alone)
    if found is None:
        return arguments
    flag = {"session": "session", "lesson": "lesson", "recorded": "trace", "model": "preset"}.get(found.kind, "open")
    return ["gui", f"--{flag}", found.path]


def _fail(sentence: str, tell: Callable[[str], None] | None) -> int:
    """Write an error as a single line, even if it quotes several; returns the exit status."""
    line = " ".join(sentence.split())
    click.echo(line, err=True)
    if tell is not None:
        tell(line)
    return 2


def _opens_window(arguments: list[str]) -> bool:
    """Whether the arguments open the window, judged before they are parsed."""
    known = {*commands.commands, *RENAMED} - {"gui"}
    return known.isdisjoint(arguments)


@click.group("transformer-explorer", cls=SpokenGroup, invoke_without_command=True)
@click.version_option(__version__, prog_name="transformer-explorer", message="%(prog)s %(version)s")
@click.option("--text", metavar="TEXT")
@click.option("--preset", metavar="NAME", shell_complete=presets_completed)
@click.option("--trace", metavar="FILE", type=click.Path())
@click.option("--session", metavar="FILE", type=click.Path())
@click.option("--lesson", metavar="FILE", type=click.Path())
@click.option("--open", "other", metavar="PATH", type=click.Path())
@choice_flag("--language", "language", LANGUAGES)
@click.pass_context
def commands(context: click.Context, /, language: str | None, **given: str | None) -> int | None:
    """Type a sentence and see a whole Transformer at work. Without a command, the window opens."""
    return context.invoke(gui, **given) if context.invoked_subcommand is None else None


@contextmanager
def _leaving_at_once() -> Iterator[None]:
    """End at once on a signal until the window handles signals: an exception while Qt loads would crash the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.signal(each, _leave) for each in ending_signals()}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _leave(number: int, _frame: FrameType | None) -> None:
    os._exit(128 + number)


@commands.command()
@click.option("--text", metavar="TEXT")
@click.option("--preset", metavar="NAME", shell_complete=presets_completed)
@click.option("--chat", is_flag=True)
@click.option("--trace", metavar="FILE", type=click.Path())
@click.option("--session", metavar="FILE", type=click.Path())
@click.option("--lesson", metavar="FILE", type=click.Path())
@click.option("--open", "other", metavar="PATH", type=click.Path())
@click.pass_context
def gui(
    context: click.Context,
    /,
    text: str | None,
    preset: str | None,
    trace: str | None,
    session: str | None,
    lesson: str | None,
    other: str | None,
    *,
    chat: bool,
) -> int:
    """Open the window, and in it the pass, session or lesson of a file, or whatever lies at a path."""
    with _leaving_at_once():
        from explorer.app.main import open_window  # Only the window needs Qt.

        language = context.find_root().params["language"]
        given: dict[str, Any] = {"text": text, "preset": preset, "session": session, "trace": trace, "lesson": lesson}
        given["other"] = other
        return open_window(**given, language=language, chat=chat)


@commands.command()
@click.argument("text")
@json_flag
@shared_flags
@click.pass_obj
def show(words: Words, /, text: str, *, as_json: bool, **given: Any) -> None:
    """Print the pass over TEXT: tokens, taps, shapes and ranges."""
    from explorer.cli.output import absent, classes, filled_in, next_token, told_as_json
    from explorer.picture.cell_text import number
    from explorer.picture.makers.taps import tap_list, tap_summary
    from explorer.trace.printed import printed

    trace = explored(text, given)
    if as_json:
        click.echo(told_as_json(trace))
        return
    for side, tokens in (("source", trace.tokens.source), ("target", trace.tokens.target)):
        if tokens:
            marks = printed(" / ".join(token.text if token.known else f"{token.text}?" for token in tokens))
            click.echo(f"{words(f'picture.tokens_{side}')} ({len(tokens)}): {marks}")
            click.echo(f"    id: {' '.join(str(token.id) for token in tokens)}")
    if trace.expected:
        click.echo(f"{words('header.translation')}: {trace.target}")
    for line in filter(None, (next_token(trace, words), *filled_in(trace, words), *classes(trace, words))):
        click.echo(line)
    weights = words("status.trained") if trace.trained else words("status.untrained", seed=trace.knob("seed"))
    click.echo(
        words(
            "cli.model",
            architecture=trace.card.architecture,
            parameters=f"{trace.parameters:,}",
            weights=weights,
            preset=trace.preset,
        )
    )
    if trace.card.held != "float32":
        click.echo(words(f"held.{trace.card.held}"))
    if trace.card.made_from:
        click.echo(words("made_from.long", kinds=" · ".join(trace.card.made_from)))
    taps = tap_list(trace)
    for name, shape in zip(taps.names, taps.shapes, strict=True):
        about = tap_summary(trace, name)
        reach = "–" if about is None else f"{number(about.low):>10} … {number(about.high):<10}"
        click.echo(f"{name:44} {shape:34} {reach}")
    for line in absent(trace, words):
        click.echo(line)


@commands.command()
@click.pass_obj
def presets(words: Words) -> None:
    """List the presets."""
    wide = max(map(len, preset_names()))
    for name in preset_names():
        preset, title = load_preset(name), words(f"preset.{name}.title")
        config = preset.config
        sizes = f"{config.n_layers} × {config.n_heads}, d_model {config.d_model}, d_ff {config.d_ff}"
        click.echo(f"{name:{wide}} {sizes:42} {title if preset.folder is None else words('header.trained', preset=title)}")


@commands.command()
@click.pass_obj
def knobs(words: Words) -> None:
    """List the knobs with range and default."""
    for knob in KNOBS:
        name = words(f"knob.{knob.name}.name")
        click.echo(f"--{knob.name.replace('_', '-'):22} {range_of(knob):72} {knob.default!s:16} {name}")


for command in (
    export,
    convert,
    diff,
    models,
    tensors,
    breaks,
    postcard,
    ablation,
    heads,
    attribution,
    lens,
    patching,
    saliency,
    generate,
    cloze,
    similar,
    train,
    teach,
    evaluate,
    translate,
    fit_lens,
    doctor,
    install_desktop,
    probe,
    scan,
    many,
):
    commands.add_command(command)
