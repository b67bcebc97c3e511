"""Draws a TokenRow: a chip for each token with its text, id and span. A menu and keys change how the text is cut.

Keys: left and right select, M merges with the next token, S splits, R resets, the menu key opens the menu.
"""

from bisect import bisect_left

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import TokenRow
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.token_row import GAP_PX, HEIGHT_PX, ChipSizes, chip_high, chip_wide, draw_chip
from explorer.picture.marks import Path
from explorer.state.cut_intents import AddWord, CutTokens
from explorer.state.offers import ChangePlace
from explorer.views.painting.change_menu import ChangeMenu
from explorer.views.painting.marks import paint_marks, rect_of
from explorer.views.painting.paint import fade
from explorer.views.painting.pointed import NOTHING, Pointed, Spot
from explorer.views.painting.surface import Surface

_EDGE_PX = 28.0  # px, the width of a faded edge
_ARROW = 4.0  # px, half the height of its arrow
_STALE = 0.35  # the opacity of tokens that are out of date
_LARGE, _SMALL = 1.15, 0.8  # of the font's size, for a token's text and its figures
# The scales of chips on several lines; the largest that fits is used. Finer steps leave less of a card empty.
_SCALES = (5.0, 4.5, 4.0, 3.5, 3.0, 2.75, 2.5, 2.25, 2.0, 1.85, 1.7, 1.55, 1.4, 1.3, 1.2, 1.1, 1.0)
_MOST_SCALED = 100  # chips; more chips are not enlarged


class TokenRowView(Surface):
    """Shows a TokenRow: one line, or with `wrap` as many lines as needed, with each token's merges.

    Both scroll with the wheel; where there is more, the edge fades out and a click on it scrolls on. Chips are laid out only
    as far as they are visible, since a text may have thousands. A row without a side is only looked at.
    Signals: pointed(Pointed); wished(CutTokens, AddWord or MakeChange).
    """

    wished = Signal(object)

    def __init__(self, *, wrap: bool = False) -> None:
        super().__init__()
        self.picture: TokenRow | None = None
        self.selected = 0
        self._wrap = wrap
        self.is_stale = False
        self.change_menu = ChangeMenu(self, self.wished.emit)
        self._boxes: list[QRectF] = []
        self._scale = 1.0
        self._shift = 0.0  # px scrolled to the left, or upward with `wrap`
        policy = QSizePolicy.Policy.MinimumExpanding if wrap else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Expanding, policy)
        self.setMinimumHeight(self._least_high)

    def draw(self, picture: TokenRow, words: Words) -> None:
        """Show a TokenRow. The same one again, as after a change of the model, is not painted again."""
        shown, boxes = (self.picture, self.words), self._boxes
        self.picture, self.words = picture, words
        self.selected = min(self.selected, max(0, len(picture.chips) - 1))
        self._place_anew()
        if shown == (picture, words) and boxes == self._boxes:  # They stand elsewhere in another font.
            return
        self.tell_again()
        self.setAccessibleName(picture.caption.title)
        self.setAccessibleDescription(in_words(picture, words))
        self.update()

    def light(self, tokens: frozenset[Spot]) -> None:
        if tokens != self.lit:
            self.lit = tokens
            self.update()

    def fit(self) -> None:
        self._shift = 0.0
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self._least_high)

    @property
    def _least_high(self) -> int:
        """The height (px) of one line of chips, which grow with the letters, so that no figure is struck by a text above it."""
        return int(HEIGHT_PX * self.letters) + 4

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setMinimumHeight(self._least_high)
            self.updateGeometry()
            self._place_anew()

    def _place_anew(self) -> None:
        few = self._wrap and self.picture is not None and len(self.picture.chips) <= _MOST_SCALED
        sizes = _SCALES if few else (1.0,)
        # The largest one that fits: what fits in one size fits in each smaller one.
        found = bisect_left(range(len(sizes) - 1), True, key=lambda place: self._fits_at(sizes[place]))
        if self._fits_at(sizes[found]) and few and len(self._boxes) == self._n_chips():
            self._centre()
        self._shift = min(self._shift, self._most_shift())

    def _fits_at(self, scale: float) -> bool:
        """Lay the chips out in this size. Whether they fit in it."""
        self._scale, self._boxes = scale, []
        self._place()
        return self._fits()

    def _centre(self) -> None:
        """Move the chips to the middle of the view's height."""
        spare = self.height() - 4 - max((box.bottom() for box in self._boxes), default=0.0)
        self._boxes = [box.translated(0, max(0.0, spare / 2)) for box in self._boxes]

    def _fits(self) -> bool:
        return all(box.right() <= self.width() and box.bottom() + 4 <= self.height() for box in self._boxes)

    def _place(self, index: int = -1) -> None:
        """Lay out chips up to one screen beyond the visible part, and at least up to the chip `index`."""
        chips, sizes = self.picture.chips if self.picture is not None else (), self._sizes
        gap = GAP_PX * sizes.scale
        most_merges = max((len(chip.merges) for chip in chips), default=0) if self._wrap else 0
        last = self._boxes[-1] if self._boxes else QRectF(-gap, 2.0, 0, 0)
        x, y, high = last.right() + gap, last.top(), chip_high(most_merges, sizes)
        beyond = self._shift + 2 * max(self.width(), self.height())
        while len(self._boxes) < len(chips) and (len(self._boxes) <= index or (y if self._wrap else x) < beyond):
            wide = chip_wide(chips[len(self._boxes)], sizes, self.measure, merges=self._wrap)
            if self._wrap and x and x + wide > self.width():
                x, y = 0.0, y + high + gap
            self._boxes.append(QRectF(x, y, wide, high))
            x += wide + gap

    @property
    def _sizes(self) -> ChipSizes:
        px = self.letter_px * self._scale
        return ChipSizes(_LARGE * px, _SMALL * px, self._scale * self.letters)

    def _most_shift(self) -> float:
        if not self._boxes:
            return 0.0
        last = self._boxes[-1]
        return max(0.0, last.bottom() + 4 - self.height() if self._wrap else last.right() - self.width())

    def set_stale(self, stale: bool) -> None:
        """Fade the tokens while they do not belong to what was typed."""
        if stale != self.is_stale:
            self.is_stale = stale
            self.update()

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None:
            return
        painter.setOpacity(_STALE if self.is_stale else 1.0)
        painter.translate(-self._away)
        seen, sketch = QRectF(part).translated(self._away), Sketch(self.theme, "", self.measure)
        for index, (chip, box) in enumerate(zip(self.picture.chips, self._boxes, strict=False)):
            if box.intersects(seen):
                lit = (self.picture.side, index) in self.lit or (self.hasFocus() and index == self.selected)
                draw_chip(sketch, chip, rect_of(box), self._sizes, lit=lit, merges=self._wrap)
        paint_marks(painter, sketch.marks, self.theme)
        painter.translate(self._away)
        painter.setOpacity(1.0)
        for side in self.edges():
            self._paint_edge(painter, side)

    def _paint_edge(self, painter: QPainter, side: Qt.Edge) -> None:
        """Fade out an edge beyond which there are more tokens, with an arrow that points outward."""
        wide, high, px = self.width(), self.height(), _EDGE_PX
        box, x, y = {
            Qt.Edge.LeftEdge: (QRectF(0, 0, px, high), -1, 0),
            Qt.Edge.RightEdge: (QRectF(wide - px, 0, px, high), 1, 0),
            Qt.Edge.TopEdge: (QRectF(0, 0, wide, px), 0, -1),
            Qt.Edge.BottomEdge: (QRectF(0, high - px, wide, px), 0, 1),
        }[side]
        fade(painter, box, side, self.theme)
        reach = _EDGE_PX / 2 - 6
        tip_x, tip_y = box.center().x() + x * reach, box.center().y() + y * reach
        ends = [(tip_x - _ARROW * (x - sign * y), tip_y - _ARROW * (y - sign * x)) for sign in (-1, 1)]
        paint_marks(painter, [Path((ends[0], (tip_x, tip_y), ends[1]), "text", 2)], self.theme)

    def chip_rect(self, index: int) -> QRectF:
        """The rectangle of a token on the screen (px); empty for one that is not laid out."""
        return self._boxes[index].translated(-self._away) if index < len(self._boxes) else QRectF()

    def edges(self) -> tuple[Qt.Edge, ...]:
        """The edges beyond which there are more tokens."""
        before, behind = (Qt.Edge.TopEdge, Qt.Edge.BottomEdge) if self._wrap else (Qt.Edge.LeftEdge, Qt.Edge.RightEdge)
        more = self._boxes and (len(self._boxes) < self._n_chips() or self._shift < self._most_shift() - 0.5)
        return (*((before,) if self._shift > 0 else ()), *((behind,) if more else ()))

    def _n_chips(self) -> int:
        return 0 if self.picture is None else len(self.picture.chips)

    def _edge_at(self, place: QPoint) -> int:
        """The direction in which a click at a place scrolls: -1, 1, or 0 for none."""
        along, room = (place.y(), self.height()) if self._wrap else (place.x(), self.width())
        edges = self.edges()
        if edges and along < _EDGE_PX and edges[0] in (Qt.Edge.LeftEdge, Qt.Edge.TopEdge):
            return -1
        return 1 if edges and along >= room - _EDGE_PX and edges[-1] in (Qt.Edge.RightEdge, Qt.Edge.BottomEdge) else 0

    def scroll_by(self, px: float) -> None:
        """Scroll on by so many px, at most to the last token."""
        self._shift = max(self._shift + px, 0.0)
        self._place()
        self._shift = min(self._shift, self._most_shift())
        self.update()

    @property
    def _away(self) -> QPointF:
        return QPointF(0, self._shift) if self._wrap else QPointF(self._shift, 0)

    def chip_at(self, place: QPoint) -> int | None:
        for index, box in enumerate(self._boxes):
            if box.contains(QPointF(place) + self._away):
                return index
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self.chip_at(event.position().toPoint())
        pointed = NOTHING if index is None else self._describe(index)
        self.tell(event.globalPosition().toPoint(), pointed)

    def _describe(self, index: int) -> Pointed:
        assert self.picture is not None and self.words is not None  # A picture has been drawn.
        chip = self.picture.chips[index]
        text = self.words(
            "token.about", text=chip.text, id=chip.id, start=chip.start, end=chip.end, place=index, number=index + 1
        )
        if not chip.known:
            text += "\n" + self.words("token.unknown")
        if chip.merges:
            text += "\n" + self.words("token.merges", merges="  ›  ".join(chip.merges))
        return Pointed(text, frozenset({(self.picture.side, index)}))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        edge = self._edge_at(event.position().toPoint())
        if edge:
            self.scroll_by(edge * 0.8 * (self.height() if self._wrap else self.width()))
            return
        index = self.chip_at(event.position().toPoint())
        if index is not None:
            self.selected = index
            self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.selected if event.reason() == QContextMenuEvent.Reason.Keyboard else self.chip_at(event.pos())
        if index is not None and self.picture is not None and index < len(self.picture.chips) and self.picture.side:
            self.selected = index
            self.menu(index).popup(event.globalPos())

    def menu(self, index: int) -> QMenu:
        """The menu of a token: merge, split, add to the dictionary, change its vector, reset."""
        assert self.picture is not None and self.words is not None  # A picture has been drawn.
        chip, words = self.picture.chips[index], self.words
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if index + 1 < len(self.picture.chips):
            following = self.picture.chips[index + 1].text
            menu.addAction(words("token.merge", next=following)).triggered.connect(self._merge_selected)
        for at in range(chip.start + 1, min(chip.end, chip.start + 12)):
            left, right = self.picture.text[chip.start : at], self.picture.text[at : chip.end]
            action = menu.addAction(words("token.split", left=left, right=right))
            action.setData(at)
            action.triggered.connect(self._split_selected)
        menu.addAction(words("token.add_word")).triggered.connect(self._add_selected)
        menu.addSeparator()
        side = "encoder" if self.picture.side == "source" else "decoder"
        self.change_menu.add_to(menu, ChangePlace(f"{side}.embedding.output", None, index, 0), words)
        menu.addAction(words("token.reset")).triggered.connect(self._reset)
        return menu

    def _merge_selected(self) -> None:
        self._ask("merge")

    def _split_selected(self) -> None:
        action = self.sender()
        self._ask("split", int(action.data()))  # type: ignore[attr-defined]  # The sender is the menu's QAction.

    def _add_selected(self) -> None:
        if self.picture is not None and self.picture.chips:
            chip = self.picture.chips[self.selected]
            self.wished.emit(AddWord(self.picture.text[chip.start : chip.end]))

    def _reset(self) -> None:
        self._ask("reset")

    def _ask(self, action: str, at: int = 0) -> None:
        if self.picture is not None and self.picture.chips:
            self.wished.emit(CutTokens(self.picture.side, action, self.selected, at))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.picture is None or not self.picture.chips:
            super().keyPressEvent(event)
            return
        chip = self.picture.chips[self.selected]
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                step = 1 if event.key() == Qt.Key.Key_Right else -1
                self._select(self.selected + step)
            case Qt.Key.Key_M | Qt.Key.Key_S | Qt.Key.Key_R if not self.picture.side:
                super().keyPressEvent(event)
            case Qt.Key.Key_M if self.selected + 1 < len(self.picture.chips):
                self._merge_selected()
            case Qt.Key.Key_S if chip.end - chip.start > 1:
                self._ask("split", (chip.start + chip.end) // 2)
            case Qt.Key.Key_R:
                self._reset()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _:
                super().keyPressEvent(event)

    def _select(self, index: int) -> None:
        self.selected = min(max(index, 0), len(self.picture.chips) - 1 if self.picture is not None else 0)
        self._place(self.selected)
        box = self._boxes[self.selected]
        first, last, room = (
            (box.top(), box.bottom() + 4, self.height()) if self._wrap else (box.left(), box.right(), self.width())
        )
        self._shift = min(max(self._shift, last - room), first)
        self._place()
        self.tell_by_keys(self._describe(self.selected))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._most_shift() == 0:
            event.ignore()
            return
        self.scroll_by(-0.6 * (event.angleDelta().y() or event.angleDelta().x()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_anew()
