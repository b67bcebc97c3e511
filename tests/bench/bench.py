"""What all rows are measured with, and how they are chosen."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from tests.bench.apart import apart
from tests.bench.floor import Rates, measure_rates
from tests.bench.row import Row

if TYPE_CHECKING:
    from tests.bench.start_rows import Opening


@attrs.define(slots=False)
class Bench:
    """`folder` is for files that nobody keeps, `plots` for those that somebody may look at. `peers` is the interpreter
    of the peers, None where they are not wanted. `notes` are lines for the
    head of the table, `tables` what stands below it, `openings` the starts that several rows are about."""

    folder: Path
    plots: Path
    peers: Path | None = None
    edits: int = 10_000
    rebuilds: int = 1_000
    notes: list[str] = attrs.field(factory=list)
    tables: list[str] = attrs.field(factory=list)
    openings: list["Opening"] = attrs.field(factory=list)

    @cached_property
    def rates(self) -> Rates:
        """Measured when a floor is first asked for."""
        return apart(measure_rates)

    def note(self, line: str) -> None:
        """Say it once, above the table."""
        if line not in self.notes:
            self.notes.append(line)


@attrs.frozen
class Task:
    """What measures one or several rows together.

    `asked`: only where it is asked for by name. `peers`: only with them. `apart`: it needs no window, and its passes use
    several threads, so that it has a thread of its own.
    """

    group: str
    names: tuple[str, ...]
    run: Callable[[Bench], list[Row]]
    asked: bool = False
    peers: bool = False
    apart: bool = False

    def can_run(self, bench: Bench) -> bool:
        """Whether the peers are there that it needs."""
        return bool(bench.peers or not self.peers)

    def matches(self, only: str) -> bool:
        """Whether it has to run for this part of a name."""
        return only in self.group or any(only in name for name in self.names)

    def rows(self, bench: Bench, only: str) -> list[Row]:
        """Measure; of the rows only those that were asked for."""
        found = apart(lambda: self.run(bench)) if self.apart else self.run(bench)
        return [row for row in found if only in self.group or only in row.name]
