"""Completion of flags' values in a shell. Nothing heavy is imported, as this runs at each Tab."""

from collections.abc import Callable, Sequence

from click import Context, Parameter
from click.shell_completion import CompletionItem

from explorer.errors import ExplorerError
from explorer.export import formats
from explorer.presets import load_preset, preset_names

Completed = Callable[[Context, Parameter, str], list[CompletionItem]]


def of_words(words: Sequence[str]) -> Completed:
    """A completer for a flag that takes one of these words."""

    def completed(_context: Context, _flag: Parameter, begun: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in words if word.startswith(begun)]

    return completed


def measures_completed(_context: Context, _flag: Parameter, begun: str) -> list[CompletionItem]:
    """The metrics of a scan, after those that the flag already names, separated by commas."""
    from explorer.trace.measures.scan_sums import SCAN_MEASURES  # It imports NumPy, which not every start needs.

    before, comma, last = begun.rpartition(",")
    named = before.split(",")
    return [CompletionItem(f"{before}{comma}{each}") for each in SCAN_MEASURES if each.startswith(last) and each not in named]


def formats_completed(context: Context, flag: Parameter, begun: str) -> list[CompletionItem]:
    """The names of all formats."""
    return of_words(formats.all_names())(context, flag, begun)


def tasks_completed(context: Context, flag: Parameter, begun: str) -> list[CompletionItem]:
    """The names of the tasks of a training."""
    from explorer.training.tasks import OF_FILES, TASKS  # Only a training needs it.

    return of_words((*TASKS, *OF_FILES))(context, flag, begun)


def presets_completed(_context: Context, _flag: Parameter, begun: str) -> list[CompletionItem]:
    """The names of presets, and folders."""
    named = [CompletionItem(name) for name in preset_names() if name.startswith(begun)]
    return named or [CompletionItem(begun, type="dir")]


def taps_completed(context: Context, _flag: Parameter, begun: str) -> list[CompletionItem]:
    """The taps of the preset's model with the architecture and layers that the flags name."""
    from explorer.trace.own_card import card_of, own_taps

    given = context.params
    try:
        config = load_preset(given.get("preset") or "translator").config
        turned = {name: given[name] for name in ("architecture", "n_layers") if given.get(name) is not None}
        card = card_of(config.changed(**turned))
    except ExplorerError:  # The command itself will report it.
        return []
    return [CompletionItem(tap) for tap in own_taps(card) if tap.startswith(begun)]
