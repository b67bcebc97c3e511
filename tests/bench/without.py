"""Running without one of the mechanisms that only make an answer come sooner, so that what it buys can be measured.

A mechanism is taken out of every module of the program that has imported it. The name of an `lru_cache` of the program, such as
`explorer.views.painting.spans.tinted`, is a mechanism too: without it the function computes its value each time.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Mapping
from typing import Any

import attrs

VARIABLE = "TRANSFORMER_EXPLORER_BENCH_WITHOUT"
"""It names the mechanisms that this process and those that it starts run without."""

_KEY, _TYPED = "a key to everything painted", "a key of a sentence typed through"
_BUSY = "a key beside a program that keeps one core busy"


@attrs.frozen
class Mechanism:
    """The parts of the names of the `rows` that it is for, and what stands in for which function: by dotted name."""

    rows: tuple[str, ...]
    instead: Mapping[str, Callable[..., Any]]


def _nothing(*_given: Any, **_options: Any) -> None:
    """Stand in for a preparation: nothing is prepared."""


def _no(*_given: Any, **_options: Any) -> bool:
    """Stand in for a question whether a fast way can be taken."""
    return False


def _all_cores(*_given: Any, **_options: Any) -> int:
    """Stand in for a choice of a number of threads."""
    return os.cpu_count() or 1


_SPEED = "explorer.engine.speed"
MECHANISMS: Mapping[str, Mechanism] = {
    "packed_linear": Mechanism((_KEY, _TYPED), {f"{_SPEED}.packed_linear.pack": _nothing}),
    "foreign_packing": Mechanism(("0.5 B", "50 prompts"), {f"{_SPEED}.foreign_packing.PackedLayers.begin": _no}),
    "threads": Mechanism(
        (_KEY, _TYPED, _BUSY),
        {f"{_SPEED}.threads.{name}": _all_cores for name in ("threads", "decoding_threads", "batch_threads")},
    ),
}
"""By the file in `explorer/engine/speed` that holds it."""


def mechanism(name: str) -> Mechanism:
    """A mechanism by its name, or several with commas between. Raises KeyError where the program has none of this name."""
    if "," in name:
        several = [mechanism(each) for each in name.split(",")]
        rows = dict.fromkeys(row for each in several for row in each.rows)
        return Mechanism(tuple(rows), {dotted: instead for each in several for dotted, instead in each.instead.items()})
    if name in MECHANISMS:
        return MECHANISMS[name]
    try:
        return Mechanism((_KEY,), {name: pkgutil.resolve_name(name).__wrapped__})
    except (ImportError, ValueError, AttributeError):
        raise KeyError(name) from None


def leave_out() -> None:
    """Take out the mechanism that the environment names, if it names one."""
    name = os.environ.get(VARIABLE)
    if name:
        for dotted, instead in mechanism(name).instead.items():
            _replace(dotted, instead)


def _replace(dotted: str, instead: Callable[..., Any]) -> None:
    """Put a stand-in in the place of a function, where it is defined and wherever it was imported."""
    for user in ("explorer.app.main", "explorer.engine.compute", "explorer.api.live"):  # They import all that uses one.
        importlib.import_module(user)
    found = pkgutil.resolve_name(dotted)
    owner, _, name = dotted.rpartition(".")
    setattr(pkgutil.resolve_name(owner), name, instead)
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith("explorer"):
            for key in [key for key, value in vars(module).items() if value is found]:
                setattr(module, key, instead)
