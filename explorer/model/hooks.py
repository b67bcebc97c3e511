"""Hooks of taps: the one place where they are put in and taken out.

    with hooked(model, hook):       # hook(tap, tensor, first) may return another tensor, which the pass goes on with
        model(source, target)

    with watched(model, watcher):   # watcher(tap, tensor, first) is shown what comes out of all hooks
        model(source, target)

Both take their own out again, whatever happened inside, and may lie in each other. Hooks that are set by torch's own means
stay where they are.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import nn

from explorer.model.hook_check import any_hooked
from explorer.model.tap import Hook, Shared, Tap, Watcher, taps


@contextmanager
def hooked(model: nn.Module, *hooks: Hook, at: Iterable[str] | None = None) -> Iterator[None]:
    """The taps of `model` call these hooks, in this order, for as long as the block lasts: all of them, or those named `at`.

    A tap without hooks costs nothing, so whoever changes one tap names it. Raises KeyError for a name that is no tap's.
    """
    both, members = _known(model)
    rows = [both.hooks] if at is None else [members[name].hooks for name in at]
    with ExitStack() as stack:
        for row in rows:
            stack.enter_context(_put_in(row, hooks))
        yield


@contextmanager
def watched(model: nn.Module, *watchers: Watcher) -> Iterator[None]:
    """All taps of `model` show these watchers what comes out of them, for as long as the block lasts."""
    with _put_in(_known(model)[0].watchers, watchers):
        yield


def has_hooks(model: nn.Module) -> bool:
    """Whether anything may change, or write to, what the taps of a model are shown."""
    both, members = _known(model)
    return bool(both.hooks) or any(tap.hooks for tap in members.values()) or any_hooked(model)


def _known(model: nn.Module) -> tuple[Shared, dict[str, Tap]]:
    """What the taps of a model share, and the taps by name; the first call names them and makes them share.

    A part of a model that is recorded by itself takes its taps along, and the whole takes them back.
    """
    known: tuple[Shared, dict[str, Tap]] | None = model.__dict__.get("tap_hooks")
    if known is None:
        known = model.__dict__["tap_hooks"] = Shared(), taps(model)
    both, members = known
    if not all(tap.shared is both for tap in members.values()):
        for name, tap in members.items():
            tap.name, tap.shared = name, both
    return known


@contextmanager
def _put_in(row: list[Any], new: tuple[Any, ...]) -> Iterator[None]:
    row.extend(new)
    try:
        yield
    finally:
        for each in new:
            row.remove(each)
