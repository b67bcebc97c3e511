"""What all rows are measured with, and how they are chosen."""

from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from tests.bench.row import Row


@attrs.frozen
class Bench:
    """`folder` is for files that nobody keeps. `peers` is the interpreter of the peers, None where they are not wanted."""

    folder: Path
    peers: Path | None = None


@attrs.frozen
class Task:
    """What measures one or several rows together, whose `names` say what is compared with what.

    `peers`: other programs are run beside ours, which takes minutes.
    """

    names: tuple[str, ...]
    run: Callable[[Bench], Iterator[Row]]
    peers: bool = False

    def matches(self, only: str) -> bool:
        """Whether it has to run for this part of a name."""
        return any(only in name for name in self.names)

    def rows(self, bench: Bench, only: str) -> Iterator[Row]:
        """Measure; of the rows only those that were asked for. Raises RuntimeError for a row that the names do not announce."""
        for row in self.run(bench):
            if row.name not in self.names:
                raise RuntimeError(f"nobody announced the row {row.name!r}")
            if only in row.name:
                yield row
