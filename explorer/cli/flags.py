"""Flags of the command line, made from the knobs' declarations."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from explorer.config import KNOBS
from explorer.knobs import Knob
from explorer.presets import DEFAULT

Command = Callable[..., Any]


def knob_flags(knobs: Sequence[Knob]) -> Callable[[Command], Command]:
    """A flag for each of these knobs."""

    def decorated(command: Command) -> Command:
        for knob in reversed(knobs):
            flag = f"--{knob.name.replace('_', '-')}"
            command = click.option(flag, knob.name, help=range_of(knob), metavar="VALUE")(command)
        return command

    return decorated


def recipe_flags(command: Command) -> Command:
    """A flag for each number of a training's recipe."""
    from explorer.training.recipe import RECIPE_KNOBS  # of the engine, but without torch

    return knob_flags(RECIPE_KNOBS)(command)


def range_of(knob: Knob) -> str:
    """Its valid values as the help shows them."""
    if knob.kind == "choice":
        return " | ".join(knob.choices)
    return "true | false" if knob.kind == "bool" else f"{knob.valid.low:g} … {knob.valid.high:g} {knob.unit}".rstrip()


def shared_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The target, the preset and all knobs."""
    command = knob_flags(KNOBS)(command)
    command = click.option("--target", metavar="TEXT")(command)
    return click.option("--preset", default=DEFAULT, show_default=True, metavar="NAME")(command)
