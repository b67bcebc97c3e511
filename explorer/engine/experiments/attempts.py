"""Experiments that are made for a window: one that breaks by a bug is no reason to withhold the pass and the others."""

import traceback
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import attrs

from explorer.engine.request import Request
from explorer.errors import ExplorerError, NotComputed
from explorer.stops import Superseded
from explorer.trace.found.findings import EXPERIMENTS, Experiment, NotMade

T = TypeVar("T")


@attrs.frozen(eq=False)
class Attempts:
    """What broke is in `broken`, by the experiment's name. Without `goes_on` it is raised, as for a script or a notebook."""

    goes_on: bool
    broken: dict[str, Exception] = attrs.field(factory=dict)

    def one(self, name: str, make: Callable[[], T]) -> T | None:
        """What is made, None where that breaks. Raises ExplorerError, Superseded."""
        try:
            return make()
        except (ExplorerError, Superseded):
            raise
        except Exception as error:
            if not self.goes_on:
                raise
            traceback.clear_frames(error.__traceback__)  # They would keep every tensor that those calls knew.
            self.broken[name] = error
            return None

    def why(self, name: str) -> NotMade:
        """What stands in the place of an experiment that broke."""
        error = self.broken[name]
        return NotMade(NotComputed(name=name, reason=f"{type(error).__name__}: {error}"))

    def each(self, request: Request, make: Callable[[Request], dict[str, Experiment]]) -> dict[str, Experiment]:
        """All that is asked for at once; where that breaks, one after another. Raises ExplorerError, Superseded."""
        try:
            return make(request)
        except (ExplorerError, Superseded):
            raise
        except Exception:
            if not self.goes_on:
                raise
        found: dict[str, Experiment] = {}
        for name in EXPERIMENTS:
            if name in request.experiments:
                found |= self.one(name, partial(make, request.asking(experiments=frozenset({name})))) or {}
        return found
