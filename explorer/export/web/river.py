"""A River in a browser: the scene of the window, and what is highlighted while somebody points at each token."""

from collections.abc import Iterator
from html import escape

import attrs

from explorer.export.web.drawing import WebDrawing
from explorer.picture.figure.map import answering
from explorer.picture.figure.marks import write_marks
from explorer.picture.figure.river import HEIGHT, WIDTH
from explorer.picture.marks import Rect
from explorer.picture.river.draw import draw_over, draw_river
from explorer.picture.river.focus import map_rect
from explorer.picture.river.grid import RiverGrid, lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import pointing_at, usual
from explorer.picture.river.river import River
from explorer.picture.river.scene import Answering, HotRows
from explorer.picture.river.tell import tell

_MOST_TOKENS = 48  # of both sides together; more would make the file large


def draw_web_river(drawing: WebDrawing, river: River, top: float) -> None:
    """Draw a river that is not opened, with its tokens, heads, blocks and candidates as places that answer."""
    river = attrs.evolve(river, pools=())  # Buttons would do nothing here.
    grid = lay_out(river, WIDTH, HEIGHT)
    colours = Colours(river.unit_colours, river.signed_colours)
    base = draw_river(river, grid, drawing.words, colours, switched=False)
    drawing.add(
        f'<g transform="translate(0 {top:g})"><rect width="{WIDTH:g}" height="{HEIGHT:g}" fill="{drawing.theme.window}"/>'
    )
    write_marks(drawing, base.scene, images=True)
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
    else:
        return
    drawing.add(
        f'<rect class="hit" x="{rect.x:.1f}" y="{rect.y:.1f}" width="{rect.wide:.1f}" height="{rect.high:.1f}" {said}/>'
    )
