"""A lesson's numbers as rich text: the printed numbers, the computed ones below them, and their difference."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from explorer.config import MASK_VALUES
from explorer.lang import Words
from explorer.lessons.check import Finding
from explorer.lessons.fact_makers import Fact
from explorer.lessons.questions import Asked
from explorer.picture.cell_text import number
from explorer.picture.theme import Theme

_MOST = (10, 10)  # rows and columns of a table that can be read
# Qt lays out 20 cells a millisecond. After this many cells of a step, the remaining tables show 1 row and 4 columns.
_MOST_IN_ALL, _MOST_BEYOND = 200, (1, 4)
_FIGURES = 4


def claims_html(findings: Sequence[Finding], words: Words, theme: Theme, *, changed: bool = False) -> str:
    """All claims of a step; printed numbers that are wrong have the colour of warnings.

    `changed` is True where the reader has changed the givens: the printed numbers then belong to other givens and are
    left out.
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
    # wrong[i] = |printed[i] − computed[i]| > tolerance
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
    lines, wrong_style = [], f"color:{theme.warning};text-decoration:underline"
    for name, values, wrong in rows:
        for place, (row, marks) in enumerate(_lines(values, wrong, *most)):
            head = f"<td style='color:{theme.faint};padding-right:8px'>{escape(name) if place == 0 else ''}</td>"
            cells = "".join(
                f"<td align='right' style='padding-right:8px;{wrong_style if bad else ''}'>{cell}</td>"
                for cell, bad in zip(row, marks, strict=True)
            )
            lines.append(f"<tr>{head}{cells}</tr>")
    return f"<table cellspacing='0' cellpadding='0'>{''.join(lines)}</table>"


def _lines(
    values: NDArray[np.float64], wrong: NDArray[np.bool_] | None, n_rows: int, n_columns: int
) -> list[tuple[list[str], list[bool]]]:
    """At most `n_rows` rows of `n_columns` figures, each with its mark of being wrong; all axes but the last become rows."""
    flat = values.reshape(-1, values.shape[-1]) if values.ndim else values.reshape(1, 1)  # [row, column]
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
    """A number with at most four decimals; large whole numbers have their thousands apart."""
    if np.isfinite(value) and 1000 <= abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}".replace("-", "−")
    if np.isfinite(value) and 1e-4 <= abs(value) < 1000:
        return f"{value:.{_FIGURES}f}".rstrip("0").rstrip(".").replace("-", "−")
    if np.isfinite(value) and 1000 <= abs(value) < 1e6:
        return f"{value:,.1f}".replace("-", "−")
    return number(float(f"{value:.5g}")) if np.isfinite(value) else number(value)


def answer_text(value: NDArray[np.float64]) -> str:
    """The first figures of an answer, as many as a table's row shows."""
    told = [figure(float(cell)) for cell in value.ravel()[: _MOST[1]]]
    return ", ".join([*told, "…"] if value.size > _MOST[1] else told)


def asked_html(asked: Asked, words: Words) -> str:
    """A question that was made from the pass, as rich text with its numbers."""
    values = {
        name: _row(value) if isinstance(value, tuple) else figure(value) if isinstance(value, float) else value
        for name, value in asked.values.items()
    }
    return words(f"question.{asked.key}", **values)


def facts_html(told: Sequence[Fact], words: Words) -> str:
    """The facts of a stop as rich text, a line each; what was computed is bold."""
    sentences = []
    for fact in told:
        values = {name: f"<b>{escape(_fact_value(name, value))}</b>" for name, value in fact.values.items()}
        sentences.append(words(f"fact.{fact.key}", **values))
    return "<br>".join(sentences)


def _fact_value(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return value
    if name.endswith("_share"):
        return "<0.1%" if 0 < value < 0.001 else f"{value:.1%}".replace(".0%", "%")
    return f"{value:,.2f}".rstrip("0").rstrip(".").replace("-", "−")


def _row(values: tuple[float, ...]) -> str:
    return "[" + ", ".join("−∞" if value in MASK_VALUES.values() else figure(value) for value in values) + "]"
