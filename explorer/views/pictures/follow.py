"""Draws a followed cell: the sheet of its six beats, or one beat at a time, which plays.

Keys: Space plays and pauses, left and right go from beat to beat, with Shift from product to product, Home and End go to
the ends, Enter opens the first beat, Esc goes back to the sheet and then leaves.
"""

from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.follow_text import note, sentence
from explorer.picture.followed import BEATS
from explorer.picture.kinds import Follow
from explorer.picture.layout.follow_sheet import beat_at, panels, sheet, spoken, taps_of
from explorer.picture.layout.follow_time import Timetable, timetable
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.motion import may_move
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.spoken import say
from explorer.views.painting.surface import Surface

_TICK_MS = 15
_PRODUCTS = BEATS.index("products")
_OWN_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right)


class FollowView(Surface):
    """Shows a Follow. What it paints follows from the picture, `time_s` and `whole` alone; a timer only moves `time_s` on.

    Signals: moved() when the time, the mode or playing has changed; leaving() on Esc in the sheet.
    """

    draws_in_px = True

    moved = Signal()
    leaving = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picture: Follow | None = None
        self.time_s = 0.0
        self.whole = True  # whether the sheet is shown, and not one beat
        self.speed = 1.0
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._clock = QElapsedTimer()
        self._over: int | None = None  # the beat under the mouse
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    @property
    def table(self) -> Timetable | None:
        return None if self.picture is None else timetable(self.picture.followed)

    def draw(self, picture: Follow, words: Words) -> None:
        self.picture, self.words = picture, words
        self.time_s = min(self.time_s, timetable(picture.followed).total)
        self.tell_again(NOTHING if self._over is None else self._about(self._over))
        self._changed()

    # Time

    def play(self) -> None:
        """Play from here, or from the beginning where all is over or the sheet is shown."""
        if self.table is None:
            return
        if self.whole or self.time_s >= self.table.total - 1e-6:
            self.time_s = 0.0
        self.whole = False
        self._clock.start()
        self._timer.start()
        self._changed()

    def pause(self) -> None:
        self._timer.stop()
        self._changed()

    def toggle(self) -> None:
        if self.playing:
            self.pause()
        else:
            self.play()

    def seek(self, time_s: float) -> None:
        """Show the beat at a time. A picture that plays goes on from there."""
        if self.table is not None:
            self.time_s = min(max(time_s, 0.0), self.table.total)
            self.whole = False
            self._clock.restart()
            self._changed()

    def open_beat(self, beat: int) -> None:
        """Show a beat at the end of its motion."""
        if self.table is not None and 0 <= beat < len(BEATS):
            self._timer.stop()
            self.seek(self.table.end(beat))

    def show_all(self) -> None:
        """Show the sheet."""
        self._timer.stop()
        self.whole = True
        self._changed()

    def step(self, by: int) -> None:
        """Go to the end of the next or the previous beat."""
        if self.table is None:
            return
        if self.whole:
            self.open_beat(0 if by > 0 else len(BEATS) - 1)
            return
        self.open_beat(min(max(self.table.at(self.time_s).beat + by, 0), len(BEATS) - 1))

    def step_product(self, by: int) -> None:
        """Add the next product, or take the last one away."""
        table = self.table
        if table is None:
            return
        self._timer.stop()
        moment = table.at(self.time_s)
        now = table.term(self.time_s) if not self.whole and moment.beat == _PRODUCTS else None
        if now is not None:
            self.seek(table.after_term(now + by))
            return
        # From anywhere else, and when all are added: forward begins anew, back takes the last one away.
        self.seek(table.after_term(0 if by > 0 else table.n_terms - 2))

    def _tick(self) -> None:
        table = self.table
        if table is None:
            self._timer.stop()
            return
        self.time_s += self._clock.restart() / 1000 * self.speed
        if self.time_s >= table.total:
            self.time_s = table.total
            self._timer.stop()
        self._changed()

    def _shown_s(self) -> float:
        """The time that is painted: where nothing may move, each beat is shown at its end."""
        assert self.table is not None  # Callers have a picture.
        if self.playing and not may_move():
            return self.table.end(self.table.at(self.time_s).beat)
        return self.time_s

    def _changed(self) -> None:
        if self.picture is not None and self.words is not None and not self.playing:
            self.setAccessibleDescription(self._told())
        self.moved.emit()
        self.update()

    def _told(self) -> str:
        """All beats in words, or, where one is shown, the sentence about it."""
        assert self.picture is not None and self.words is not None and self.table is not None
        told = in_words(self.picture, self.words)
        if self.whole:
            return told
        return f"{spoken(self.picture.followed, self.words, self.table, self._shown_s())}\n{told}"

    # Painting

    def sketch(self) -> Sketch | None:
        """What is painted now, as marks."""
        if self.picture is None or self.words is None:
            return None
        made = Sketch(self.theme, self.picture.signed_colours, self.measure)
        area = Rect(0, 0, self.wide, self.high)
        if self.whole:
            self._light(made, area)
            sheet(made, self.picture.followed, self.words, area)
        else:
            beat_at(made, self.picture.followed, self.words, area, self._shown_s())
        return made

    def _light(self, made: Sketch, area: Rect) -> None:
        """Put a soft ground under the beat that a click would open."""
        if self._over is not None:
            made.box(panels(area)[self._over].inset(2, 2, 2, 2), self.theme.window)

    def paint(self, painter: QPainter, part: QRect) -> None:
        made = self.sketch()
        if made is not None:
            paint_marks(painter, made.marks, self.theme)
        self.paint_focus(painter)

    # Mouse and keys

    def _beat_under(self, place: QPointF) -> int | None:
        if not self.whole or self.picture is None:
            return None
        for beat, area in enumerate(panels(Rect(0, 0, self.wide, self.high))):
            if area.x <= place.x() < area.right and area.y <= place.y() < area.bottom:
                return beat
        return None

    def _about(self, beat: int) -> Pointed:
        """What a beat says, with its taps and where its numbers come from."""
        if self.picture is None or self.words is None:
            return NOTHING
        followed, name = self.picture.followed, BEATS[beat]
        lines = (sentence(followed, name, self.words), taps_of(followed, name), note(followed, name, self.words))
        cell = followed.cell
        spots = frozenset({followed.queries.spot(cell.query), followed.keys.spot(cell.key)})
        return Pointed("\n".join(line for line in lines if line), spots)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._beat_under(self.at(event))
        if over != self._over:
            self._over = over
            self.update()
            # The sentence stands on the sheet already, so the status line alone has it together with its taps.
            self.pointed.emit(NOTHING if over is None else self._about(over))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        beat = self._beat_under(self.at(event))
        if event.button() == Qt.MouseButton.LeftButton and beat is not None:
            self._over = None
            self.pointed.emit(NOTHING)
            self.open_beat(beat)

    def left(self) -> None:
        self._over = None

    def event(self, event: QEvent) -> bool:
        """Take this view's own keys before the window's shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _OWN_KEYS:
            plain = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
            if plain in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._pressed(event)
        if self.isVisible() and not self.playing and self.picture is not None and self.words is not None:
            say(self, self._told())

    def _pressed(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is not None and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.step_product(by)
            return
        if by is not None:
            self.step(by)
            return
        match event.key():
            case Qt.Key.Key_Space:
                self.toggle()
            case Qt.Key.Key_Home:
                self.seek(0.0)
            case Qt.Key.Key_End:
                self.open_beat(len(BEATS) - 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.whole:
                self.open_beat(0)
            case Qt.Key.Key_Escape if not self.whole:
                self.show_all()
            case Qt.Key.Key_Escape:
                self.leaving.emit()
            case _:
                super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop: nothing plays where nobody sees it."""
        self._timer.stop()
        super().hideEvent(event)
