"""Play, pause, steps, a scrub bar that is the table of contents, and the speed: what drives a picture that moves."""

import attrs
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from explorer.lang import Words
from explorer.picture.theme import LIGHT, Theme
from explorer.views.controls.layouts import filled
from explorer.views.controls.segments import Segments
from explorer.views.painting.labels import sized
from explorer.views.painting.paint import elided

SPEEDS = {"0.5": "½×", "1": "1×", "2": "2×"}
_HEIGHT, _LINE_Y, _KNOB = 40, 30.0, 6.0  # px
_PAD = 8.0
_WITH_SPEEDS_PX = 960  # px; with them a narrower bar has no room for its titles


@attrs.frozen
class Beat:
    """One entry of the table of contents: its title, its number, and when it begins (seconds)."""

    title: str
    figure: str
    start: float


class ScrubBar(QWidget):
    """A line of time with its parts above it. Signals: sought(seconds) while it is dragged or after a click."""

    sought = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self.parts: tuple[Beat, ...] = ()
        self.total, self.time, self.whole = 1.0, 0.0, True
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(160)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def put(self, parts: tuple[Beat, ...], total: float, time: float, whole: bool) -> None:
        """Show these parts and this time (seconds); `whole` where all parts are shown at once."""
        self.parts, self.total, self.time, self.whole = parts, max(total, 1e-3), time, whole
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def place(self, time: float) -> float:
        """Where a time stands on the line (px). Each part has the same room, because each has a title to show."""
        starts = [*(part.start for part in self.parts), self.total]
        n = max(1, len(self.parts))
        wide = (self.width() - 2 * _PAD) / n
        for number in range(len(self.parts) - 1, -1, -1):
            if time >= starts[number]:
                share = (time - starts[number]) / max(1e-6, starts[number + 1] - starts[number])
                return _PAD + wide * (number + min(share, 1.0))
        return _PAD

    def time_at(self, x: float) -> float:
        """The time at a place on the line (px)."""
        starts = [*(part.start for part in self.parts), self.total]
        n = max(1, len(self.parts))
        at = min(max((x - _PAD) / max(1.0, self.width() - 2 * _PAD), 0.0), 1.0) * n
        number = min(int(at), n - 1)
        return starts[number] + (at - number) * (starts[number + 1] - starts[number]) if self.parts else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.theme.card))
            if self.parts:
                self._paint_titles(painter)
                self._paint_line(painter)

    def _now(self) -> int | None:
        """The part that is shown; None where all are."""
        if self.whole:
            return None
        return max((number for number, part in enumerate(self.parts) if self.time >= part.start - 1e-9), default=0)

    def _paint_titles(self, painter: QPainter) -> None:
        now, wide = self._now(), (self.width() - 2 * _PAD) / len(self.parts)
        plain = QFontMetricsF(sized(self.font(), 0.92))
        fitting = sum(plain.horizontalAdvance(f"{part.title}{part.figure}") + 22 <= wide for part in self.parts)
        for number, part in enumerate(self.parts):
            font = sized(self.font(), 0.92)
            font.setBold(number == now)
            painter.setFont(font)
            metrics = QFontMetricsF(font)
            box = QRectF(_PAD + number * wide + 4, 2, wide - 14, 18)
            tint = self.theme.accent if number == now else self.theme.text
            title, figure = metrics.horizontalAdvance(part.title), metrics.horizontalAdvance(part.figure)
            if 2 * fitting > len(self.parts) and title + figure + 8 <= box.width():  # Single numbers would look chosen.
                painter.setPen(QColor(self.theme.accent if number == now else self.theme.faint))
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, part.figure)
            painter.setPen(QColor(tint))
            # Where there is no room for the title, its number alone is left.
            shown = part.title if title <= box.width() else elided(metrics, part.title.partition(" ")[0], box.width())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_line(self, painter: QPainter) -> None:
        theme, wide = self.theme, (self.width() - 2 * _PAD) / len(self.parts)
        end = self.width() - _PAD
        at = end if self.whole else self.place(self.time)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.hairline), 3))
        painter.drawLine(QPointF(_PAD, _LINE_Y), QPointF(end, _LINE_Y))
        painter.setPen(QPen(QColor(theme.accent), 3))
        painter.drawLine(QPointF(_PAD, _LINE_Y), QPointF(at, _LINE_Y))
        for number in range(len(self.parts) + 1):
            x = _PAD + number * wide
            painter.setPen(QPen(QColor(theme.accent if x <= at + 0.5 else theme.closed_line), 1.5))
            painter.drawLine(QPointF(x, _LINE_Y - 5), QPointF(x, _LINE_Y + 5))
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.setBrush(QColor(theme.card))
        painter.drawEllipse(QPointF(at, _LINE_Y), _KNOB, _KNOB)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.sought.emit(self.time_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(self.time_at(event.position().x()))


class SignButton(QToolButton):
    """A button with a painted sign: "play", "pause", "back" or "on". The bundled font has no letters for them."""

    def __init__(self, sign: str, *, filled: bool = False) -> None:
        super().__init__()
        self.sign = sign
        self.theme: Theme = LIGHT
        self._filled = filled
        self.setFixedSize(34 if filled else 24, 34)

    def minimumSizeHint(self) -> QSize:
        return self.minimumSize()  # There is no text that would need more.

    def show_sign(self, sign: str) -> None:
        if sign != self.sign:
            self.sign = sign
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, box = self.theme, QRectF(self.rect()).adjusted(2, 2, -2, -2)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), QColor(theme.card))
            painter.setPen(QPen(QColor(theme.accent), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent) if self._filled else Qt.BrushStyle.NoBrush)
            if self._filled:
                painter.drawEllipse(box)
            else:
                painter.drawRoundedRect(box, 4, 4)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.on_accent if self._filled else theme.accent if self.underMouse() else theme.faint))
            self._paint_sign(painter, box.center(), 7.0 if self._filled else 5.0)

    def _paint_sign(self, painter: QPainter, centre: QPointF, size: float) -> None:
        if self.sign == "pause":
            for side in (-1, 1):
                painter.drawRect(QRectF(centre.x() + side * 0.6 * size - 1.8, centre.y() - size, 3.6, 2 * size))
            return
        way = -1 if self.sign == "back" else 1
        tip, base = centre.x() + way * size, centre.x() - way * 0.7 * size
        painter.drawPolygon([QPointF(base, centre.y() - size), QPointF(tip, centre.y()), QPointF(base, centre.y() + size)])


class Transport(QWidget):
    """Signals: toggled() to play or pause; stepped(-1 or 1); sought(seconds); all_wanted(); speed(factor)."""

    toggled = Signal()
    stepped = Signal(int)
    sought = Signal(float)
    all_wanted = Signal()
    speed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.play, self.back, self.on = SignButton("play", filled=True), SignButton("back"), SignButton("on")
        self.every = QToolButton()
        self.every.setObjectName("segment")
        self.every.setCheckable(True)
        self.bar, self.speeds = ScrubBar(), Segments()
        self.bar.sought.connect(self.sought)
        self.play.clicked.connect(self.toggled)
        self.back.clicked.connect(self._back)
        self.on.clicked.connect(self._on)
        self.every.clicked.connect(self.all_wanted)
        self.speeds.chose.connect(self._speed)
        filled(
            QHBoxLayout(self),
            self.play,
            self.back,
            self.on,
            (self.bar, 1),
            self.every,
            self.speeds,
            gap_px=6,
            margins_px=(2, 0, 2, 0),
        )
        self.speeds.offer(SPEEDS, "1")  # It shows itself, and without a parent it would open as a window of its own.

    def name(self, texts: dict[str, str]) -> None:
        """Name all parts: texts under "play", "earlier", "later", "all_beats", "speed", "scrub" and "keys"."""
        for button, key in ((self.play, "play"), (self.back, "earlier"), (self.on, "later")):
            button.setAccessibleName(texts[key])
            button.setToolTip(texts[key])
        self.play.setToolTip(f"{texts['play']}\n{texts['keys']}")
        self.every.setText(texts["all_beats"])
        self.speeds.setAccessibleName(texts["speed"])
        self.bar.setAccessibleName(texts["scrub"])

    def put(self, parts: tuple[Beat, ...], total: float, time: float, *, whole: bool, playing: bool) -> None:
        """Show what is played."""
        self.play.show_sign("pause" if playing else "play")
        if self.every.isChecked() != whole:
            self.every.setChecked(whole)
        self.bar.put(parts, total, time, whole)

    def set_theme(self, theme: Theme) -> None:
        for part in (self.bar, self.play, self.back, self.on):
            part.theme = theme
            part.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the speeds where the scrub bar needs their room."""
        super().resizeEvent(event)
        self.speeds.setVisible(self.width() >= _WITH_SPEEDS_PX)

    def _back(self) -> None:
        self.stepped.emit(-1)

    def _on(self) -> None:
        self.stepped.emit(1)

    def _speed(self, key: str) -> None:
        self.speed.emit(float(key))


class PlayBar(QWidget):
    """Play and speed below a picture that has steps, and what a newcomer may click. Signals: toggled() to play or pause."""

    toggled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("play_bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.play, self.title, self.speeds, self.hint = SignButton("play", filled=True), QLabel(), Segments(), QLabel()
        self.play.clicked.connect(self.toggled)
        self.speeds.chose.connect(self._choose)
        self.speed = 1.0
        """How many times as fast as usual the steps are played."""
        self.title.setObjectName("title")
        self.hint.setObjectName("accent")
        row = QHBoxLayout(self)
        filled(row, self.play, self.title, self.speeds, gap_px=10, margins_px=(12, 2, 12, 2))
        row.addStretch(1)
        row.addWidget(self.hint)

    def speak(self, words: Words) -> None:
        self.play.setAccessibleName(words("follow.play"))
        self.speeds.setAccessibleName(words("follow.speed"))
        self.title.setText(words("river.play"))
        self.hint.setText(words("river.invitation"))
        self.speeds.offer(SPEEDS, "1")

    def set_theme(self, theme: Theme) -> None:
        self.play.theme = theme
        self.play.update()

    def show_playing(self, *, playing: bool) -> None:
        """Let the button offer to pause, or to play."""
        self.play.show_sign("pause" if playing else "play")

    def _choose(self, speed: str) -> None:
        self.speed = float(speed)
        self.speeds.offer(SPEEDS, speed)
