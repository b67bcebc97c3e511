"""A drawing for a browser, and a River in it: light or dark as the reader's system is, with cells and tokens that answer.

Decision: one SVG whose colours are CSS variables, with each image of cells in a light and a dark version. Rejected: the whole
figure twice, which doubles the file, and painting by script, which shows nothing where scripts are not run.
"""

import base64
import json
from collections.abc import Iterator
from html import escape
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.figure import elements as element
from explorer.picture.figure.drawing import AnsweringMap, Drawing, opaque
from explorer.picture.figure.elements import image
from explorer.picture.figure.map_figures import answering
from explorer.picture.figure.marks import write_marks
from explorer.picture.figure.png import encode_small
from explorer.picture.figure.river import HEIGHT, WIDTH
from explorer.picture.kinds import Axis
from explorer.picture.marks import Box, Rect
from explorer.picture.river.draw import draw_over, draw_river
from explorer.picture.river.focus import map_rect
from explorer.picture.river.grid import RiverGrid, lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import pointing_at, usual
from explorer.picture.river.river import River
from explorer.picture.river.scene import Answering, HotRows
from explorer.picture.river.tell import tell
from explorer.picture.scales import palette
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.trace.tap_names import Cell, place_of

_MOST_TOKENS = 48  # of both sides together; more would make the file large
_OWN = ("name", "signed_colours", "tiles", "on_dark", "on_light", "heads")  # No single colours of the page, or on data.
_MOST_CELLS = 2**16  # A map with more cells is shown without its values.
NAMES = tuple(field.name for field in attrs.fields(Theme) if field.name not in _OWN)
_VARIABLES: dict[str, Any] = {name: f"var(--{name.replace('_', '-')})" for name in NAMES}
WEB = attrs.evolve(LIGHT, heads=tuple(f"var(--head-{place})" for place in range(len(LIGHT.heads))), **_VARIABLES)
"""The theme whose colours are CSS variables."""


def variables(theme: Theme) -> str:
    """The CSS variables of a theme."""
    heads = "".join(f"--head-{place}:{colour};" for place, colour in enumerate(theme.heads))
    return "".join(f"--{name.replace('_', '-')}:{getattr(theme, name)};" for name in NAMES) + heads


class WebDrawing(Drawing):
    """A drawing with `places`, which are maps whose cells answer, as JSON values.

    `overs` are the SVG elements that are highlighted while a token is pointed at, by "source:3"; "" has those that are
    highlighted otherwise. `signed_by_theme` is True if signed numbers have other colours in the dark. It is False if numbers
    are written on them, whose ink is the same in both.
    """

    only_images = True

    def __init__(self, words: Words, *, signed_by_theme: bool = False) -> None:
        super().__init__(WEB, words)
        self.signed_by_theme = signed_by_theme
        self.places: list[dict[str, Any]] = []
        self.overs: dict[str, str] = {}

    def image(self, index: NDArray[np.uint8], colours: str, cells: Rect, opacity: float = 1) -> None:
        """Add cells in both versions, a pixel each; the page says that pixels are not smoothed."""
        for theme in (LIGHT, DARK):
            png = encode_small(index, palette(self._in(theme, colours), theme))
            self.add(image(png, cells, f'{opaque(opacity)} class="{theme.name}"'), cells.right, cells.bottom)

    def _in(self, theme: Theme, colours: str) -> str:
        """The colour table that stands for `colours` in a theme: some are declared once for each."""
        for name in ("tiles", "signed_colours") if self.signed_by_theme else ("tiles",):
            if colours == getattr(LIGHT, name):
                return str(getattr(theme, name))
        return colours

    def answer(self, place: AnsweringMap) -> None:
        """Let the cells of a map show their values."""
        if place.values.size > _MOST_CELLS:
            return
        (rows, columns), cells, where = place.values.shape, place.cells, place_of(place.caption.tap)
        self.places.append(
            {
                "x": round(cells.x, 2),
                "y": round(cells.y, 2),
                "w": round(cells.wide / columns, 3),
                "h": round(cells.high / rows, 3),
                "rows": _axis(place.rows, rows),
                "columns": _axis(place.columns, columns),
                "values": base64.b64encode(place.values.astype("<f4").tobytes()).decode("ascii"),
                "title": place.caption.title,
                "tap": place.caption.tap,
                "reason": place.reason,
                "of": [where.side, where.layer, place.head],
            }
        )


def _axis(axis: Axis, size: int) -> dict[str, Any]:
    return {"n": size, "labels": axis.labels, "side": axis.side, "shift": axis.shift}


def draw_web_river(drawing: WebDrawing, river: River, top: float) -> None:
    """Draw a river that is not opened, with its tokens, heads, blocks and candidates as places that answer."""
    river = attrs.evolve(river, pools=())  # Buttons would do nothing here.
    grid = lay_out(river, WIDTH, HEIGHT)
    colours = Colours(river.unit_colours, river.signed_colours)
    base = draw_river(river, grid, drawing.words, colours, switched=False)
    drawing.add(f'<g transform="translate(0 {top:g})">')
    write_marks(drawing, (Box(Rect(0, 0, WIDTH, HEIGHT), "window"), *base.scene), images=True)
    usually = _over(drawing, river, grid, None)
    drawing.add(f'<g class="over">{usually}</g>')
    places = [each for hot in base.hot for each in _places(hot)]
    tokens = dict.fromkeys(place for _rect, place in places if place.kind == "token")
    if len(tokens) <= _MOST_TOKENS:
        drawing.overs[""] = usually
        drawing.overs |= {f"{place.side}:{place.index}": _over(drawing, river, grid, place) for place in tokens}
    for rect, place in places:
        _hit(drawing, river, rect, place)
    drawing.add("</g>", WIDTH, top + HEIGHT)
    if river.map is not None and river.map.levels is None:
        cells = map_rect(river, grid)
        drawing.answer(answering(river.map, attrs.evolve(cells, y=top + cells.y)))


def _over(drawing: WebDrawing, river: River, grid: RiverGrid, place: Place | None) -> str:
    """The highlighted SVG elements for a token; None: while nothing is pointed at."""
    over = WebDrawing(drawing.words, signed_by_theme=True)
    pointing = usual(river) if place is None else pointing_at(river, place, opened=False)
    write_marks(over, draw_over(river, grid, drawing.words, pointing).scene, images=True)
    return "\n".join(over.body)


def _places(hot: Answering) -> Iterator[tuple[Rect, Place]]:
    if not isinstance(hot, HotRows):
        yield hot.rect, hot.what
        return
    high = hot.rect.high / hot.count
    for row in range(hot.count):
        yield Rect(hot.rect.x, hot.rect.y + row * high, hot.rect.wide, high), hot.what(row)


def _hit(drawing: WebDrawing, river: River, rect: Rect, place: Place) -> None:
    """A place that answers: a token highlights its lane, all others show their sentence."""
    if place.kind in ("token", "vector"):
        said = f'data-token="{place.side}:{place.index}"'
    elif place.kind in ("head", "block", "candidate"):
        pointing = pointing_at(river, place, opened=False)
        seen = river.seen_by(place.attention, place.layer, place.head) if place.kind == "head" else river
        pieces = tell(seen, drawing.words, place, pointing.pair, pointing.source, pointing.target, short=True)
        said = f'data-say="{escape("".join(piece.text for piece in pieces))}"'
        if place.kind == "head":
            said += f' data-head="{escape(_selected(place))}"'
    else:
        return
    drawing.add(element.rect(rect, f'class="hit" {said}'))


def _selected(place: Place) -> str:
    """What a widget tells of a head that is clicked, as JSON."""
    tap = Cell(place.attention, place.layer, place.head, 0, 0).tap("weights")
    return json.dumps({"tap": tap, "selected": [place_of(tap).side, place.layer, place.head, None, None]})
