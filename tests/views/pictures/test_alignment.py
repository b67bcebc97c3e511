"""Alignment lines on screen: what is painted, what the mouse and the keys bring up, and long sentences."""

from html import unescape
from itertools import pairwise

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.alignment_lines import changeable
from explorer.picture.kinds import Alignment, Axis, Caption
from explorer.picture.layout.alignment import line_px
from explorer.picture.makers.alignment import alignment
from explorer.picture.scales import unit_scale
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.state.look import Look
from explorer.state.offers import ChangePlace
from explorer.trace.trace import Trace
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.pictures.alignment import AlignmentView
from tests.pointing import hover

SOURCE, TARGET = ("他", "在", "图书馆"), ("He", "is", "<b>", "<eos>")
VALUES = [[1.0, 0.0, 0.0], [0.0, 0.75, 0.25], [0.0, 0.5, 0.5], [np.nan, 0.0, 1.0]]


def picture(values: object = VALUES, rows: tuple[str, ...] = TARGET, columns: tuple[str, ...] = SOURCE) -> Alignment:
    return Alignment(
        values=np.array(values, np.float32),
        rows=Axis("writing", rows, "target"),
        columns=Axis("key", columns, "source"),
        scale=unit_scale("cividis"),
        caption=Caption(title="Alignment", tap="a.tap", shape="[query, key]"),
    )


def long_picture(n_rows: int = 41, n_columns: int = 47) -> Alignment:
    values = np.random.default_rng(0).dirichlet(np.full(n_columns, 0.1), n_rows)
    chinese = ("我", "朋友", "图书馆", "<unk>")
    return picture(values, tuple(f"␣word{i}" for i in range(n_rows)), tuple(chinese[i % 4] for i in range(n_columns)))


def shown(
    qtbot: QtBot, made: Alignment, words: Words, size: tuple[int, int] = (500, 300), theme: Theme = LIGHT
) -> AlignmentView:
    view = AlignmentView()
    qtbot.addWidget(view)
    view.setStyleSheet(f"background: {theme.card}")
    view.set_theme(theme)
    view.draw(made, words)
    view.resize(*size)
    with qtbot.waitExposed(view):
        view.show()
    hover(view, QPoint(1, size[1] // 2))
    return view


def grabbed(view: AlignmentView) -> QImage:
    return view.grab().toImage()


def on_line(view: AlignmentView, image: QImage, row: int, column: int, along: float = 0.3) -> QColor:
    """The pixel a part of the way down the line."""
    return image.pixelColor(view.line(row, column).pointAt(along).toPoint())


def distance(one: QColor, other: QColor) -> int:
    """The largest difference of a channel."""
    return max(abs(a - b) for a, b in zip(one.toTuple()[:3], other.toTuple()[:3], strict=True))


def heard(view: AlignmentView) -> list[Pointed]:
    told: list[Pointed] = []
    view.pointed.connect(told.append)
    return told


def centre(view: AlignmentView, side: str, place: int) -> QPoint:
    return view.token_rect((side, place)).center().toPoint()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_line_is_as_strong_as_its_weight(qtbot: QtBot, words: Words, theme: Theme) -> None:
    """Weight 1 is the accent itself, less is nearer to the ground, 0 and NaN are nothing at all."""
    view = shown(qtbot, picture(), words, theme=theme)
    image = grabbed(view)
    ground, accent = QColor(theme.card), QColor(theme.accent)
    assert distance(on_line(view, image, 0, 0), accent) <= 2
    assert distance(on_line(view, image, 0, 2, 0.15), ground) == 0
    assert distance(on_line(view, image, 3, 0, 0.1), ground) == 0
    strong, weak = (distance(on_line(view, image, 1, column, 0.6), ground) for column in (1, 2))
    assert strong > weak > 20
    assert distance(on_line(view, image, 1, 1, 0.6), accent) > 10


def test_a_picture_of_zeros_has_no_line(qtbot: QtBot, words: Words) -> None:
    """Between the rows of labels the ground alone; the check sees a single line when there is one."""
    empty = np.zeros((4, 3)).tolist()
    one = [[0, 0, 0.1], *empty[1:]]
    for values, painted in ((empty, False), (one, True)):
        view = shown(qtbot, picture(values), words)
        image = grabbed(view)
        pixels = {image.pixelColor(x, y).name() for x in range(5, 495) for y in range(60, 240, 10)}
        assert (pixels != {LIGHT.card}) == painted


def test_pointing_at_a_token_below_shows_its_lines_alone(qtbot: QtBot, words: Words) -> None:
    """Its weights stand in the hover text and the tooltip; the token lights up everywhere; leaving shows all again."""
    view = shown(qtbot, picture(), words)
    told = heard(view)
    hover(view, centre(view, "target", 1))
    assert told[-1].tokens == {("target", 1)}
    lines = told[-1].text.split("\n")
    assert lines[0] == "writing 1 is"
    assert lines[1:4] == ["→ 在  0.75", "→ 图书馆  0.25", "→ 他  0"]
    image = grabbed(view)
    assert distance(on_line(view, image, 0, 0), QColor(LIGHT.card)) == 0
    assert distance(on_line(view, image, 1, 1), QColor(LIGHT.card)) > 100
    assert unescape(QToolTip.text()).count("0.75") == 1

    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert told[-1] == NOTHING
    assert distance(on_line(view, grabbed(view), 0, 0), QColor(LIGHT.accent)) <= 2


def test_pointing_at_a_token_above_shows_who_looks_at_it(qtbot: QtBot, words: Words) -> None:
    """The other direction."""
    view = shown(qtbot, picture(), words)
    told = heard(view)
    hover(view, centre(view, "source", 2))
    assert told[-1].tokens == {("source", 2)}
    assert told[-1].text.split("\n")[:4] == ["key 2 图书馆", "← <eos>  1", "← <b>  0.5", "← is  0.25"]
    image = grabbed(view)
    assert distance(on_line(view, image, 0, 0), QColor(LIGHT.card)) == 0
    assert distance(on_line(view, image, 3, 2), QColor(LIGHT.accent)) <= 2


def test_pointing_at_a_line_shows_its_weight(qtbot: QtBot, words: Words) -> None:
    """Both its tokens light up; where weight is zero there is no line to point at."""
    view = shown(qtbot, picture(), words)
    told = heard(view)
    hover(view, view.line(0, 0).pointAt(0.4).toPoint())
    assert told[-1] == Pointed("1\nwriting 0 He  →  key 0 他\na.tap [query, key]", frozenset({("target", 0), ("source", 0)}))
    assert distance(on_line(view, grabbed(view), 1, 1), QColor(LIGHT.card)) == 0

    hover(view, QPoint(3, 150))
    assert told[-1] == NOTHING
    hover(view, view.line(0, 2).pointAt(0.12).toPoint())
    assert ("source", 2) not in told[-1].tokens


def test_a_token_that_looks_like_markup_stays_text_in_the_tooltip(qtbot: QtBot, words: Words) -> None:
    """ "<b>" is a token, not bold."""
    view = shown(qtbot, picture(), words)
    hover(view, centre(view, "target", 2))
    assert "&lt;b&gt;" in QToolTip.text() and "<b>" not in QToolTip.text()


def test_a_token_that_lights_up_elsewhere_shows_its_lines(qtbot: QtBot, words: Words) -> None:
    """The reverse: a lit target token, a pair, a token of a longer sentence, and none."""
    view = shown(qtbot, picture(), words)
    ground = QColor(LIGHT.card)
    whole = grabbed(view)
    for lit, seen, gone in (
        ({("target", 1)}, (1, 1), (0, 0)),
        ({("source", 0)}, (0, 0), (1, 1)),
        ({("source", 1), ("target", 2)}, (2, 1), (1, 1)),
    ):
        view.light(frozenset(lit))
        image = grabbed(view)
        assert distance(on_line(view, image, *seen), ground) > 60
        assert distance(on_line(view, image, *gone), ground) == 0
        assert image != whole
    for nothing_here in (frozenset({("target", 99)}), frozenset()):
        view.light(nothing_here)
        assert grabbed(view) == whole


def test_a_lit_token_is_marked_by_more_than_colour(qtbot: QtBot, words: Words) -> None:
    """A bar between label and lines."""
    view = shown(qtbot, picture(), words)
    view.light(frozenset({("source", 1)}))
    box = view.token_rect(("source", 1))
    assert grabbed(view).pixelColor(int(box.center().x()) - 3, int(box.bottom()) + 2).name() == LIGHT.accent


def test_arrow_keys_walk_the_tokens(qtbot: QtBot, words: Words) -> None:
    """Right begins with the first below and stops at the last; up and down change the row; 0 shows all; Enter opens."""
    view = shown(qtbot, picture(), words)
    view.setFocus()
    told = heard(view)
    places = []
    for _ in range(6):
        QTest.keyClick(view, Qt.Key.Key_Right)
        (spot,) = told[-1].tokens
        places.append(spot)
    assert places == [("target", 0), ("target", 1), ("target", 2), ("target", 3), ("target", 3), ("target", 3)]
    assert "<eos>" in told[-1].text
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert told[-1].tokens == {("target", 2)}
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert told[-1].tokens == {("source", 2)}
    QTest.keyClick(view, Qt.Key.Key_Left)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert told[-1].tokens == {("target", 1)}
    assert distance(on_line(view, grabbed(view), 0, 0), QColor(LIGHT.card)) == 0

    QTest.keyClick(view, Qt.Key.Key_0)
    assert told[-1] == NOTHING
    assert distance(on_line(view, grabbed(view), 0, 0), QColor(LIGHT.accent)) <= 2
    with qtbot.waitSignal(view.opened):
        QTest.keyClick(view, Qt.Key.Key_Return)


def test_it_says_itself_to_those_who_do_not_see_it(qtbot: QtBot, words: Words) -> None:
    """Title as the name, each token with the one it looks at most as the description; keys reach it."""
    view = shown(qtbot, picture(), words)
    assert view.accessibleName() == "Alignment"
    assert view.accessibleDescription() == "[query, key] He → 他 1; is → 在 0.75; <b> → 在 0.5; <eos> → 图书馆 1"
    assert view.focusPolicy() == Qt.FocusPolicy.StrongFocus


@pytest.mark.parametrize("size", [(500, 300), (300, 200), (1200, 500), (120, 100)])
@pytest.mark.parametrize("made", [picture(), long_picture(), long_picture(3, 60)], ids=["short", "long", "uneven"])
def test_labels_never_overlap(qtbot: QtBot, words: Words, size: tuple[int, int], made: Alignment) -> None:
    """Each token has a place of its own, a line high or its label wide; between the rows there is room for lines."""
    view = shown(qtbot, made, words, size)
    metrics = QFontMetricsF(view.font())
    for axis in (made.rows, made.columns):
        boxes = [view.token_rect((axis.side, place)) for place in range(len(axis.labels))]
        for before, after in pairwise(boxes):
            assert before.right() <= after.left() + 1e-6
        turned = boxes[0].height() > metrics.height()
        for box, label in zip(boxes, axis.labels, strict=True):
            needed = min(metrics.horizontalAdvance(label), 116)
            assert box.width() >= (line_px(view.letter_px) if turned or len(boxes) > 20 else needed) - 1e-6
            assert box.top() >= 0 and box.bottom() <= view.height()
    assert view.line(0, 0).dy() >= 15


def test_a_long_sentence_scrolls_by_wheel_and_drag(qtbot: QtBot, words: Words) -> None:
    """From the first tokens to the last and back; a double click goes back to the beginning."""
    view = shown(qtbot, long_picture(), words)
    room = QRectF(view.rect())
    first, last = ("target", 0), ("target", 40)
    assert room.contains(view.token_rect(first)) and not room.contains(view.token_rect(last))
    start = view.token_rect(first).left()
    for _ in range(20):
        _wheel(view, -120)
    assert room.contains(view.token_rect(last)) and not room.intersects(view.token_rect(first))
    _wheel(view, 120)
    assert view.token_rect(last).right() > room.right()

    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(250, 150))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(250, 150))
    assert view.token_rect(first).left() == start
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 150))
    QTest.mouseMove(view, QPoint(240, 150))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(240, 150))
    assert view.token_rect(first).left() == start - 60


def test_a_short_sentence_leaves_the_wheel_to_the_page(qtbot: QtBot, words: Words) -> None:
    """Nothing to scroll: the event goes on, and nothing moves."""
    view = shown(qtbot, picture(), words)
    before = view.token_rect(("target", 0))
    assert not _wheel(view, -120)
    assert view.token_rect(("target", 0)) == before
    assert _wheel(shown(qtbot, long_picture(), words), -120)


def test_keys_bring_a_far_token_into_sight(qtbot: QtBot, words: Words) -> None:
    """Walking to the end of a long sentence and back scrolls along."""
    view = shown(qtbot, long_picture(), words, (300, 200))
    QTest.keyClick(view, Qt.Key.Key_Right)
    for place, key in (
        (p, k) for k, way in ((Qt.Key.Key_Right, range(1, 41)), (Qt.Key.Key_Left, range(39, -1, -1))) for p in way
    ):
        QTest.keyClick(view, key)
        assert QRectF(view.rect()).contains(view.token_rect(("target", place)))


def test_the_mouse_finds_tokens_in_a_scrolled_sentence(qtbot: QtBot, words: Words) -> None:
    """What is under the mouse is what is told."""
    view = shown(qtbot, long_picture(), words)
    _wheel(view, -240)
    told = heard(view)
    for spot in (("target", 20), ("source", 15)):
        hover(view, centre(view, *spot))
        assert told[-1].tokens == {spot}


def test_another_head_of_the_same_sentence_stays_where_it_is(qtbot: QtBot, words: Words) -> None:
    """Scrolled place and chosen token are kept; of another sentence everything begins anew."""
    made = long_picture()
    view = shown(qtbot, made, words)
    _wheel(view, -240)
    view.selected = ("target", 12)
    before = view.token_rect(("target", 12))
    view.draw(attrs.evolve(made, values=made.values[::-1].copy()), words)
    assert view.token_rect(("target", 12)) == before and view.selected == ("target", 12)
    view.draw(picture(), words)
    assert view.selected is None
    view.draw(made, words)
    assert view.token_rect(("target", 0)).left() >= 0


def test_a_real_trace_is_drawn_with_its_weights(qtbot: QtBot, words: Words, trace: Trace) -> None:
    """What is told is the recorded number."""
    view = shown(qtbot, alignment(trace, Look(head=1), words), words)
    told = heard(view)
    hover(view, centre(view, "target", 2))
    row = trace["decoder.layers.0.cross_attn.weights"][1, 2]
    for token, weight in zip(trace.tokens.source, row, strict=True):
        assert f"→ {token.text}  {weight:.4g}" in told[-1].text


def test_before_the_first_picture_nothing_breaks(qtbot: QtBot, words: Words) -> None:
    """A view without a picture is empty, and quiet."""
    view = AlignmentView()
    qtbot.addWidget(view)
    with qtbot.waitExposed(view):
        view.show()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_0):
        QTest.keyClick(view, key)
    hover(view, QPoint(20, 20))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    _wheel(view, 120)
    view.fit()
    assert view.describe(frozenset({("target", 0)})) == NOTHING


def _wheel(view: AlignmentView, delta: int) -> bool:
    """Whether the view took it."""
    place = QPointF(250, 100)
    event = QWheelEvent(
        place,
        place,
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    event.ignore()
    QApplication.sendEvent(view, event)
    return event.isAccepted()


def test_without_a_picture_nothing_happens(qtbot: QtBot) -> None:
    """Whatever the mouse and the keys do before the first frame: a press, a drag, a wheel, a double click."""
    view = AlignmentView()
    qtbot.addWidget(view)
    view.resize(300, 200)
    view.show()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    hover(view, QPoint(120, 60))
    QApplication.sendEvent(
        view,
        QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(150, 60),
            view.mapToGlobal(QPointF(150, 60)),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        ),
    )
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(150, 60))
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_0, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    view.tell_again()
    assert view.picture is None


def test_a_place_to_change_is_a_cell_a_layer_or_a_token(trace: Trace, words: Words) -> None:
    """A mean over all layers is nothing in the pass, and the end of the sentence has no vector."""
    look = Look(attention="decoder.cross_attn", layer=1, head=2, aligned="head")
    one, layer, every = (alignment(trace, attrs.evolve(look, aligned=each), words) for each in ("head", "layer", "all"))
    tap, last = "decoder.layers.1.cross_attn.weights", one.values.shape[0] - 1
    line = frozenset({one.rows.spot(2), one.columns.spot(1)})

    assert changeable(one, line) == ChangePlace(tap, 2, 2, 1)
    assert changeable(layer, line) == ChangePlace(tap, None)
    assert changeable(every, line) is None
    assert changeable(one, frozenset({one.columns.spot(1)})) == ChangePlace("encoder.embedding.output", None, 1)
    assert changeable(one, frozenset({one.rows.spot(0)})) == ChangePlace("decoder.embedding.output", None, one.rows.shift)
    assert (changeable(one, frozenset({one.rows.spot(last)})) is None) is bool(one.rows.shift)
    assert changeable(one, frozenset()) is None


def test_there_is_no_menu_where_nothing_is(qtbot: QtBot, words: Words) -> None:
    """Beside every line, and for the menu key before a token is chosen."""
    view = shown(qtbot, picture(), words)
    for reason in QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard:
        assert view.asked_menu(QContextMenuEvent(reason, QPoint(2, 150), QPoint())) is None


OWN = Alignment(
    values=np.array([[1.0, np.nan, np.nan], [0.5, 0.5, np.nan], [0.0, 0.25, 0.75]], np.float32),
    rows=Axis("query", SOURCE, "source"),
    columns=Axis("key", SOURCE, "source"),
    scale=unit_scale("cividis"),
    caption=Caption(title="Self-attention", tap="encoder.layers.0.self_attn.weights", shape="[query, key]"),
)


def lines_seen(view: AlignmentView) -> set[tuple[int, int]]:
    """The lines that are painted, a tenth of their way from the tokens above, where none crosses another."""
    image, made = grabbed(view), set()
    for row, column in np.ndindex(3, 3):
        if np.nan_to_num(OWN.values[row, column]) and on_line(view, image, row, column, 0.1).name() != LIGHT.card:
            made.add((row, column))
    return made


def test_one_text_with_itself_has_two_rows_of_tokens(qtbot: QtBot, words: Words) -> None:
    """A key above has the lines of all queries that look at it, a query below those to its keys; other views know the token."""
    view = shown(qtbot, OWN, words)
    assert lines_seen(view) == {(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)}
    assert view.picture is not None
    for axis, place, lines in ((view.picture.columns, 1, {(1, 1), (2, 1)}), (view.picture.rows, 1, {(1, 0), (1, 1)})):
        with qtbot.waitSignal(view.pointed, check_params_cb=lambda pointed: bool(pointed.tokens)) as told:
            hover(view, view.token_rect(axis.spot(place)).center().toPoint())
        assert ("source", place) in told.args[0].tokens and "在" in told.args[0].text
        view.light(told.args[0].tokens)  # The page lights them in all views, in this one too.
        assert lines_seen(view) == lines


def test_a_token_that_another_view_points_at_is_a_query(qtbot: QtBot, words: Words) -> None:
    """Of the same text; a token of the other text is none."""
    view = shown(qtbot, OWN, words)
    view.light(frozenset({("source", 2)}))
    assert lines_seen(view) == {(2, 1), (2, 2)}
    view.light(frozenset({("target", 2)}))
    assert len(lines_seen(view)) == 5
    view.fit()
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.selected == (view.picture.columns.side, 0)  # type: ignore[union-attr]  # it has one
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert lines_seen(view) == {(1, 1), (2, 1)}
