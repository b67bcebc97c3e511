"""Draws a Timeline: a chip for each decoding step, with a bar of its probability below it.

Keys: left and right step, Home and End go to the ends. Dragging and the wheel step too; a long row scrolls.
"""

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.figure.decoding_figures import tell_step
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.timeline import CHIP_PX, StepLetters, bar_below, chips, draw_step
from explorer.picture.marks import Label
from explorer.views.painting.marks import paint_marks, qrect, rect_of
from explorer.views.painting.paint import fade
from explorer.views.painting.pointed import NOTHING, Pointed, told_plainly
from explorer.views.painting.surface import Surface

_TOP, _HEIGHT, _MOST_CHIP = 2.0, 58.0, 180.0  # px
_EDGE = 44.0  # px, the width of the sign that counts steps beyond an edge
_NOTCH = 120  # the angle of one notch of the wheel, in eighths of a degree


class TimelineView(Surface):
    """Shows a Timeline. Signals: pointed(Pointed); stepped(step) for the step to look at, of a word the first one;
    hovered(step) for the step under the mouse, -1 where there is none."""

    stepped = Signal(int)
    hovered = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.picture: Timeline | None = None
        self.chosen = 0
        self._boxes: list[QRectF] = []
        self._shift = 0.0
        self._here: int | None = None  # the step under the mouse
        self._dragged = False
        self._turned = 0  # the wheel's angle since the last whole notch
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumSize(120, int(_HEIGHT))

    def draw(self, picture: Timeline, words: Words) -> None:
        same = self.picture is not None and self.picture.labels == picture.labels and self.chosen == picture.chosen
        self.picture, self.words, self.chosen = picture, words, picture.chosen
        self._place()
        if not same:  # If nothing has changed, the user may have scrolled away on purpose.
            self._reveal()
        self.setAccessibleName(picture.caption.title)
        self.setAccessibleDescription(f"{in_words(picture, words)}\n{words('timeline.keys')}")
        self._here = self._here if self._here is not None and self._here < len(self._boxes) else None
        self.tell_again(NOTHING if self._here is None else self._describe(self._here))
        self.update()

    def fit(self) -> None:
        """Scroll to the chosen step."""
        self._reveal()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, int(_HEIGHT))

    def step_rect(self, step: int) -> QRectF:
        """The rectangle of a step's chip after scrolling (px)."""
        return self._boxes[step].translated(-self._shift, 0)

    def bar_rect(self, step: int) -> QRectF:
        """The rectangle of the whole bar below a chip (px)."""
        return qrect(bar_below(rect_of(self.step_rect(step))))

    def hidden(self) -> tuple[int, int]:
        """The numbers of steps that lie beyond the left and the right edge, at least in part."""
        left = sum(box.left() < self._shift - 0.5 for box in self._boxes)
        right = sum(box.right() > self._shift + self.width() + 0.5 for box in self._boxes)
        return left, right

    @property
    def _letters_px(self) -> StepLetters:
        return StepLetters(1.15 * self.letter_px, 0.8 * self.letter_px)

    def _place(self) -> None:
        if self.picture is not None:
            made = chips(self.picture, self._letters_px, self.measure, _MOST_CHIP, room_px=self.width() - 2)
            self._boxes = [QRectF(chip.x + 1, _TOP, chip.wide, chip.high) for chip in made]
        self._shift = min(self._shift, self._most_shift())

    def _most_shift(self) -> float:
        return max(0.0, self._boxes[-1].right() + 1 - self.width()) if self._boxes else 0.0

    def _reveal(self) -> None:
        """Scroll until the chosen step is visible between the signs at the edges."""
        if self._boxes:
            box = self._boxes[self.chosen]
            room = min(_EDGE, max(0.0, (self.width() - box.width()) / 2))
            shift = min(max(self._shift, box.right() + room - self.width()), box.left() - room)
            self._shift = min(max(shift, 0.0), self._most_shift())

    # Painting

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None:
            return
        sketch, letters, seen = Sketch(self.theme, "", self.measure), self._letters_px, QRectF(part)
        for step in range(len(self._boxes)):
            box = self.step_rect(step)
            if box.adjusted(-2, 0, 2, _HEIGHT).intersects(seen):
                lit = step == self._here or bool(self.picture.tokens(step) & self.lit)
                draw_step(sketch, self.picture, step, rect_of(box), letters, self.chosen, lit=lit)
        paint_marks(painter, sketch.marks, self.theme)
        left, right = self.hidden()
        self._paint_more(painter, left, at_right=False)
        self._paint_more(painter, right, at_right=True)
        self.paint_focus(painter)

    def _paint_more(self, painter: QPainter, count: int, *, at_right: bool) -> None:
        """Fade the chips at an edge beyond which there are more, and write their number with an arrow."""
        if not count:
            return
        edge = QRectF(self.width() - _EDGE if at_right else 0, 0, _EDGE, self.height())
        fade(painter, edge, Qt.Edge.RightEdge if at_right else Qt.Edge.LeftEdge, self.theme)
        x, align, sign = (edge.right() - 4, "right", f"{count} ›") if at_right else (edge.left() + 4, "left", f"‹ {count}")
        label = Label(x, _TOP + CHIP_PX / 2, sign, 0.9 * self.letter_px, "accent", align=align)
        paint_marks(painter, [label], self.theme)

    # Mouse and keys

    def _at(self, x: float) -> int:
        """The step at x (px), or the nearest one."""
        x += self._shift
        return min(range(len(self._boxes)), key=lambda step: max(self._boxes[step].left() - x, x - self._boxes[step].right()))

    def _over(self, place: QPointF) -> int | None:
        """The step whose chip or bar is under the mouse."""
        if not self._boxes or not self.rect().contains(place.toPoint()):
            return None
        step = self._at(place.x())
        return step if self.step_rect(step).adjusted(0, 0, 0, _HEIGHT).contains(place) else None

    def _more_at(self, place: QPointF) -> str:
        """The sign under the mouse: "earlier", "later" or ""."""
        left, right = self.hidden()
        if left and place.x() < _EDGE / 2:
            return "earlier"
        return "later" if right and place.x() > self.width() - _EDGE / 2 else ""

    def _describe(self, step: int) -> Pointed:
        picture, words = self.picture, self.words
        if picture is None or words is None or not picture.labels:
            return NOTHING
        # The last step writes the end symbol, which is no token of the target.
        written = picture.log_p is None or step < len(picture.labels) - 1
        tokens = picture.tokens(step) if written and picture.side else frozenset()
        return told_plainly(tell_step(picture, step, words), tokens)

    def _go(self, step: int, *, reveal: bool = True) -> None:
        """Look at another step. It is marked at once, before the new pictures are made."""
        step = min(max(step, 0), len(self._boxes) - 1)
        if step < 0 or step == self.chosen:
            return
        self.chosen = step
        if reveal:
            self._reveal()
        if self.picture is not None:
            self.stepped.emit(self.picture.steps(step)[0])
        self.tell_by_keys(self._describe(step))

    def _drag_to(self, x: float) -> None:
        """Go to the step under the mouse; beyond an edge go one step further, so that a drag can reach all steps."""
        if not self._boxes:
            return
        if x > self.width() - 1 or x < 0:
            self._go(self.chosen + (1 if x > 0 else -1))
        else:
            self._go(self._at(x), reveal=False)  # The row must not scroll under the mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._boxes:
            return
        more = self._more_at(event.position())
        if more:
            self._scroll(self.width() * (-0.7 if more == "earlier" else 0.7))
        else:
            self._dragged = True
            self._drag_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._reveal()
            self.update()
        self._dragged = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            if self._dragged:
                self._drag_to(event.position().x())
            return
        more = self._more_at(event.position())
        here = None if more else self._over(event.position())
        if here != self._here:
            self._here = here
            self.hovered.emit(-1 if here is None else here)
            self.update()
        pointed = NOTHING if here is None else self._describe(here)
        text = None
        if more and self.words is not None:
            text = self.words(f"timeline.{more}", count=self.hidden()[more == "later"])
        self.tell(event.globalPosition().toPoint(), pointed, text)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step with each notch of the wheel; scroll with a wheel that turns sideways."""
        if self.wheel_is_the_pages(event):
            return
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            self._scroll(-event.angleDelta().x() * 0.6)
            event.accept()
            return
        self._turned += event.angleDelta().y()
        notches = int(self._turned / _NOTCH)
        self._turned -= notches * _NOTCH
        if notches:
            self._go(self.chosen - notches)
        event.accept()

    def _scroll(self, by: float) -> None:
        self._shift = min(max(self._shift + by, 0.0), self._most_shift())
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._go(self.chosen - 1)
            case Qt.Key.Key_Right:
                self._go(self.chosen + 1)
            case Qt.Key.Key_Home:
                self._go(0)
            case Qt.Key.Key_End:
                self._go(len(self._boxes) - 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _:
                super().keyPressEvent(event)

    def left(self) -> None:
        self._here = None
        self.hovered.emit(-1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
        self._reveal()
