"""The river in the window: it answers to the mouse and the keys, and paints what it says."""

from concurrent.futures import ThreadPoolExecutor

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.figure.kinds import tables
from explorer.picture.figure.svg import render
from explorer.picture.makers.river import river
from explorer.picture.marks import Bands, Label
from explorer.picture.river.focus import map_rect
from explorer.picture.river.grid import RiverGrid
from explorer.picture.river.place import Place
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.state.look import Look
from explorer.trace.measures.measures import strongest_pair
from explorer.trace.tap_names import Cell
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.pictures.river import RiverView
from tests.picture.examples import ARCHITECTURES, LANGUAGES, asked, example
from tests.pixels import colours
from tests.pointing import hover

SIZE = (1172, 716)


def shown(qtbot: QtBot, words: Words, theme: Theme = LIGHT, size: tuple[int, int] = SIZE, **fields: object) -> RiverView:
    trace = asked("he likes it")
    look = attrs.evolve(Look(attention="decoder.cross_attn", layer=1, head=2, position=1), **fields)
    view = RiverView()
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.resize(*size)
    view.draw(river(trace, look, words), words)
    with qtbot.waitExposed(view):
        view.show()
    return view


def grid_of(view: RiverView) -> RiverGrid:
    assert view.grid is not None
    return view.grid


def heard(view: RiverView) -> list[Pointed]:
    told: list[Pointed] = []
    view.pointed.connect(told.append)
    return told


def chosen(view: RiverView) -> list[Place]:
    found: list[Place] = []
    view.chose.connect(found.append)
    return found


def labels(view: RiverView) -> list[str]:
    return [item.text for item in (*view._base.scene, *view._over.scene) if isinstance(item, Label)]


def test_all_four_parts_are_there(qtbot: QtBot, words: Words) -> None:
    """Tokens with their ids, the words that are written, candidates, and the sentence that tells the story."""
    view = shown(qtbot, words)
    said = labels(view)
    for text in ("我", "爱", "北京", "天安门", "2643"):
        assert text in said
    picture = view.picture
    assert picture is not None
    for word in picture.written.labels:
        assert word.removeprefix("␣") in said
    assert view.explanation and view.accessibleDescription() == view.explanation


def test_what_was_drawn_beforehand_is_what_the_view_draws(qtbot: QtBot, words: Words) -> None:
    """The same to the pixel, and taken over; another size, or something pinned, and the view draws by itself."""
    view = shown(qtbot, words)
    look = Look(attention="decoder.cross_attn", layer=1, head=2, position=1)
    picture, beforehand = river(asked("she likes tea"), look, words), view.beforehand()
    assert beforehand is not None
    with ThreadPoolExecutor(1) as another:  # It needs no window.
        painted = another.submit(beforehand, picture, words).result()
    view.draw(picture, words, painted)
    found = view.grab().toImage()
    assert view._drawn is painted.drawn and view._image is not None and view._image[1] is painted.image
    view.draw(picture, words)
    assert view._drawn is not painted.drawn and view.grab().toImage() == found
    assert view._image is None  # It was painted directly, and is the same.

    painted = beforehand(picture, words)
    view.set_theme(DARK)
    view.draw(picture, words, painted)
    dark = view.grab().toImage()
    view.draw(picture, words)
    assert found != dark == view.grab().toImage()

    again = view.beforehand()
    assert again is not None
    painted = again(picture, words)
    view.resize(SIZE[0] - 40, SIZE[1])
    view.draw(picture, words, painted)
    assert view._drawn is not painted.drawn and grid_of(view).width == SIZE[0] - 40
    place = grid_of(view).half("encoder")
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(place.label.x + 5), round(place.y(2))))
    assert view.pinned is not None and view.beforehand() is None


def test_two_rivers_drawn_beforehand_share_nothing_that_changes(qtbot: QtBot, words: Words) -> None:
    """Two answers may come before the view draws one: each has what was kept for itself."""
    view = shown(qtbot, words)
    beforehand = view.beforehand()
    assert beforehand is not None and view.picture is not None
    one, other = (beforehand(view.picture, words).drawn for _ in range(2))
    assert len({id(each) for each in (one.kept, other.kept, one.kept_over, other.kept_over)}) == 4
    assert one.base.ground is other.base.ground  # It is the same shape in the same room, which was painted already.


def test_pointing_at_a_token_tells_where_it_flows(qtbot: QtBot, words: Words) -> None:
    """Its lane and its bands stand out in every block, and it lights up in the other views; leaving ends it."""
    view = shown(qtbot, words)
    told = heard(view)
    place = grid_of(view).half("encoder")
    before = view.explanation
    hover(view, QPoint(round(place.label.x + 5), round(place.y(2))))
    assert told[-1].tokens == {("source", 2)}
    assert "北京" in view.explanation and view.explanation != before
    assert any(isinstance(item, Bands) and item.colour == "accent" for item in view._over.scene)
    view.leaveEvent(None)  # type: ignore[arg-type]  # The view asks nothing of it.
    assert told[-1] == NOTHING and view.explanation == before


def test_pointing_at_a_cell_of_the_map_tells_its_weight(qtbot: QtBot, words: Words) -> None:
    """Value, tap, indices and shape, as recorded."""
    view = shown(qtbot, words)
    told = heard(view)
    assert view.picture is not None
    rect = map_rect(view.picture, grid_of(view))
    answers = view.picture.half_of("decoder.cross_attn", "key").n
    asks = view.picture.half_of("decoder.cross_attn", "query").n
    hover(view, QPoint(round(rect.x + rect.wide * 2.5 / answers), round(rect.y + rect.high * 1.5 / asks)))
    weight = asked("he likes it")["decoder.layers.1.cross_attn.weights"][2, 1, 2]
    assert told[-1].text.startswith(f"decoder.layers.1.cross_attn.weights[2, 1, 2] = {weight:.4g}")
    assert told[-1].text.endswith(view.picture.caption.shape)
    # Row 1 is named after the word that it writes, which is the target's token 2; its chip lights up.
    assert told[-1].tokens == {("target", 2), ("source", 2)}


def test_pointing_at_a_head_shows_its_bands(qtbot: QtBot, words: Words) -> None:
    """Of a head of another block all its bands stand out there, and the sentence tells what it looks at most."""
    view = shown(qtbot, words)
    told, before = heard(view), view.explanation
    attention, room = grid_of(view).half("encoder").slabs[0].heads[0]
    hover(view, QPoint(round(room.x + 3), round(room.y + 3)))
    assert told[-1].text == "encoder.layers.0.self_attn.weights[0]"
    assert view.picture is not None
    block = next(each for each in view.picture.blocks() if (each.attention, each.layer) == (attention, 0))
    assert block.weights is not None
    weights = np.nan_to_num(block.weights[0])
    np.fill_diagonal(weights, 0)
    [bands] = [item for item in view._over.scene if isinstance(item, Bands)]
    assert bands.colour == "accent" and len(bands.y0) == (weights >= 0.05).sum()
    query, key = strongest_pair(block.weights[0])
    half = view.picture.half_of(attention, "query")
    assert half.labels[query] in view.explanation and half.labels[key] in view.explanation != before
    assert f"{100 * weights[query, key]:.0f}%" in view.explanation


def test_a_band_is_found_where_it_is_painted(qtbot: QtBot, words: Words) -> None:
    """Where the heaviest band of the block that is looked at leaves the lane of its key."""
    view = shown(qtbot, words)
    assert view.picture is not None and view.picture.focus is not None and view.picture.focus.drawn is not None
    key = int(np.nanargmax(view.picture.focus.drawn)) % view.picture.focus.drawn.shape[1]
    grid = grid_of(view)
    zone = grid.half("decoder").slabs[1].zone("cross_attn")
    found = view.place_at(QPointF(zone.x - 24, grid.half("encoder").y(key)))
    assert found is not None and (found.kind, found.attention, found.layer, found.key) == ("pair", "decoder.cross_attn", 1, key)


@pytest.mark.parametrize(
    ("key", "place"),
    [
        (Qt.Key.Key_3, Place("head", attention="decoder.cross_attn", layer=1, head=3)),
        (Qt.Key.Key_Left, Place("block", attention="decoder.self_attn", layer=1)),
        (Qt.Key.Key_Right, Place("block", attention="decoder.cross_attn", layer=1)),
        (Qt.Key.Key_Down, Place("step", side="target", index=2)),
        (Qt.Key.Key_Home, Place("step", side="target", index=0)),
        (Qt.Key.Key_End, Place("step", side="target", index=2)),
        (Qt.Key.Key_Return, Place("open")),
    ],
)
def test_keys_choose(qtbot: QtBot, words: Words, key: Qt.Key, place: Place) -> None:
    """Digits a head, arrows a block or a step; a head that is not there is none."""
    view = shown(qtbot, words)
    found = chosen(view)
    QTest.keyClick(view, key)
    assert found == [place]
    QTest.keyClick(view, Qt.Key.Key_9)
    assert found == [place]


def test_a_click_chooses_what_is_there(qtbot: QtBot, words: Words) -> None:
    """A thumbnail its head, a word its step, a candidate itself."""
    view = shown(qtbot, words)
    found, grid = chosen(view), grid_of(view)
    attention, room = grid.half("decoder").slabs[0].heads[1]
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(room.x + 3), round(room.y + 3)))
    assert found[-1] == Place("head", attention=attention, layer=0, head=0)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(grid.out.x + 8), round(grid.halves[-1].y(2))))
    assert found[-1] == Place("step", side="target", index=2)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(grid.candidates.x + 30), round(grid.candidates.y + 4)))
    assert found[-1] == Place("candidate", index=0)


@pytest.mark.parametrize("opened", ["attention", "feed_forward"])
def test_an_opened_block_closes_by_escape(qtbot: QtBot, words: Words, opened: str) -> None:
    """Escape belongs to the block then, and not to the computation; Enter opens its page."""
    view = shown(qtbot, words, opened=opened, side="decoder")
    found = chosen(view)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert found == [Place("close")]
    with qtbot.waitSignal(view.opened):
        QTest.keyClick(view, Qt.Key.Key_Return)


def test_an_opened_head_writes_a_cell_out(qtbot: QtBot, words: Words) -> None:
    """Sum, quotient, power and share are those of the recorded tensors."""
    view = shown(qtbot, words, opened="attention")
    trace = asked("he likes it")
    base = "decoder.layers.1.cross_attn"
    weights = trace[f"{base}.weights"][2]
    query, key = 1, int(weights[1].argmax())
    said = labels(view)
    score = float(trace[f"{base}.query"][2, query].astype(np.float64) @ trace[f"{base}.key"][2, key].astype(np.float64))
    assert f"{score:.4g}".replace("-", "−") in said
    scaled = score / np.sqrt(16)
    assert f"{scaled:.4g}".replace("-", "−") in said
    assert f"{float(weights[query, key]):.3f}" in said


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_model_is_painted(qtbot: QtBot, architecture: str, language: str, theme: Theme) -> None:
    """In both languages and themes, at three sizes, without a warning; the accent is there."""
    said = Words.load(language)
    trace = example(architecture)
    view = RiverView()
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.draw(river(trace, Look().fitted(trace), said), said)
    for size in ((804, 520), SIZE, (2272, 1240)):
        view.resize(*size)
        found = colours(view.grab().toImage(), every=3)
        assert QColor(theme.accent).name() in found and len(found) > 100


def test_the_file_shows_the_same_scene(qtbot: QtBot, words: Words) -> None:
    """Every label of the window is in the SVG, and its numbers are in the tables."""
    view = shown(qtbot, words)
    assert view.picture is not None
    drawn = render(view.picture, words)
    for label in ("北京", "天安门"):
        assert label in drawn
    found = {table.name: table.values for table in tables(view.picture)}
    trace = asked("he likes it")
    for name in ("encoder.layers.0.self_attn.weights", "decoder.layers.1.cross_attn.weights", "encoder.embedding.output"):
        assert np.array_equal(found[name], trace[name])  # type: ignore[arg-type]  # None of them is remade.


def test_tokens_lit_elsewhere_light_their_lanes(qtbot: QtBot, words: Words) -> None:
    """And go out again."""
    view = shown(qtbot, words)
    before = view.explanation
    view.light(frozenset({("source", 3)}))
    assert "天安门" in view.explanation and view.explanation != before
    view.light(frozenset())
    assert view.explanation == before


def test_a_click_pins_a_token_and_escape_lets_it_go(qtbot: QtBot, words: Words) -> None:
    """It stays lit while the mouse is elsewhere; another click on it lets it go too."""
    view = shown(qtbot, words)
    usual, place = view.explanation, grid_of(view).half("encoder")
    token = QPoint(round(place.label.x + 5), round(place.y(2)))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=token)
    hover(view, QPoint(3, 3))
    view.leaveEvent(None)  # type: ignore[arg-type]  # The view asks nothing of it.
    assert "北京" in view.explanation and view.explanation != usual
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.explanation == usual
    for _ in range(2):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=token)
    view.leaveEvent(None)  # type: ignore[arg-type]  # The view asks nothing of it.
    assert view.explanation == usual


def test_a_weight_can_be_followed(qtbot: QtBot, words: Words) -> None:
    """By F the one that stands out, by a double click on the map's cell, by a click on a cell of an opened block."""
    view = shown(qtbot, words)
    found: list[Cell] = []
    view.followed.connect(found.append)
    assert view.picture is not None and view.picture.focus is not None and view.picture.focus.drawn is not None
    QTest.keyClick(view, Qt.Key.Key_F)
    key = int(view.picture.focus.drawn[1].argmax())
    assert found == [Cell("decoder.cross_attn", 1, 2, 1, key)]
    rect = map_rect(view.picture, grid_of(view))
    place = QPoint(round(rect.x + 0.1 * rect.wide), round(rect.y + 0.9 * rect.high))
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert found[-1] == Cell("decoder.cross_attn", 1, 2, 2, 0)
    opened = shown(qtbot, words, opened="attention")
    opened.followed.connect(found.append)
    assert opened._inside is not None
    cells = opened._inside.cells("weights")
    QTest.mouseClick(opened, Qt.MouseButton.LeftButton, pos=QPoint(round(cells.x + 3), round(cells.y + 0.5 * cells.high)))
    assert found[-1] == Cell("decoder.cross_attn", 1, 2, 1, 0)
