"""The map of effects on screen: what the mouse and the keys reach."""

import attrs
import numpy as np
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from explorer.picture.causal_kinds import EffectMap, EffectRow
from explorer.picture.kinds import Caption
from explorer.picture.scales import Scale
from explorer.picture.theme import DARK
from explorer.views.pictures.effect_map import EffectMapView
from tests.picture.examples import words
from tests.pointing import hover


def example(n_heads: int = 4) -> EffectMap:
    """Two rows of heads, and a feed-forward, which has none."""
    values = np.full((3, n_heads), np.nan, np.float32)
    values[:2] = np.linspace(-0.3, 0.3, 2 * n_heads).reshape(2, n_heads)
    rows = (
        EffectRow("cross", "L0", "decoder.layers.0.cross_attn.mixed"),
        EffectRow("cross", "L1", "decoder.layers.1.cross_attn.mixed"),
        EffectRow("FFN", "L0", "decoder.layers.0.feed_forward.output"),
    )
    return EffectMap(
        values=values,
        whole=np.array([-0.4, 0.1, 0.9], np.float32),
        rows=rows,
        scale=Scale(-0.4, 0.4, "blue-red"),
        bar_reach=1.0,
        word="word",
        chosen=(0, 1),
        told="told",
        caption=Caption(title="title", tap="generator.logits", shape="", origin="beside"),
    )


def shown(qtbot: QtBot, picture: EffectMap | None = None, wide: int = 600, high: int = 300) -> EffectMapView:
    view = EffectMapView()
    qtbot.addWidget(view)
    view.resize(wide, high)
    with qtbot.waitExposed(view):
        view.show()
    view.draw(picture or example(), words("en"))
    return view


def middle(view: EffectMapView, row: int, head: int | None) -> QPoint:
    area = view.places().bar(row) if head is None else view.places().cell(row, head)
    return QPoint(round(area.x + area.wide / 2), round(area.y + area.high / 2))


def test_a_click_looks_at_a_head(qtbot: QtBot) -> None:
    """A click on a bar or on a feed-forward chooses none."""
    view = shown(qtbot)
    chosen: list[tuple[int, int]] = []
    view.chose.connect(lambda row, head: chosen.append((row, head)))
    for row, head in ((1, 2), (0, None), (2, 1)):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(view, row, head))

    assert chosen == [(1, 2)]


def test_pointing_tells_the_effect(qtbot: QtBot) -> None:
    """Of a head its own, of a bar that of the whole row."""
    view = shown(qtbot)
    told = []
    view.pointed.connect(lambda pointed: told.append(pointed.text))
    hover(view, middle(view, 0, 0))
    hover(view, middle(view, 2, None))

    assert "cross L0 H0" in told[-2] and "−0.3" in told[-2]
    assert "FFN L0" in told[-1] and "+0.9" in told[-1]


def test_arrow_keys_walk_and_enter_looks(qtbot: QtBot) -> None:
    """The first key shows the cursor at the chosen head."""
    view = shown(qtbot)
    chosen: list[tuple[int, int]] = []
    view.chose.connect(lambda row, head: chosen.append((row, head)))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return):
        qtbot.keyClick(view, key)

    assert chosen == [(1, 2)]
    assert "cross L1 H2" in view.accessibleDescription()


def test_cells_are_painted_in_the_colours_of_their_scale(qtbot: QtBot) -> None:
    """Blue where the word becomes less likely, red where more; nothing but an outline while it is computed."""
    view = shown(qtbot)
    image = view.grab().toImage()
    # Beside the number in the cell's middle.
    less, more = (image.pixelColor(middle(view, row, head) + QPoint(0, 8)) for row, head in ((0, 0), (1, 3)))

    assert less.blue() > less.red() + 40
    assert more.red() > more.blue() + 40
    pending = attrs.evolve(example(), pending=True, values=np.full((3, 4), np.nan, np.float32), whole=np.full(3, np.nan))
    view.draw(pending, words("en"))
    image = view.grab().toImage()
    assert image.pixelColor(middle(view, 0, 0) + QPoint(0, 8)).name() == view.theme.card


def test_any_size_has_room_for_it(qtbot: QtBot) -> None:
    """Many heads in a small card, few in a large one: all within the view."""
    for n_heads, wide, high in ((64, 300, 160), (1, 1400, 900), (8, 360, 240)):
        view = shown(qtbot, attrs.evolve(example(n_heads), chosen=None), wide, high)
        view.set_theme(DARK)
        assert not view.grab().isNull()
        places = view.places()
        assert places.bars.right <= wide
        assert places.at(places.left + 1, places.tops[0] + 1) == (0, 0)
        assert places.at(1, places.tops[0] + 1) is None
