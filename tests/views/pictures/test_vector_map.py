"""The map of vectors on screen: its mouse, its keys, its pixels."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.layout.vector_map import points
from explorer.picture.marks import Rect
from explorer.picture.theme import DARK
from explorer.views.painting.pointed import NOTHING
from explorer.views.pictures.vector_map import VectorMapView
from tests.golden.test_figures import PICTURES
from tests.pointing import hover, turn_wheel


@pytest.fixture
def view(qtbot: QtBot, words: Words) -> VectorMapView:
    made = VectorMapView()
    made.draw(PICTURES["vectors"], words)  # type: ignore[arg-type]  # a VectorMap
    qtbot.addWidget(made)
    made.resize(400, 300)
    with qtbot.waitExposed(made):
        made.show()
    return made


def end(view: VectorMapView, token: int) -> QPoint:
    x, y = view.points().path[-1, token]
    return QPoint(round(x), round(y))


def test_a_point_under_the_mouse_is_told_and_its_token_lights_up(qtbot: QtBot, view: VectorMapView) -> None:
    """Beside the points nothing is told."""
    with qtbot.waitSignal(view.pointed, check_params_cb=lambda pointed: "爱" in pointed.text) as told:
        hover(view.plot.viewport(), end(view, 1))
    assert told.args[0].tokens == {("source", 1)}
    with qtbot.waitSignal(view.pointed, check_params_cb=lambda pointed: pointed is NOTHING):
        hover(view.plot.viewport(), QPoint(399, 1))


def test_a_click_and_enter_choose_a_token(qtbot: QtBot, view: VectorMapView) -> None:
    """Arrow keys go from token to token, to the ends and not beyond."""
    with qtbot.waitSignal(view.chose) as chose:
        QTest.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=end(view, 1))
    assert chose.args == [1]
    view.left()
    for key, wanted in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 1), (Qt.Key.Key_Left, 0), (Qt.Key.Key_Left, 0)):
        QTest.keyClick(view, key)
        with qtbot.waitSignal(view.chose) as chose:
            QTest.keyClick(view, Qt.Key.Key_Return)
        assert chose.args == [wanted]
    assert "我" in view.accessibleDescription()


def test_lit_tokens_and_themes_are_seen(view: VectorMapView) -> None:
    """In px."""
    plain = view.grab().toImage()
    view.light(frozenset({("source", 1)}))
    lit = view.grab().toImage()
    view.set_theme(DARK)
    assert len({plain.cacheKey(), lit.cacheKey()}) == 2 and plain != lit != view.grab().toImage()


def test_the_wheel_and_keys_zoom_and_zero_shows_everything(view: VectorMapView) -> None:
    """As on the curves: the place below the mouse stays, and points that are few in sight are named."""
    whole = view.points().path
    place = end(view, 1)
    view.setFocus()  # Else the wheel is the page's.
    turn_wheel(view.plot.viewport(), QPointF(place), 240)
    near = view.points().path
    assert np.abs(near[-1, 1] - whole[-1, 1]).max() <= 2
    assert np.ptp(near[..., 0]) > 1.3 * np.ptp(whole[..., 0])

    QTest.keyClick(view, Qt.Key.Key_0)
    assert view.points().path == pytest.approx(whole, abs=0.5)
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert np.ptp(view.points().path[..., 0]) > 1.2 * np.ptp(whole[..., 0])
    view.resize(500, 400)
    QTest.mouseDClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert np.ptp(view.points().path[..., 0]) > np.ptp(whole[..., 0])


def test_points_stand_where_the_figure_has_them(view: VectorMapView) -> None:
    """Unless somebody has zoomed: the exported figure and the window are one map."""
    assert view.picture is not None
    figure = points(view.picture, Rect(0, 0, view.wide, view.high))

    assert view.points().path == pytest.approx(figure.path, abs=0.5)
    assert view.points().cloud == pytest.approx(figure.cloud, abs=0.5)


def test_names_and_dots_have_one_place(view: VectorMapView) -> None:
    """Names are written where pyqtgraph draws the points, zoomed in too."""
    assert view.picture is not None
    box = view.plot.getPlotItem().getViewBox()
    for key in (Qt.Key.Key_0, Qt.Key.Key_Plus):
        QTest.keyClick(view, key)
        drawn = [box.mapViewToScene(QPointF(*xy)).toTuple() for xy in view.picture.cloud.tolist()]
        assert view.points().cloud == pytest.approx(np.array(drawn), abs=1.5)
