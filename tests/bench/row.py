"""One figure of the benchmark, and the table of all of them, which is Markdown and can be pasted as it is."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import attrs

from tests.bench.timing import Pair, Sample

_HEADINGS = ("what", "ours", "theirs or floor", "ratio", "goal", "met", "spread")


@attrs.frozen(kw_only=True)
class Row:
    """`theirs` is the other side of a comparison, or the floor where one can be computed. `goal` is that of the ratio
    where `of_ratio`, else of `ours`, in `unit`."""

    name: str
    ours: float
    theirs: float | None
    ratio: float | None
    goal: float
    met: bool
    unit: str = "ms"
    spread: str = ""
    better: Literal["lower", "higher"] = "lower"
    note: str = ""
    of_ratio: bool = False

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        sign, unit = "≤" if self.better == "lower" else "≥", "×" if self.of_ratio else self.unit
        return (
            self.name,
            f"{figure(self.ours)} {self.unit}",
            "" if self.theirs is None else f"{figure(self.theirs)} {self.unit}",
            "" if self.ratio is None else figure(self.ratio),
            f"{sign} {self.goal:g} {unit}",
            "met" if self.met else "MISSED",
            self.spread,
        )


def compared(name: str, pair: Pair, goal: float, better: Literal["lower", "higher"] = "lower", note: str = "") -> Row:
    """A row whose goal is a ratio: ours / theirs where lower is better, theirs / ours where higher is."""
    ratios = pair.ratios if better == "lower" else Sample(tuple(1 / ratio for ratio in pair.ratios.values))
    ratio = ratios.median
    return Row(
        name=name,
        ours=pair.ours.median,
        theirs=pair.theirs.median,
        ratio=ratio,
        goal=goal,
        better=better,
        note=note,
        met=ratio <= goal if better == "lower" else ratio >= goal,
        of_ratio=True,
        spread=f"ratio {ratios.spread} of {len(ratios.values)} pairs",
    )


def measured(
    name: str, ours: float, goal: float, *, floor: float | None = None, unit: str = "ms", spread: str = "", note: str = ""
) -> Row:
    """A row whose goal is a fixed figure."""
    return Row(
        name=name,
        ours=ours,
        theirs=floor,
        ratio=None if not floor else ours / floor,
        goal=goal,
        met=ours <= goal,
        unit=unit,
        spread=spread,
        note=note,
    )


def figure(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(rows: Iterable[Row]) -> str:
    """All rows in aligned columns, and below them what is to be said about some."""
    rows = list(rows)
    notes = [f"- {row.name}: {row.note}" for row in rows if row.note]
    return "\n".join([aligned([_HEADINGS, *(row.cells() for row in rows)]), "", *notes])


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Rows of text as a Markdown table, the first one as its head."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def write_json(rows: Iterable[Row], path: Path) -> None:
    """A list of objects, one for each row."""
    keys = ("name", "ours", "theirs", "ratio", "goal", "met")
    objects = [{key: getattr(row, key) for key in keys} for row in rows]
    path.write_text(json.dumps(objects, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
