"""The architecture strip: a segment for each Block of the model; that of the Block in sight is filled. A click goes to a Block.

Keys: left and right go from segment to segment, Home and End to the ends, Enter to the Block, Ctrl+Enter to the page about it.
"""

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.layout.strip import Heading, Segment, Spans, Strip, in_line, lay_out
from explorer.picture.layout.strip_names import COUNT_PX, LABEL_PX, NAME_PX, Names, about_block, block_line
from explorer.state.going import block_seen, ways_to
from explorer.state.look import Look
from explorer.trace.architecture import Architecture
from explorer.views.painting.labels import advance, centred_label, left_label, right_label
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_HEIGHT, _NAMES, _TOP, _BOX = 42, 12.0, 21.0, 16.0  # px: the strip, the middle of its first line, its segments
_MARGIN, _RADIUS, _LINE = 12.0, 2.0, 2.0
_NARROW_PX = 16.0  # px, below which a segment has square corners: hundreds of such segments are painted quickly
_ACTIVATE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class ArchitectureStrip(Surface):
    """Signals: wished(Intent) to go to a Block, then went(); pointed(Pointed) with what a Block is."""

    wished = Signal(object)
    went = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.strip = Strip()
        self.here = ""  # the key of the Block in sight
        self.share: float | None = None  # how much of a running computation is done; None while nothing long runs
        self._architecture: Architecture | None = None
        self._look: Look | None = None
        self._page = ""
        self._spans: Spans | None = None
        self._names: Names | None = None
        self._under = ""  # the key of the segment under the mouse
        self._cursor = ""  # the key of the segment that keys have gone to
        self._by_keys = False  # whether keys were used last: only then the segment that they have gone to has a ring

    # What is shown

    def draw(self, architecture: Architecture, look: Look | None, words: Words) -> None:
        """Show a model, and where the Look is in it unless it is None. Nothing is done if it is what is shown."""
        if architecture == self._architecture and look is self._look and words is self.words:
            return
        anew = architecture != self._architecture or words is not self.words
        self._architecture, self._look = architecture, look
        if anew:
            self.words = words
            self._names = Names(architecture, words, self._measure)
            self.setAccessibleName(words("strip.name"))
        self._show(anew=anew)

    def put_page(self, page: str) -> None:
        """Show where the reader is on another page."""
        self._page = page
        self._show(anew=False)

    def place(self, spans: Mapping[str, tuple[float, float]] | None) -> None:
        """Put the segments at these left edges and widths (px), by the keys of their Blocks; None fills the strip's width.

        A Block without a place has no segment, unless all of its layer has none: see `in_line`.
        """
        if spans != self._spans:
            self._spans = None if spans is None else dict(spans)
            self._show(anew=True)

    def set_progress(self, share: float | None) -> None:
        """Underline the segments from left to right, as far as a long computation has come; None ends it."""
        if share != self.share:
            self.share = share
            self.update()

    def segment_rect(self, key: str) -> QRectF:
        """The rectangle of a Block's segment (px); empty if there is none."""
        found = self._segment(key)
        return QRectF() if found is None else QRectF(found.left, _TOP, found.width, _BOX)

    def _show(self, *, anew: bool) -> None:
        here = "" if self._look is None else block_seen(self._look, self._page)
        if not anew and here == self.here:
            return
        if here != self.here:
            self.here = self._cursor = here
        self._lay_out()

    def _lay_out(self) -> None:
        if self._names is None:
            return
        room = max(0.0, self.width() - 2 * _MARGIN)
        if self._spans is not None:
            self.strip = in_line(self._names, self.here, self._spans, _MARGIN, room)
        else:
            self.strip = lay_out(self._names, self.here, _MARGIN, room)
        self._describe()
        self.tell_again(self._pointed(self._under), self._about(self._under))
        self.update()

    def _segment(self, key: str) -> Segment | None:
        return next((segment for segment in self.strip.segments if segment.key == key), None)

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    # In words

    def _pointed(self, key: str) -> Pointed:
        block = None if self._architecture is None else self._architecture.block(key)
        if block is None or self._names is None:
            return NOTHING
        return Pointed(block_line(block, self._names))

    def _about(self, key: str) -> str:
        block = None if self._architecture is None else self._architecture.block(key)
        return "" if block is None or self._names is None else about_block(block, self._names)

    def _describe(self) -> None:
        """Tell a screen reader of the segment that keys have gone to."""
        if self.words is not None:
            told = self._pointed(self._cursor).text
            self.setAccessibleDescription(f"{told}\n{self.words('strip.keys')}" if told else self.words("strip.keys"))

    # Painting

    def _font(self, px: float, *, bold: bool = False) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(round(px))
        font.setBold(bold)
        return font

    def _measure(self, text: str, px: float) -> float:
        # The names of groups are measured in bold letters, as that of the Block in sight is written.
        return advance(self._font(px, bold=px == NAME_PX), text)

    def paint(self, painter: QPainter, part: QRect) -> None:
        background = QColor(self.theme.window)
        painter.fillRect(part, background)
        painter.fillRect(QRectF(0, _HEIGHT - 1, self.width(), 1), QColor(self.theme.hairline))
        for heading in self.strip.headings:
            painter.setBackground(background)
            self._paint_heading(painter, heading)
        painter.setFont(self._font(COUNT_PX))
        if self.strip.whole:
            right_label(painter, self.strip.segments[-1].right, _NAMES + 1, self.strip.whole, self.theme.faint, self.width())
        painter.setFont(self._font(LABEL_PX))
        for sign, middle in self.strip.signs:
            centred_label(painter, middle, _TOP + _BOX / 2, sign, self.theme.faint)
        painter.setPen(Qt.PenStyle.NoPen)
        for segment in self.strip.segments:
            self._paint_segment(painter, segment)
        self._paint_progress(painter)
        self._paint_ring(painter)

    def _paint_progress(self, painter: QPainter) -> None:
        count = len(self.strip.segments)
        for number, segment in enumerate(self.strip.segments if self.share is not None else ()):
            done = min(max(self.share * count - number, 0.0), 1.0)  # type: ignore[operator]  # It is not None here.
            painter.fillRect(QRectF(segment.left, _TOP + _BOX + 1, segment.width * done, _LINE), QColor(self.theme.accent))

    def _paint_heading(self, painter: QPainter, heading: Heading) -> None:
        seen = self.here in heading.keys
        painter.setFont(self._font(NAME_PX, bold=seen))
        left_label(painter, heading.left, _NAMES, heading.text, self.theme.accent if seen else self.theme.text)
        if heading.count:
            painter.setFont(self._font(COUNT_PX))
            left_label(painter, heading.count_left, _NAMES + 1, heading.count, self.theme.faint)

    def _paint_segment(self, painter: QPainter, segment: Segment) -> None:
        seen = segment.key == self.here
        colour = QColor(
            self.theme.accent if seen else self.theme.closed if segment.key != self._under else self.theme.closed_line
        )
        box = QRectF(segment.left, _TOP, segment.width, _BOX)
        if segment.width < _NARROW_PX:
            painter.fillRect(box, colour)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(colour)
            painter.drawRoundedRect(box, _RADIUS, _RADIUS)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if segment.label:
            painter.setBackground(colour)
            bold = self._font(self.strip.label_px, bold=True)
            fits = seen and advance(bold, segment.label) + 2 <= segment.width
            painter.setFont(bold if fits else self._font(self.strip.label_px))
            ink = self.theme.on_accent if seen else self.theme.text
            centred_label(painter, box.center().x(), box.center().y(), segment.label, ink)

    def _paint_ring(self, painter: QPainter) -> None:
        """A frame around the segment that the keys have gone to."""
        if self.hasFocus() and self._by_keys and (segment := self._segment(self._cursor)) is not None:
            box = QRectF(segment.left, _TOP, segment.width, _BOX).adjusted(-2, -2, 2, 2)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self.theme.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, _RADIUS + 1, _RADIUS + 1)

    # Mouse and keys

    def _at(self, place: QPointF) -> str:
        found = self.strip.at(place.x()) if self.rect().contains(place.toPoint()) else None
        return "" if found is None else found.key

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        under = self._at(event.position())
        if under != self._under:
            self._under = under
            self.update()
        self.tell(event.globalPosition().toPoint() + QPoint(0, 8), self._pointed(under), self._about(under))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and (key := self._at(event.position())):
            self._cursor, self._by_keys = key, False
            self._go(key, opens=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keys = event.reason() != Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keys = True
        keys = [segment.key for segment in self.strip.segments]
        place = keys.index(self._cursor) if self._cursor in keys else 0
        match event.key():
            case Qt.Key.Key_Left:
                self._move(keys, place - 1)
            case Qt.Key.Key_Right:
                self._move(keys, place + 1)
            case Qt.Key.Key_Home:
                self._move(keys, 0)
            case Qt.Key.Key_End:
                self._move(keys, len(keys) - 1)
            case key if key in _ACTIVATE and keys:
                self._go(keys[place], opens=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
            case _:
                super().keyPressEvent(event)

    def _move(self, keys: list[str], place: int) -> None:
        if keys:
            self._cursor = keys[min(max(place, 0), len(keys) - 1)]
            self._describe()
            self.pointed.emit(self._pointed(self._cursor))
            self.update()

    def _go(self, key: str, *, opens: bool) -> None:
        block = None if self._architecture is None else self._architecture.block(key)
        look = Look() if self._look is None else self._look
        if self._architecture is not None and block is not None:
            opens = opens or self._architecture.lacks_attention(block)  # The river has nothing to open in place there.
            for intent in ways_to(block, self._page, look, opens=opens):
                self.wished.emit(intent)
        self.went.emit()

    def left(self) -> None:
        self._under = ""
