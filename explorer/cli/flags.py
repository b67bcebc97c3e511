"""Flags of the command line, made from declarations. A wrong value raises the errors of knobs."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from explorer.cli.completing import of_words, presets_completed
from explorer.config import KNOBS
from explorer.knobs import Knob, Range
from explorer.presets import DEFAULT

Command = Callable[..., Any]


def knob_flags(knobs: Sequence[Knob]) -> Callable[[Command], Command]:
    """A decorator that adds a flag for each of these knobs."""

    def decorated(command: Command) -> Command:
        for knob in reversed(knobs):
            flag = f"--{knob.name.replace('_', '-')}"
            completed = of_words(words_for(knob))
            command = click.option(flag, knob.name, help=range_of(knob), metavar="VALUE", shell_complete=completed)(command)
        return command

    return decorated


def recipe_flags(command: Command) -> Command:
    """Add a flag for each number of a training's recipe."""
    from explorer.training.recipe import RECIPE_KNOBS  # This module needs no torch.

    return knob_flags(RECIPE_KNOBS)(command)


def words_for(knob: Knob) -> tuple[str, ...]:
    """The words that a knob accepts, for completion; () for a number."""
    return knob.choices if knob.kind == "choice" else ("true", "false") if knob.kind == "bool" else ()


def range_of(knob: Knob) -> str:
    """A knob's valid values as the help shows them."""
    if knob.kind == "choice":
        return " | ".join(knob.choices)
    return "true | false" if knob.kind == "bool" else f"{knob.valid.low:g} … {knob.valid.high:g} {knob.unit}".rstrip()


def shared_flags(command: Command) -> Command:
    """Add the flags for the target, the preset, an adapter, chat templates, ids and all knobs."""
    command = knob_flags(KNOBS)(command)
    command = click.option("--adapter", metavar="FOLDER", type=click.Path())(command)
    command = click.option("--chat", is_flag=True)(command)
    command = click.option("--ids", "by_ids", is_flag=True)(command)
    command = click.option("--target", metavar="TEXT")(command)
    chosen = click.option("--preset", default=DEFAULT, show_default=True, metavar="NAME", shell_complete=presets_completed)
    return chosen(command)


def json_flag(command: Command) -> Command:
    """Add --json: the command then prints its result by `tell_json`."""
    return click.option("--json", "as_json", is_flag=True)(command)


def tell_json(values: object) -> None:
    """Print values as JSON on one line."""
    click.echo(json.dumps(values, ensure_ascii=False))


def theme_flag(command: Command) -> Command:
    """Add --theme for the colours of a picture."""
    return choice_flag("--theme", "theme", ("light", "dark"), default="light")(command)


def number_flag(flag: str, name: str, low: float, high: float, default: float | None = None) -> Callable[[Command], Command]:
    """A flag for a number from `low` to `high`, whole where `low` is an int. Without a default its value may be None."""
    kind = "int" if isinstance(low, int) else "float"
    first = low if default is None else default
    about = Knob(name=flag, kind=kind, default=first, group="flag", applies="draw", valid=Range(low, high))
    return checked_flag(about, name, default, metavar="NUMBER")


def choice_flag(flag: str, name: str, choices: Sequence[str], default: str | None = None) -> Callable[[Command], Command]:
    """A flag for one of several words."""
    return checked_flag(choice_of(flag, choices, default), name, default, metavar="WORD")


def choice_of(flag: str, choices: Sequence[str], default: str | None = None) -> Knob:
    """The Knob that checks whether a flag's value is one of several words."""
    first = choices[0] if default is None else default
    return Knob(name=flag, kind="choice", default=first, group="flag", applies="draw", choices=tuple(choices))


def checked_flag(about: Knob, name: str, default: object, metavar: str) -> Callable[[Command], Command]:
    """A flag whose value the Knob `about` checks; the knob has the flag's name. A wrong value raises BadKnob."""

    def check(_context: click.Context, _option: click.Parameter, value: str | None) -> object:
        return None if value is None else about.check(value)

    # The value stays a text until the knob checks it, because click's own refusals are in English.
    return click.option(
        about.name,
        name,
        type=str,
        default=default,
        show_default=True,
        metavar=metavar,
        help=range_of(about),
        callback=check,
        shell_complete=of_words(words_for(about)),
    )
