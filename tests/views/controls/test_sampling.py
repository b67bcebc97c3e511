"""The controls of sampling, turned as a user turns them."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from explorer.lang import LANGUAGES, Words
from explorer.state.look import Look
from explorer.views.controls.sampling import SamplingBar, SamplingRow, top_k_ticks

FIELDS = ("sampling_temperature", "top_k", "top_p")


@pytest.fixture
def bar(qtbot: QtBot, words: Words) -> SamplingBar:
    view = SamplingBar()
    qtbot.addWidget(view)
    view.speak(words)
    view.put(Look(), 6000)
    view.resize(620, 60)
    with qtbot.waitExposed(view):
        view.show()
    return view


def emitted(bar: SamplingBar) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    bar.changed.connect(found.append)
    return found


def typed(row: SamplingRow, text: str) -> None:
    row.box.setFocus()
    row.box.selectAll()
    QTest.keyClicks(row.box, text)
    QTest.keyClick(row.box, Qt.Key.Key_Return)


def wheel(widget: QWidget, turn: int) -> None:
    place = QPointF(widget.rect().center())
    event = QWheelEvent(
        place,
        widget.mapToGlobal(place),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_putting_a_look_says_nothing(bar: SamplingBar) -> None:
    """Only the user changes anything."""
    found = emitted(bar)
    bar.put(Look(sampling_temperature=0.7, top_k=40, top_p=0.9), 6000)
    assert found == []
    assert [row.box.text() for row in bar.rows] == ["0.70", "40", "0.90"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_off_is_a_word(bar: SamplingBar, language: str) -> None:
    """In the user's language, at once when it changes; temperature has no off."""
    words = Words.load(language)
    bar.speak(words)
    assert [row.box.text() for row in bar.rows] == ["1.00", words("sampling.off"), words("sampling.off")]
    assert [row.name.text() for row in bar.rows] == [words(f"sampling.{field}") for field in FIELDS]
    assert all(words(f"sampling.{row.field}_hint") in row.toolTip() for row in bar.rows)
    assert all(each.accessibleName() for row in bar.rows for each in (row.slider, row.box))


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        (0, "0.35", {"sampling_temperature": 0.35}),
        (0, "9", {"sampling_temperature": 3.0}),
        (0, "0.01", {"sampling_temperature": 0.1}),
        (1, "37", {"top_k": 37}),
        (1, "5999", {"top_k": 5999}),
        (1, "65000", {"top_k": 6000}),
        (2, "0.92", {"top_p": 0.92}),
        (2, "0.05", {"top_p": 0.05}),
    ],
)
def test_a_value_can_be_typed(bar: SamplingBar, place: int, text: str, expected: dict[str, float]) -> None:
    """Once, when Enter is pressed; whole numbers for k; what lies outside becomes the nearest end."""
    found = emitted(bar)
    typed(bar.rows[place], text)
    assert found == [expected]
    assert all(type(value) is (int if name == "top_k" else float) for each in found for name, value in each.items())


def test_the_word_can_be_typed_and_left_alone(bar: SamplingBar) -> None:
    """Off is what stands there; Enter upon it changes nothing, and typing it switches off."""
    words = Words.load("en")  # the test's keyboard has no Chinese letters
    bar.speak(words)
    found = emitted(bar)
    typed(bar.top_k, "40")
    typed(bar.top_k, words("sampling.off"))
    typed(bar.top_k, words("sampling.off"))
    bar.top_p.box.setFocus()
    QTest.keyClick(bar.top_p.box, Qt.Key.Key_Return)
    assert found == [{"top_k": 40}, {"top_k": 0}]
    assert bar.top_k.slider.value() == bar.top_k.slider.maximum()


@pytest.mark.parametrize("place", range(3))
def test_every_press_of_an_arrow_key_changes_the_value(bar: SamplingBar, place: int) -> None:
    """By one of the slider's own steps, from one end to the other; the figure follows."""
    row = bar.rows[place]
    row.slider.setFocus()
    QTest.keyClick(row.slider, Qt.Key.Key_Home)
    found = emitted(bar)
    for _ in range(row.slider.maximum()):
        QTest.keyClick(row.slider, Qt.Key.Key_Right)
    values = [each[row.field] for each in found]
    assert len(values) == len(set(values)) == row.slider.maximum()
    assert values[-1] == (3.0, 0, 1.0)[place]
    assert values[:-1] == sorted(values[:-1])
    assert row.box.value() == values[-1]


def test_the_steps_are_the_promised_ones(bar: SamplingBar) -> None:
    """Temperature by 0.05 from 0.1 to 3, top-p by 0.01 from 0.05 to 1, without the crumbs of binary fractions."""
    for row, first, last, step in ((bar.temperature, 0.1, 3.0, 0.05), (bar.top_p, 0.05, 1.0, 0.01)):
        ticks = []
        for tick in range(row.slider.maximum() + 1):
            row.slider.setValue(tick)
            ticks.append(row.box.value())
        assert (ticks[0], ticks[-1]) == (first, last)
        assert all(round(after - before, 9) == step for before, after in pairwise(ticks))
        assert all(tick == round(tick, 2) for tick in ticks)


@pytest.mark.parametrize("n_symbols", [2, 3, 50, 6000, 100_000])
def test_top_k_grows_by_factors(n_symbols: int) -> None:
    """From 1 upward without a repetition, off at the end; from 20 on no step is larger than a quarter."""
    ticks = top_k_ticks(n_symbols)
    assert ticks[0] == 1 and ticks[-1] == 0
    numbers = ticks[:-1]
    assert all(before < after for before, after in pairwise(numbers)) and numbers[-1] < n_symbols
    assert all(after <= 1.25 * before for before, after in pairwise(numbers) if before >= 20)


def test_the_wheel_turns_a_slider_only_if_it_was_chosen(bar: SamplingBar) -> None:
    """Otherwise it scrolls the page."""
    found = emitted(bar)
    bar.setFocus()
    for row in bar.rows:
        for each in (row.slider, row.box):
            each.clearFocus()
            wheel(each, -120)
    assert found == []
    bar.top_p.slider.setFocus()
    wheel(bar.top_p.slider, -120)
    assert found and found[-1]["top_p"] < 1


@pytest.mark.parametrize("place", range(3))
def test_a_double_click_resets(bar: SamplingBar, place: int) -> None:
    """On the slider or the name."""
    bar.put(Look(sampling_temperature=2.5, top_k=5, top_p=0.3), 6000)
    row = bar.rows[place]
    for target in (row.slider, row.name):
        typed(row, "2" if place < 2 else "0.5")
        found = emitted(bar)
        QTest.mouseDClick(target, Qt.MouseButton.LeftButton, pos=target.rect().center())
        assert found[-1] == {row.field: getattr(Look(), row.field)}
        assert row.box.value() == getattr(Look(), row.field)


def test_another_vocabulary_has_other_bounds(bar: SamplingBar) -> None:
    """The box takes k up to the number of symbols."""
    bar.put(Look(), 50)
    found = emitted(bar)
    typed(bar.top_k, "50")
    assert found == [{"top_k": 50}]
    typed(bar.top_k, "51")
    assert len(found) == 1 and bar.top_k.box.text() == "50"


@pytest.mark.parametrize("width", [240, 340, 420, 900])
@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_whole_at_every_width(bar: SamplingBar, width: int, language: str) -> None:
    """In a narrow place the three stand below each other; nothing lies on anything."""
    bar.speak(Words.load(language))
    bar.resize(width, bar.sizeHint().height())
    QApplication.processEvents()
    bar.adjustSize()
    bar.resize(width, bar.sizeHint().height())
    QApplication.processEvents()
    for row in bar.rows:
        assert row.name.width() >= row.name.fontMetrics().horizontalAdvance(row.name.text())
        parts = [part.geometry() for part in (row.name, row.slider, row.box)]
        assert not any(one.intersects(other) for place, one in enumerate(parts) for other in parts[place + 1 :])
        assert bar.rect().contains(row.geometry())
