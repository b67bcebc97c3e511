"""How a River is painted, and what lies where on it.

All that does not follow the mouse is an image, over which lie accents and the explanation. For an answer that was foreseen the
compute thread has painted it. Otherwise the picture is painted directly the first time, and its image is made when it is shown
again, because something is pointed at or columns slide.
"""

from collections.abc import Callable
from functools import partial

import attrs
import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.figure.kinds import in_words
from explorer.picture.marks import AccentedLine
from explorer.picture.river.drawn_river import DrawnRiver, drawn_apart, drawn_river
from explorer.picture.river.grid import RiverGrid, columns_of
from explorer.picture.river.hit import place_in_river, place_inside
from explorer.picture.river.inside_grid import Inside
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.meant import meant_rects
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import Pointing, has_lanes, of_spots, pointing_at, spots_of
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn
from explorer.picture.theme import Theme
from explorer.views.painting.marks import make_images, paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed, Spot
from explorer.views.painting.river_image import Paper, base_image, paint_base, paint_image
from explorer.views.painting.sliding import Sliding
from explorer.views.painting.spoken import say_only
from explorer.views.painting.surface import Surface

_EMPTY = Drawn(())
_MEANT_PX = 2.0  # the outline of what a lesson speaks of


@attrs.frozen(eq=False)
class PaintedRiver:
    """A River drawn, and the image of it on a Paper."""

    drawn: DrawnRiver
    paper: Paper
    image: QImage


def _painted_river(river: River, words: Words, draw: Callable[[River, Words], DrawnRiver], paper: Paper) -> PaintedRiver:
    drawn = draw(river, words)
    make_images(drawn.over.scene, paper.theme, paper.ratio)
    return PaintedRiver(drawn, paper, base_image(drawn.base, paper))


class RiverSurface(Surface):
    """A River, painted, with what lies at each point of it.

    Signals: pointed(Pointed) when the mouse moves over something or leaves; laid_out() when columns may stand elsewhere.
    """

    draws_in_px = True

    laid_out = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picture: River | None = None
        self.pointing: Pointing | None = None  # None: nothing is pointed at
        self.pinned: Pointing | None = None  # what stays when the mouse leaves
        self._drawn: DrawnRiver | None = None
        self._over = _EMPTY
        self._image: tuple[Paper, QImage] | None = None  # the picture without what follows the mouse, if it was painted so
        self._shown = False  # whether the picture was painted before
        self._mouse: QPointF | None = None
        self._meant: tuple[str, ...] = ()  # the columns that a lesson speaks of
        self.motion = Sliding(self.update, self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(600, 370)

    def beforehand(self) -> Callable[[River, Words], PaintedRiver] | None:
        """What draws and paints the next river for this view, on any thread; None as long as the view has drawn none."""
        if self._drawn is None or self.pinned is not None:
            return None
        draw = partial(drawn_apart, room=self._room, kept=self._drawn.kept.copy(), kept_over=self._drawn.kept_over.copy())
        return partial(_painted_river, draw=draw, paper=self._paper)

    def draw(self, picture: River, words: Words, painted: PaintedRiver | None = None) -> None:
        """Show a River; `painted` is what was made `beforehand`, which is used if it is of this river in this room."""
        if self.picture is not None and [h.groups for h in self.picture.halves] != [h.groups for h in picture.halves]:
            self.pinned = None  # Its lane is another one now.
        self.picture, self.words = picture, words
        if self.picture is not None and self.pinned is not None and not has_lanes(self.picture, self.pinned):
            self.pinned = None  # Its token is gone.
        pointed, self.pointing = self.pointing, self.pinned
        self._lay_out(painted)
        if self._mouse is not None:  # What lies there now may be something else.
            self._point_at(self._mouse)
        if pointed is not None or self.pointing is not None:
            self.pointed.emit(self.told(self.pointing))  # What was told of the last picture may be wrong now.

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._shown, self._image = False, None

    def light(self, tokens: frozenset[Spot]) -> None:
        """Let the lanes of these tokens stand out."""
        if tokens != self.lit:
            self.lit = tokens
            if self.picture is not None and (self.pointing is None or self.pointing.place is None):
                self._point(of_spots(self.picture, tokens))

    def enlarge_letters(self, times: float) -> None:
        super().enlarge_letters(times)
        self._lay_out()

    @property
    def grid(self) -> RiverGrid | None:
        """Where everything stands; None without a picture."""
        return None if self._drawn is None else self._drawn.grid

    @property
    def explanation(self) -> str:
        """The sentence at the bottom."""
        return next((item.text for item in reversed(self._over.scene) if isinstance(item, AccentedLine)), "")

    @property
    def _inside(self) -> Inside | None:
        """Where everything of an opened block stands; None while none is open."""
        return None if self._drawn is None else self._drawn.inside

    @property
    def _base(self) -> Drawn:
        return _EMPTY if self._drawn is None else self._drawn.base

    @property
    def _room(self) -> tuple[int, int]:
        """Width and height for a river (px)."""
        return round(self.wide), round(self.high)

    @property
    def _paper(self) -> Paper:
        """What the view is painted on now."""
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        return Paper(self.theme, QFont(self.font()), size.width(), size.height(), ratio * self.larger)

    def _lay_out(self, painted: PaintedRiver | None = None) -> None:
        if self.picture is None or self.words is None or not self.picture.halves or self.wide < 50:
            return
        before = self._edges()
        wanted = self.picture, self.words, self._room
        drawn, image = (None, None) if painted is None else (painted.drawn, (painted.paper, painted.image))
        if drawn is None or self.pointing is not None or (drawn.river, drawn.words, drawn.room) != wanted:
            kept, kept_over = (KeptMarks(), KeptMarks()) if self._drawn is None else (self._drawn.kept, self._drawn.kept_over)
            drawn, image = drawn_river(*wanted, kept, kept_over, self.pointing), None
        self._drawn, self._image, self._shown = drawn, image, False
        self._lay_over(drawn.over)
        after = self._edges()
        if before is not None and after is not None and before[0] == after[0]:  # A river of the same model in the same room.
            self.motion.start(before[1], after[1])
        self.laid_out.emit()

    def _edges(self) -> tuple[object, list[float]] | None:
        """What must be alike for columns to move, and where their edges are (px)."""
        if self.grid is None or self.picture is None:
            return None
        slabs = [slab for half in self.grid.halves for slab in half.slabs]
        edges = [0.0, *(slab.x for slab in slabs), slabs[-1].x + slabs[-1].wide, float(self.grid.width)]
        return (len(slabs), self.picture.opened is None, self.grid.width, self.grid.height), sorted(edges)

    @property
    def columns(self) -> dict[str, tuple[float, float]] | None:
        """Where every Block of the architecture stands (px); None while one of them is open and has all the width."""
        return None if self.grid is None or self._inside is not None else columns_of(self.grid)

    def _draw_over(self) -> None:
        if self._drawn is not None:
            self._lay_over(self._drawn.pointed_at(self.pointing))

    def _lay_over(self, over: Drawn) -> None:
        """Let this lie over the picture, its sentence read aloud."""
        self._over = over
        self.setAccessibleDescription(self.explanation)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setBackground(QColor(self.theme.window))  # Labels are drawn for this background.
            painter.scale(self.larger, self.larger)
            paper = self._paper
            if self.motion.runs:
                self.motion.paint(painter, self._painted(paper))
                return
            if self._shown or (self._image is not None and self._image[0] == paper):
                paint_image(painter, self._painted(paper))
            else:
                paint_base(painter, self._base, paper)
            self._shown = True
            self.paint(painter, event.rect())

    def _painted(self, paper: Paper) -> QImage:
        """The image of all that does not follow the mouse."""
        if self._image is None or self._image[0] != paper:
            self._image = paper, base_image(self._base, paper)
        return self._image[1]

    def mean(self, columns: tuple[str, ...]) -> None:
        """Outline the columns that a lesson speaks of, by the names of `picture.river.meant`."""
        if columns != self._meant:
            self._meant = columns
            self.update()

    def paint(self, painter: QPainter, part: QRect) -> None:
        paint_marks(painter, self._over.scene, self.theme)
        if self._meant and self.grid is not None:
            painter.setPen(QPen(QColor(self.theme.accent), _MEANT_PX))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for room in meant_rects(self._meant, self.grid, self._inside):
                painter.drawRoundedRect(QRectF(room.x, room.y, room.wide, room.high), 4, 4)
        self.paint_focus(painter)

    # Pointing

    def place_at(self, point: QPointF) -> Place | None:
        """What lies at a point: of a map the pair, of a band its pair."""
        if self.picture is None or self.grid is None:
            return None
        if self._inside is not None:
            return place_inside(self.picture, self._inside, self._over, point.x(), point.y())
        return place_in_river(self.picture, self.grid, (self._base, self._over), point.x(), point.y())

    def _pointing_at(self, place: Place | None) -> Pointing | None:
        if self.picture is None or place is None:
            return None
        return pointing_at(self.picture, place, opened=self._inside is not None)

    def _point(self, pointing: Pointing | None) -> None:
        if pointing != self.pointing:
            self.pointing = pointing
            self._draw_over()

    def told(self, pointing: Pointing | None) -> Pointed:
        """What the status line says: the pair's weight, tap, place and shape."""
        river = self.picture
        if river is None or pointing is None or river.focus is None or river.focus.weights is None:
            return NOTHING
        spots = spots_of(river, pointing)
        pair, place = pointing.pair, pointing.place
        if place is not None and place.kind == "block":
            block = next((b for b in river.blocks() if (b.attention, b.layer) == (place.attention, place.layer)), None)
            return Pointed("" if block is None else block.tap, spots)
        if place is not None and place.kind == "head" and self._inside is None:
            block = next(b for b in river.blocks() if (b.attention, b.layer) == (place.attention, place.layer))
            return Pointed(f"{block.tap}[{place.head}]", spots)
        if pair is None or (place is not None and place.kind == "candidate"):
            return Pointed("", spots)  # The sentence stands below the river already.
        value = float(river.focus.drawn[pair]) if river.focus.drawn is not None else np.nan
        head = {"": river.head, "layer": "mean", "layer_max": "max"}[river.pooled]
        tap = f"{river.focus.tap}[{head}, {pair[0]}, {pair[1]}]"
        return Pointed(f"{tap} = {number(value)}   {river.caption.shape}", spots)

    def _point_at(self, point: QPointF) -> None:
        place = self.place_at(point)
        pointing = self._pointing_at(place) or self.pinned
        if pointing != self.pointing:
            self._point(pointing)
            self.lit = frozenset() if pointing is None or self.picture is None else spots_of(self.picture, pointing)
            self.pointed.emit(self.told(pointing))
        self.setCursor(Qt.CursorShape.PointingHandCursor if place is not None else Qt.CursorShape.ArrowCursor)

    def left(self) -> None:
        self._mouse = None
        self._point(self.pinned)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the whole picture to who comes to it; its description is the sentence at the bottom."""
        super().focusInEvent(event)
        if self.picture is not None and self.words is not None:
            say_only(self, in_words(self.picture, self.words))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
