"""One figure of the benchmark beside its yardstick, and the table of all of them, in Markdown."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import attrs

from tests.bench.timing import Pair, Sample

_HEADINGS = ("what", "beside", "ours", "theirs", "measured", "goal", "", "spread")
Measured = Literal["times", "times faster", "more", "plain"]
"""What a goal is for: ours / theirs, theirs / ours, ours − theirs, or ours alone."""


@attrs.frozen(kw_only=True)
class Row:
    """`ours` and `theirs` are medians in `unit`. `figure` is what has the goal: at least it if "times faster", else at most."""

    what: str
    beside: str
    ours: float
    theirs: float | None
    figure: float
    goal: float
    measured: Measured = "times"
    unit: str = "ms"
    spread: str = ""

    @property
    def name(self) -> str:
        """What is compared with what."""
        return f"{self.what} / {self.beside}"

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.figure >= self.goal if self.measured == "times faster" else self.figure <= self.goal

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        unit = {"times": "", "times faster": " ×"}.get(self.measured, f" {self.unit}")
        more = "+" if self.measured == "more" else ""
        sign = "≥" if self.measured == "times faster" else "≤"
        return (
            self.what,
            self.beside,
            f"{digits(self.ours)} {self.unit}",
            "" if self.theirs is None else f"{digits(self.theirs)} {self.unit}",
            f"{more}{digits(self.figure)}{unit}",
            f"{sign} {more}{self.goal:g}{unit}",
            "" if self.met else "missed",
            self.spread,
        )


def times(what: str, beside: str, pair: Pair, goal: float, unit: str = "ms") -> Row:
    """A row whose goal is ours / theirs, at most: the median over the rounds of a Pair."""
    return attrs.evolve(_of_ratios(what, beside, pair, pair.ratios, goal, "times"), unit=unit)


def times_faster(what: str, beside: str, pair: Pair, goal: float) -> Row:
    """A row whose goal is theirs / ours, at least."""
    return _of_ratios(what, beside, pair, Sample(tuple(1 / ratio for ratio in pair.ratios.values)), goal, "times faster")


def _of_ratios(what: str, beside: str, pair: Pair, ratios: Sample, goal: float, measured: Measured) -> Row:
    return Row(
        what=what,
        beside=beside,
        ours=pair.ours.median,
        theirs=pair.theirs.median,
        figure=ratios.median,
        goal=goal,
        measured=measured,
        spread=f"{ratios.spread} of {len(ratios.values)}",
    )


def digits(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(rows: Iterable[Row]) -> str:
    """All rows in aligned columns."""
    return aligned([_HEADINGS, *(row.cells() for row in rows)])


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Rows of text as a Markdown table, the first one as its head."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def add_json(row: Row, path: Path) -> None:
    """Add a row to a file as a line of JSON, so that a run that ends early has lost nothing."""
    values = attrs.asdict(row) | {"met": row.met}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(values, ensure_ascii=False) + "\n")


def read_json(path: Path) -> list[Row]:
    """The rows of such a file; none where there is no file yet."""
    if not path.exists():
        return []
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Row(**{key: value for key, value in each.items() if key != "met"}) for each in found]
