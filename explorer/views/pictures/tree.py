"""Draws a Tree: the tokens that beam search tried, from left to right. It folds, zooms and pans.

A click on a token continues the translation from there. Keys: arrows select, Enter chooses, Space folds, F folds all
branches that were given up, Plus, Minus and 0 zoom, the menu key opens the menu.
"""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

from explorer.lang import Words
from explorer.picture.decoding_kinds import Tree
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.tree import CHIP_PX, TreeLayout, layout, neighbour
from explorer.picture.layout.tree_marks import Emphasis, TreeMarks, chip_rect, control_rect
from explorer.picture.marks import Box
from explorer.picture.tree_branches import ROOT, best_places, describe, path
from explorer.views.painting.marks import paint_marks, qrect, rect_of
from explorer.views.painting.pan_zoom import PanZoom
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface
from explorer.views.painting.trackpad import by_fingers, moved_px, rolls_on
from explorer.views.pictures.tree_folds import Folds

_ZOOM = 1.25  # the factor of one notch of the wheel
_SCROLL = 60.0  # px of one notch sideways
_LEGIBLE = 0.42  # the smallest zoom at which chips show letters
_DRAG = 4.0  # px; a shorter movement is a click


class TreeView(Surface):
    """Shows a Tree.

    Signals: pointed(Pointed); chose(node) for the node of the Search to continue from, -1 for the beginning; opened() on
    Enter where no token is selected.
    """

    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.picture: Tree | None = None
        self.selected: int | None = None  # the branch that keys have selected
        self.here: int | None = None  # the branch under the mouse
        self.folds = Folds()
        self.pan_zoom = PanZoom()
        self._layout = TreeLayout({}, (), 0.0, 0.0)
        self._places: dict[int, int] = {}
        self._grabbed: QPointF | None = None
        self._moved = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 60)

    # Methods of every view

    def draw(self, picture: Tree, words: Words) -> None:
        before = None if self.picture is None or self.selected is None else self.folds.name(self.selected)
        self.tell_again()  # Another branch may be under the mouse now.
        self.picture, self.words, self.here = picture, words, None
        is_new = self.folds.draw(picture)
        self.selected = None if before is None else self.folds.find(before)
        self._places = best_places(picture)
        self._lay_out()
        if is_new:
            self.pan_zoom.home()
        self.setAccessibleName(picture.caption.title)
        described = in_words(picture, words)
        self.setAccessibleDescription(f"{described}\n{words(f'{picture.told_as}.hint')}" if picture.branches else described)

    def fit(self) -> None:
        """Show the whole tree."""
        self.pan_zoom.fit()
        self.update()

    # Places

    def chip_rect(self, branch: int) -> QRectF:
        """The rectangle of a chip (px); empty where it is folded away."""
        chip = self._layout.chips.get(branch)
        return QRectF() if chip is None else self.pan_zoom.on_screen(qrect(chip_rect(chip)))

    def control_rect(self, branch: int) -> QRectF:
        """The rectangle of a branch's handle (px); empty where it has none."""
        chip = self._layout.chips.get(branch)
        return QRectF() if chip is None or not chip.control else self.pan_zoom.on_screen(qrect(control_rect(chip)))

    def _measured(self, text: str, px: float) -> float:
        return self.measure(text, px, False)

    def _lay_out(self) -> None:
        if self.picture is not None:
            self._layout = layout(self.picture, self._measured, self.folds.folded)
            while self.selected not in (None, ROOT) and self.selected not in self._layout.chips:
                self.selected = self.folds.parent(self.selected)
            self.pan_zoom.hold(self._layout.width, self._layout.height)
            self.update()

    def _at(self, place: QPointF) -> tuple[int | None, bool]:
        """The branch at a point of the widget, and whether the point is on its handle."""
        at = self.pan_zoom.under(place)
        for branch, chip in self._layout.chips.items():
            if chip.top <= at.y() < chip.top + CHIP_PX and chip.left <= at.x() < chip.right:
                return branch, bool(chip.control) and control_rect(chip).holds(at.x(), at.y())
        return None, False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.pan_zoom.resize(self.width(), self.height())

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None:
            return
        pan_zoom = self.pan_zoom
        seen = pan_zoom.seen()
        marks = TreeMarks(self.picture, self.theme, self._emphasis(self.picture), pan_zoom.zoom >= _LEGIBLE)
        painter.save()
        painter.translate(pan_zoom.shift)
        painter.scale(pan_zoom.zoom, pan_zoom.zoom)
        paint_marks(painter, marks.of(self._layout, lambda rect: seen.intersects(qrect(rect))), self.theme)
        painter.restore()
        paint_marks(painter, [Box(rect_of(bar), "closed_line") for bar in pan_zoom.bars()], self.theme)
        self.paint_focus(painter)

    def _emphasis(self, picture: Tree) -> Emphasis:
        lit = frozenset(branch for branch, place in self._places.items() if ("target", place) in self.lit)
        walked = self.here if self.here is not None else self.selected if self.hasFocus() else None
        way = frozenset() if walked is None else frozenset((ROOT, *path(picture, walked)))
        return Emphasis(lit=lit, way=way, selected=self.selected if self.hasFocus() else None)

    # Folding and choosing

    def toggle(self, branch: int) -> None:
        """Fold or unfold a branch, which keeps its place on the screen."""
        before = self.chip_rect(branch).topLeft()
        if self.folds.toggle(branch):
            self._relaid(branch, before)

    def fold_dropped(self) -> None:
        """Fold every branch that the beam gave up."""
        self.folds.fold_dropped()
        self._relaid(ROOT, self.chip_rect(ROOT).topLeft())

    def unfold_all(self) -> None:
        self.folds.clear()
        self._relaid(ROOT, self.chip_rect(ROOT).topLeft())

    def _relaid(self, branch: int, before: QPointF) -> None:
        self.pan_zoom.stay()
        self._lay_out()
        self.pan_zoom.move(before - self.chip_rect(branch).topLeft())
        self.update()

    def _choose(self, branch: int) -> None:
        assert self.picture is not None  # There are branches.
        self.chose.emit(ROOT if branch == ROOT else self.picture.branches[branch].node)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        branch = self.selected if by_key else self._at(QPointF(event.pos()))[0]
        if self.words is None or not self._layout.chips:
            return
        self.selected = branch if branch is not None else self.selected
        where = self.chip_rect(branch).bottomLeft().toPoint() if by_key and branch is not None else event.pos()
        self.menu(branch).popup(self.mapToGlobal(where))

    def menu(self, branch: int | None) -> QMenu:
        """The menu of a token (None: of the whole tree alone)."""
        assert self.words is not None and self.picture is not None  # A tree has been drawn.
        words, menu = self.words, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if branch is not None:
            menu.addAction(words(f"{self.picture.told_as}.choose")).triggered.connect(self._choose_selected)
            if self.folds.can_fold(branch):
                count = self._layout.chips[branch].hidden
                text = words("tree.unfold", count=count) if count else words("tree.fold")
                menu.addAction(text).triggered.connect(self._toggle_selected)
            menu.addSeparator()
        menu.addAction(words("tree.fold_dropped")).triggered.connect(self.fold_dropped)
        menu.addAction(words("tree.unfold_all")).triggered.connect(self.unfold_all)
        menu.addAction(words("action.fit")).triggered.connect(self.fit)
        return menu

    def _choose_selected(self) -> None:
        if self.selected is not None:
            self._choose(self.selected)

    def _toggle_selected(self) -> None:
        if self.selected is not None:
            self.toggle(self.selected)

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed, self._moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is None:
            self._point(event)
            return
        step = event.position() - self._grabbed
        if self._moved or step.manhattanLength() > _DRAG:
            self._moved, self._grabbed = True, event.position()
            self.pan_zoom.move(step)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._grabbed is None:
            return
        self._grabbed = None
        branch, on_control = self._at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if branch is None else Qt.CursorShape.PointingHandCursor)
        if self._moved or branch is None:
            return
        self.selected = branch
        if on_control:
            self.toggle(branch)
        else:
            self._choose(branch)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole tree after a double click beside the tokens; on a token it counts as two clicks."""
        if self._at(event.position())[0] is None:
            self.fit()
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom as in the maps; scroll sideways with Shift or a wheel that turns sideways."""
        if self.wheel_is_the_pages(event):
            return
        if by_fingers(event) and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if not rolls_on(event):
                self.pan_zoom.move(moved_px(event))
                self.update()
            event.accept()
            return
        across, down = event.angleDelta().x() / 120, event.angleDelta().y() / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            across, down = across + down, 0.0
        if across:
            self.pan_zoom.move(QPointF(across * _SCROLL, 0))
        if down:
            self.pan_zoom.zoom_at(event.position(), _ZOOM**down)
        event.accept()
        self.update()

    def left(self) -> None:
        self.here = None

    def _point(self, event: QMouseEvent) -> None:
        branch, _on_control = self._at(event.position())
        if branch != self.here:
            self.here = branch
            self.setCursor(Qt.CursorShape.ArrowCursor if branch is None else Qt.CursorShape.PointingHandCursor)
            self.update()
        pointed = NOTHING if branch is None else self.describe(branch)
        self.tell(event.globalPosition().toPoint(), pointed)

    def describe(self, branch: int) -> Pointed:
        """The description of a branch; a token of the best sentence lights up in other views too."""
        if self.picture is None or self.words is None:
            return NOTHING
        text = describe(self.picture, branch, self.words)
        hidden = self._layout.chips[branch].hidden if branch in self._layout.chips else 0
        if hidden:
            text += "\n" + self.words("tree.folded", count=hidden)
        place = self._places.get(branch)
        return Pointed(text, frozenset() if place is None else frozenset({("target", place)}))

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._layout.chips or not (self._walked(event.key()) or self._commanded(event.key())):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.opened.emit()
            else:
                super().keyPressEvent(event)

    def _walked(self, key: int) -> bool:
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
        if key not in steps:
            return False
        across, down = steps[Qt.Key(key)]
        if self.selected is None:
            self._select(ROOT)
        elif across == 1 and self._layout.chips[self.selected].hidden:
            self.toggle(self.selected)
        else:
            self._select(neighbour(self._layout, self.selected, across, down))
        return True

    def _select(self, branch: int) -> None:
        self.selected, self.here = branch, None
        self.pan_zoom.reveal(self.chip_rect(branch).united(self.control_rect(branch)))
        self.tell_by_keys(self.describe(branch))

    def _commanded(self, key: int) -> bool:
        middle = QRectF(self.rect()).center()
        match key:
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.pan_zoom.zoom_at(middle, _ZOOM)
            case Qt.Key.Key_Minus:
                self.pan_zoom.zoom_at(middle, 1 / _ZOOM)
            case Qt.Key.Key_0:
                self.pan_zoom.fit()
            case Qt.Key.Key_F:
                self.fold_dropped()
            case Qt.Key.Key_Space if self.selected is not None:
                self.toggle(self.selected)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.selected is not None:
                self._choose(self.selected)
            case _:
                return False
        self.update()
        return True
