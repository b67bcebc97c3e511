"""The architecture strip under the mouse and the keys."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from explorer.config import Config
from explorer.lang import Words
from explorer.presets import load_preset
from explorer.state.intents import Intent, LookAt, OpenPage
from explorer.state.look import Look
from explorer.trace.architecture import architecture_of
from explorer.trace.own_card import card_of
from explorer.views.controls.architecture_strip import ArchitectureStrip
from tests.pointing import hover

WORDS = Words.load("zh")
CROSS = Look(attention="decoder.cross_attn", layer=1, head=5)


class Shown:
    """A strip of the translator with a Look at its second cross-attention, and what it wished for."""

    def __init__(self, qtbot: QtBot, config: Config | None = None, width: int = 1172) -> None:
        self.config = load_preset("translator").config if config is None else config
        self.view = ArchitectureStrip()
        qtbot.addWidget(self.view)
        self.view.resize(width, self.view.height())
        self.wishes: list[Intent] = []
        self.view.wished.connect(self.wishes.append)
        self.view.put_page("overview")
        self.draw(CROSS)
        self.view.show()

    def draw(self, look: Look) -> None:
        self.view.draw(architecture_of(card_of(self.config), self.config), look, WORDS)

    def middle(self, key: str) -> QPoint:
        return self.view.segment_rect(key).center().toPoint()

    def said(self) -> list[object]:
        """What was wished for since this was asked last: fields of the Look, or a page."""
        said = [dict(wish.fields) if isinstance(wish, LookAt) else wish for wish in self.wishes]
        self.wishes.clear()
        return said


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def test_the_segment_that_one_sees_is_filled(shown: Shown) -> None:
    """With the accent, and no other one; on a page about one Block it is that Block's."""

    def filled() -> list[str]:
        image = shown.view.grab().toImage()
        accent = QColor(shown.view.theme.accent)
        boxes = ((segment.key, shown.view.segment_rect(segment.key)) for segment in shown.view.strip.segments)
        return [key for key, box in boxes if image.pixelColor(int(box.left()) + 3, int(box.top()) + 2) == accent]

    assert filled() == ["decoder.layers.1.cross_attn"]
    shown.view.put_page("position")
    assert filled() == ["position"]
    shown.view.put_page("layers")
    assert filled() == ["encoder.layers.1.feed_forward"]


def test_long_work_underlines_as_many_segments_as_it_has_done(shown: Shown) -> None:
    """Half of the work is half of the segments, from the left; at its end no line is left."""

    def underlined() -> list[bool]:
        image = shown.view.grab().toImage()
        accent = QColor(shown.view.theme.accent)
        segments = [shown.view.segment_rect(each.key) for each in shown.view.strip.segments]
        return [image.pixelColor(round(box.x()) + 1, round(box.bottom()) + 2) == accent for box in segments]

    count = len(shown.view.strip.segments)
    assert not any(underlined())
    shown.view.set_progress(0.5)
    assert underlined() == [place < count / 2 for place in range(count)]
    shown.view.set_progress(None)
    assert not any(underlined())


def test_a_click_goes_to_a_block_and_ctrl_opens_its_page(shown: Shown) -> None:
    """An attention moves the Look; what no Look can name opens a page."""
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=shown.middle("encoder.layers.2.self_attn"))
    assert shown.said() == [{"attention": "encoder.self_attn", "layer": 2, "opened": ""}]
    QTest.mouseClick(
        shown.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, shown.middle("encoder.layers.2.self_attn")
    )
    assert shown.said() == [{"attention": "encoder.self_attn", "layer": 2}, OpenPage("attention")]
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=shown.middle("generator"))
    assert shown.said() == [OpenPage("output")]
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=QPoint(2, 30))
    QTest.mouseClick(shown.view, Qt.MouseButton.RightButton, pos=shown.middle("generator"))
    assert shown.said() == []


def test_keys_go_along_the_segments(shown: Shown) -> None:
    """From the one that one sees; at an end they stay. Nothing is wished for before Enter."""
    shown.view.setFocus()
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    assert "解码器 1 · 前馈" in shown.view.accessibleDescription()
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    assert shown.said() == []
    QTest.keyClick(shown.view, Qt.Key.Key_Return)
    assert shown.said() == [{"attention": "decoder.cross_attn", "layer": 2, "opened": ""}]
    QTest.keyClick(shown.view, Qt.Key.Key_End)
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    QTest.keyClick(shown.view, Qt.Key.Key_Enter, Qt.KeyboardModifier.ControlModifier)
    assert shown.said() == [OpenPage("output")]
    QTest.keyClick(shown.view, Qt.Key.Key_Home)
    QTest.keyClick(shown.view, Qt.Key.Key_Left)
    QTest.keyClick(shown.view, Qt.Key.Key_Return)
    assert shown.said() == [OpenPage("tokens")]


def test_only_keys_draw_a_ring(shown: Shown, qtbot: QtBot) -> None:
    """Around the segment that they have gone to; a click with the mouse takes it away."""

    def ringed() -> bool:
        box, image = shown.view.segment_rect("encoder.layers.2.self_attn"), shown.view.grab().toImage()
        return image.pixelColor(int(box.center().x()), int(box.bottom()) + 1) != QColor(shown.view.theme.window)

    shown.draw(Look(layer=2))
    shown.view.setFocus()
    qtbot.waitUntil(shown.view.hasFocus)
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    assert not ringed()
    QTest.keyClick(shown.view, Qt.Key.Key_Left)
    assert ringed()
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=shown.middle("encoder.layers.2.self_attn"))
    shown.view.repaint()
    assert not ringed()


def test_it_says_what_is_under_the_mouse(shown: Shown) -> None:
    """Name and parameters for the line below; what the Block does and what a click does in the tooltip."""
    told: list[str] = []
    shown.view.pointed.connect(lambda pointed: told.append(pointed.text))
    hover(shown.view, shown.middle("decoder.layers.1.cross_attn"))

    assert told == ["解码器 1 · 交叉注意力 · 263,680 个参数"]
    assert QToolTip.text().split("\n")[2] == "整个模型 9,190,256 个参数 · 单击前往，Ctrl+单击打开“注意力”页"
    hover(shown.view, shown.middle("generator"))
    assert told[-1] == "下一个词元 · 线性 · softmax · 6,000 个参数，另与词嵌入共享 1,536,000 个"
    hover(shown.view, shown.middle("sum"))
    assert told[-1] == "输入 · 相加 · 没有参数"


def test_it_is_one_tab_stop_with_a_name(shown: Shown) -> None:
    """A screen reader hears where one is."""
    assert shown.view.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert shown.view.accessibleName() == "模型结构"
    assert shown.view.accessibleDescription().startswith("解码器 1 · 交叉注意力")


def test_a_page_can_put_the_segments_elsewhere_and_take_that_back(shown: Shown) -> None:
    """A Block that has no place has no segment."""
    usual = shown.view.strip
    layers = {
        f"{side}.layers.{layer}.self_attn": (200 * (layer + 1), 50) for side in ("encoder", "decoder") for layer in (0, 2)
    }
    spans = {"tokens": (16, 92), **layers, "encoder.layers.1.self_attn": (300, 50), "decoder.layers.1.cross_attn": (740, 82)}
    shown.view.place(spans)
    assert {segment.key: (segment.left, segment.width) for segment in shown.view.strip.segments} == spans
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=QPoint(745, 30))
    assert shown.said() == [{"attention": "decoder.cross_attn", "layer": 1, "opened": ""}]
    shown.view.place(None)
    assert shown.view.strip == usual


def test_the_same_again_paints_nothing(shown: Shown, qtbot: QtBot) -> None:
    """A keystroke leaves model and Look as they are."""
    qtbot.waitExposed(shown.view)
    before = shown.view.strip
    shown.draw(CROSS)
    shown.draw(Look(attention="decoder.cross_attn", layer=1, head=6))
    assert shown.view.strip is before


def test_64_layers_fold_and_all_can_be_reached(qtbot: QtBot) -> None:
    """Each of 320 Blocks by its own segment with the keys, and the one in focus by its name."""
    shown = Shown(qtbot, load_preset("translator").config.changed(n_layers=64), width=660)
    segments = shown.view.strip.segments

    assert len(segments) == 5 + 64 * 5
    assert next(segment.label for segment in segments if segment.key == "decoder.layers.1.cross_attn") != ""
    shown.view.setFocus()
    QTest.keyClick(shown.view, Qt.Key.Key_Home)
    for _ in range(4 + 2 * 63):
        QTest.keyClick(shown.view, Qt.Key.Key_Right)
    QTest.keyClick(shown.view, Qt.Key.Key_Return)
    assert shown.said() == [{"attention": "encoder.self_attn", "layer": 63, "opened": ""}]
    assert shown.view.grab().width() == 660
