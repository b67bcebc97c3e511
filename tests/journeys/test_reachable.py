"""Nothing that a user can reach is lost while the code is put into another order.

`reachable.toml` holds what there was, by kind, in sorted lines. Whoever renames a thing on purpose changes its line there, and
whoever adds one adds a line.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs
import click
import pytest

import explorer
from explorer import page_list
from explorer.app.shell.window import Window
from explorer.cli.main import commands
from explorer.config import Config
from explorer.export.formats import FORMATS
from explorer.presets import preset_names
from explorer.trace.trace import Trace
from tests.journeys.conftest import Journey

_KEPT = Path(__file__).with_name("reachable.toml")


def kept() -> dict[str, list[str]]:
    """What there was, by kind."""
    return tomllib.loads(_KEPT.read_text("utf-8"))


def without_window() -> dict[str, set[str]]:
    """What notebooks and the command line reach."""
    return {
        "names": {f"explorer.{name}" for name in explorer.__all__},
        "names_of_a_trace": {name for name in dir(Trace) if not name.startswith("_")},
        "commands": set(_commands(commands, "transformer-explorer")),
        "knobs": {field.name for field in attrs.fields(Config)},
        "presets": set(preset_names()),
        "formats": {each.name for each in FORMATS},
        "pages": set(page_list.KEYS),
    }


def _commands(command: click.Command, path: str) -> Iterator[str]:
    """Each command, and each with its options."""
    yield path
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield f"{path} {max(parameter.opts, key=len)}"
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from _commands(each, f"{path} {name}")


def in_window(window: Window, journey: Journey) -> dict[str, set[str]]:
    """Actions with their keys, and how many cards of each page have each kind of View."""
    cards = set()
    for key in page_list.KEYS:
        window.page_stack.go(key)
        journey.settle(window)
        views = Counter(type(card.view).__name__ for card in window.page_stack.page.cards)
        cards |= {f"{key}: {count} {view}" for view, count in views.items()}
    actions = window.shortcuts.actions
    return {"actions": {f"{name} {action.shortcut().toString()}".strip() for name, action in actions.items()}, "cards": cards}


@pytest.mark.parametrize("kind", ["names", "names_of_a_trace", "commands", "knobs", "presets", "formats", "pages"])
def test_nothing_without_a_window_is_lost(kind: str) -> None:
    """Public names, commands with their options, knobs, presets, formats, pages."""
    assert sorted(without_window()[kind]) == kept()[kind]


def test_no_action_key_or_card_is_lost(journey: Journey) -> None:
    """Of the bundled translator, whose pages are all full."""

    def script(window: Window) -> None:
        journey.settle(window)
        found = in_window(window, journey)
        assert {kind: sorted(each) for kind, each in found.items()} == {kind: kept()[kind] for kind in found}

    journey.run(script, "--preset", "translator", "--language", "en", "--text", "我爱北京天安门。")
