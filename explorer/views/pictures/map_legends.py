"""What stands beside a map: a colour bar, the names of its axes, and what closed and unknown cells look like."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from explorer.picture.cell_text import number
from explorer.picture.kinds import Heatmap
from explorer.picture.scales import Scale
from explorer.picture.theme import Theme
from explorer.views.painting.labels import advance
from explorer.views.painting.paint import hatching, ramp


def paint_bar(painter: QPainter, bar: QRectF, scale: Scale, theme: Theme) -> None:
    """Paint a scale's colours with the figures of its ends, and of its middle where there is room."""
    painter.drawImage(bar, ramp(scale.colours))
    painter.setPen(QColor(theme.faint))
    labels = bar_labels(scale)
    if bar.height() < 14 * len(labels):  # A short bar has the figures of its ends, or of the upper end alone.
        labels = labels[:: len(labels) - 1] if bar.height() >= 28 else labels[:1]
    for down, label in labels:
        y = min(max(bar.top() + bar.height() * down, bar.top() + 7), bar.bottom() - 7)
        painter.drawText(QPointF(bar.right() + 4, y + 4), label)


def bar_labels(scale: Scale) -> list[tuple[float, str]]:
    """The figures of a bar, each with its place as a share of the way down: both ends, and zero if it is the middle."""
    figures = (scale.high, 0.0, scale.low) if scale.centred else (scale.high, scale.low)
    return [(place / (len(figures) - 1), number(float(f"{figure:.2g}"))) for place, figure in enumerate(figures)]


def paint_axis_names(painter: QPainter, place: QPointF, right: float, rows: str, columns: str, theme: Theme) -> QPointF:
    """Write what runs downward and what to the right; returns where the line can go on.

    Below a small map the text begins further to the left, where it ends before `right`.
    """
    text = f"{rows} ↓  {columns} →"
    wide = advance(painter.font(), text)
    left = max(0.0, min(place.x(), right - wide))
    painter.setPen(QColor(theme.faint))
    painter.drawText(QPointF(left, place.y() + 11), text)
    return QPointF(left + wide + 16, place.y())


def paint_legend(painter: QPainter, place: QPointF, right: float, told: tuple[str, ...], theme: Theme) -> None:
    """Paint a sample of a closed cell and the first of the texts, which become shorter, that has room."""
    room = right - place.x() - 20
    metrics = QFontMetricsF(painter.font())
    label = next((text for text in told if metrics.horizontalAdvance(text) <= room), "")
    if not label:
        return
    painter.fillRect(QRectF(place.x(), place.y(), 12, 12), hatching(theme))
    painter.setPen(QColor(theme.faint))
    painter.drawText(QPointF(place.x() + 18, place.y() + 11), label)


def paint_unknown(painter: QPainter, place: QPointF, right: float, meaning: str, theme: Theme) -> float:
    """Paint a sample of the colour of NaN at the right end of a line, with its meaning; returns where the line now ends."""
    metrics = QFontMetricsF(painter.font())
    label = next((text for text in (meaning, "NaN") if metrics.horizontalAdvance(text) <= right - place.x() - 24), "")
    left = right - metrics.horizontalAdvance(label) - 24
    painter.fillRect(QRectF(left, place.y(), 12, 12), QColor(theme.unknown))
    painter.setPen(QColor(theme.faint))
    painter.drawText(QPointF(left + 18, place.y() + 11), label)
    return left - 8


def has_unknown(picture: Heatmap) -> bool:
    """Whether a map shows the colour of NaN; of a large map the coarsest level answers."""
    if picture.pending:
        return False
    if picture.levels is None:
        values, closed = picture.values, picture.closed
    else:
        values = picture.levels.arrays[-1]
        closed = None if picture.levels.closed is None else picture.levels.closed[-1]
    unknown = ~np.isfinite(values)
    return bool((unknown if closed is None else unknown & ~closed).any())
