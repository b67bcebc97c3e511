"""Hooks of taps: this is the only place where they are put in and taken out.

    with hooked(model, hook):       # The pass goes on with the tensor that hook(tap, tensor, first) returns, if any.
        model(source, target)

    with watched(model, watcher):   # watcher(tap, tensor, first) sees the tensor after all hooks.
        model(source, target)

Both blocks remove their own hooks at the end, also after an error, and may be nested. They leave hooks alone that were set
with torch's own methods.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import Any

import attrs
from torch import Tensor, nn

from explorer.model.hook_check import any_hooked
from explorer.model.tap import Hook, Shared, Tap, Watcher, taps


@contextmanager
def hooked(model: nn.Module, *hooks: Hook, at: Iterable[str] | None = None) -> Iterator[None]:
    """Inside the block, the taps of `model` call these hooks, in this order: all taps, or only those whose names are in `at`.

    A tap without hooks costs nothing, so name the taps in `at` where only a few are meant. Raises KeyError for a name that
    no tap has.
    """
    known = _known(model)
    rows = [known.shared.hooks] if at is None else [known.by_name[name].hooks for name in at]
    with ExitStack() as stack:
        for row in rows:
            stack.enter_context(_put_in(row, hooks))
        yield


@contextmanager
def watched(model: nn.Module, *watchers: Watcher) -> Iterator[None]:
    """Inside the block, all taps of `model` show these watchers the tensor that leaves them."""
    with _put_in(_known(model).shared.watchers, watchers):
        yield


@contextmanager
def beginning_at(model: nn.Module, position: int) -> Iterator[None]:
    """Inside the block, the first row that goes through the taps of `model` stands at this position (`Shared.begins`)."""
    shared = _known(model).shared
    shared.begins = position
    try:
        yield
    finally:
        shared.begins = 0


@attrs.frozen(eq=False)
class Replacing:
    """A hook that may put another tensor in place of the one that it is shown, and never writes into that one.

    While there are no other hooks, a recording needs no copies of the tensors: they were a tenth of a changed pass.
    """

    replace: Hook

    def __call__(self, tap: Tap, tensor: Tensor, first: int | None) -> Tensor | None:
        """The tensor that shall go on; None for the same."""
        return self.replace(tap, tensor, first)


def may_overwrite(model: nn.Module) -> bool:
    """Whether any hook may write into the tensors that go through the taps of a model."""
    return any_hooked(model) or not all(isinstance(hook, Replacing) for hook in chain.from_iterable(_known(model).hooks))


def has_hooks(model: nn.Module) -> bool:
    """Whether any hook may replace, or write to, the tensors that go through the taps of a model."""
    return any(_known(model).hooks) or any_hooked(model)


def is_seen_anywhere(model: nn.Module) -> bool:
    """Whether anybody is shown, or may replace, the tensors that go through the taps of a model."""
    return bool(_known(model).shared.watchers) or has_hooks(model)


@attrs.frozen(eq=False)
class _Known:
    """The taps of a model by name, and what they share. `hooks` are the lists of hooks: of all taps, then of each tap."""

    shared: Shared
    by_name: dict[str, Tap]
    hooks: tuple[list[Hook], ...]

    @classmethod
    def of(cls, model: nn.Module) -> "_Known":
        """The taps of a model, which have a `Shared` of their own from now on."""
        shared, by_name = Shared(), taps(model)
        return cls(shared, by_name, (shared.hooks, *[tap.hooks for tap in by_name.values()]))


def _known(model: nn.Module) -> _Known:
    """The taps of a model, found at the first call. They have the names and the `Shared` of that model then.

    A part of a model can be recorded by itself: its taps then get names and a `Shared` of that part, and get back those of
    the whole model when the whole is recorded next.
    """
    known: _Known | None = model.__dict__.get("tap_hooks")
    if known is None:
        known = model.__dict__["tap_hooks"] = _Known.of(model)
    shared = known.shared
    if shared.seen_at == Tap.n_namings:  # Each pass asks a dozen times, and there are a hundred and fifty taps.
        return known
    if not all(tap.shared is shared for tap in known.by_name.values()):
        Tap.n_namings += 1
        for name, tap in known.by_name.items():
            tap.name, tap.shared = name, shared
    shared.seen_at = Tap.n_namings
    return known


@contextmanager
def _put_in(row: list[Any], new: tuple[Any, ...]) -> Iterator[None]:
    row.extend(new)
    try:
        yield
    finally:
        for each in new:
            row.remove(each)
