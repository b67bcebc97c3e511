"""A lesson's numbers as rich text: what the text prints, what is true, and the difference, cell under cell."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from explorer.config import MASK_VALUES
from explorer.lang import Words
from explorer.lessons.check import Finding
from explorer.lessons.questions import Asked
from explorer.picture.cell_text import number
from explorer.picture.theme import Theme

_MOST = (10, 10)  # rows and columns of a table that can be read
_MOST_IN_ALL, _MOST_BEYOND = 200, (1, 4)  # cells of a step, and what tables after them still show: Qt lays out 20 a millisecond
_FIGURES = 4


def claims_html(findings: Sequence[Finding], words: Words, theme: Theme, *, changed: bool = False) -> str:
    """All claims of a step; a number that is not the true one is in the colour of warnings.

    `changed`: the reader has changed what is given, so that what a text prints is of other numbers, and is left out.
    """
    told, cells = [], 0
    for finding in findings:
        most = _MOST if cells < _MOST_IN_ALL else _MOST_BEYOND
        told.append(_claim(finding, words, theme, changed, most))
        cells += min(finding.computed.size, most[0] * most[1])
    return "".join(told)


def _claim(finding: Finding, words: Words, theme: Theme, changed: bool, most: tuple[int, int]) -> str:
    claim, label = finding.claim, escape(finding.claim.label.of(words.language))
    if not finding.computed.size:
        said = words("lesson.absent") if finding.error is None else words.error(finding.error)
        colour = theme.faint if finding.error is None else theme.warning
        return f"<p style='margin:8px 0 2px 0'>{label}</p><p style='margin:0;color:{colour}'>{escape(said)}</p>"
    if claim.printed is None or (changed and not claim.expected):
        return f"<p style='margin:8px 0 2px 0'>{label}</p>" + _table(
            [(words("lesson.true"), finding.computed, None)], theme, most
        )
    wrong = np.broadcast_to(_apart(claim.printed, finding.computed) > claim.tolerance, finding.computed.shape)
    wanted = words("lesson.expected" if claim.expected else "lesson.printed")
    rows = [(wanted, claim.printed, wrong), (words("lesson.true"), finding.computed, None)]
    verdict = (
        words("lesson.agrees")
        if finding.agrees
        else words("lesson.differs", difference=number(float(f"{finding.difference or 0.0:.3g}")))
    )
    colour = theme.faint if finding.agrees else theme.warning
    return (
        f"<p style='margin:8px 0 2px 0'>{label}</p>{_table(rows, theme, most)}"
        f"<p style='margin:0;color:{colour}'>{'✓' if finding.agrees else '≠'} {escape(verdict)}</p>"
    )


def _apart(printed: NDArray[np.float64], true: NDArray[np.float64]) -> NDArray[np.float64]:
    same = (printed == true) | (np.isnan(printed) & np.isnan(true))
    return np.where(same, 0.0, np.nan_to_num(np.abs(printed - true), nan=np.inf))


def _table(
    rows: Sequence[tuple[str, NDArray[np.float64], NDArray[np.bool_] | None]], theme: Theme, most: tuple[int, int]
) -> str:
    lines = []
    for name, values, wrong in rows:
        for place, (row, marks) in enumerate(_lines(values, wrong, *most)):
            head = f"<td style='color:{theme.faint};padding-right:8px'>{escape(name) if place == 0 else ''}</td>"
            cells = "".join(
                f"<td align='right' style='padding-right:8px;{f'color:{theme.warning}' if bad else ''}'>{cell}</td>"
                for cell, bad in zip(row, marks, strict=True)
            )
            lines.append(f"<tr>{head}{cells}</tr>")
    return f"<table cellspacing='0' cellpadding='0'>{''.join(lines)}</table>"


def _lines(
    values: NDArray[np.float64], wrong: NDArray[np.bool_] | None, n_rows: int, n_columns: int
) -> list[tuple[list[str], list[bool]]]:
    """Rows of figures; of more than two axes one row after the other, and no more than can be read."""
    flat = values.reshape(-1, values.shape[-1]) if values.ndim else values.reshape(1, 1)
    marks = np.zeros(flat.shape, bool) if wrong is None else np.asarray(wrong).reshape(flat.shape)
    made = []
    for row, bad in zip(flat[:n_rows], marks[:n_rows], strict=True):
        cells, flags = [figure(float(value)) for value in row[:n_columns]], [bool(mark) for mark in bad[:n_columns]]
        if len(row) > n_columns:
            cells, flags = [*cells, "…"], [*flags, False]
        made.append((cells, flags))
    if len(flat) > n_rows:
        made.append((["…"] * len(made[0][0]), [False] * len(made[0][0])))
    return made


def figure(value: float) -> str:
    """Four decimals at most; whole numbers as such, with their thousands apart."""
    if np.isfinite(value) and 1000 <= abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}".replace("-", "−")
    if np.isfinite(value) and 1e-4 <= abs(value) < 1000:
        return f"{value:.{_FIGURES}f}".rstrip("0").rstrip(".").replace("-", "−")
    if np.isfinite(value) and 1000 <= abs(value) < 1e6:
        return f"{value:,.1f}".replace("-", "−")
    return number(float(f"{value:.5g}")) if np.isfinite(value) else number(value)


def answer_text(value: NDArray[np.float64]) -> str:
    """The figures of an answer, no more than can be read."""
    told = [figure(float(cell)) for cell in value.ravel()[: _MOST[1]]]
    return ", ".join([*told, "…"] if value.size > _MOST[1] else told)


def asked_html(asked: Asked, words: Words) -> str:
    """A question made of the pass."""
    values = {
        name: _row(value) if isinstance(value, tuple) else figure(value) if isinstance(value, float) else value
        for name, value in asked.values.items()
    }
    return words(f"question.{asked.key}", **values)


def _row(values: tuple[float, ...]) -> str:
    return "[" + ", ".join("−∞" if value in MASK_VALUES.values() else figure(value) for value in values) + "]"
