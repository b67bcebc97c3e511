"""Keys go from cell to cell in every picture, and a screen reader is told each."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from explorer.app.shell.window import Window
from explorer.picture.figure.kinds import kind_of
from explorer.views.painting import spoken
from explorer.views.painting.spoken import say
from explorer.views.pictures.river import RiverView
from tests.journeys.by_keys import listened
from tests.journeys.conftest import Journey


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[QWidget, str]]:
    """What a screen reader has been told, by which view."""
    return listened(monkeypatch)


def test_keys_walk_the_cells_of_the_river(journey: Journey, heard: list[tuple[QWidget, str]]) -> None:
    """With Shift: up and down the queries, left and right the keys; tap, place and weight are told, and F follows."""

    def script(window: Window) -> None:
        journey.settle(window)
        view = window.page_stack.page.cards[0].view
        assert isinstance(view, RiverView) and view.picture is not None and view.picture.focus is not None
        window.activateWindow()  # Only in the window in front a widget hears that it has the focus.
        journey.wait(window.isActiveWindow)
        window.sentences.source_edit.setFocus()
        view.setFocus()
        assert heard[-1] == (view, kind_of(view.picture).describe(view.picture, window.appearance.words))
        weights = view.picture.focus.drawn
        assert weights is not None
        for _ in range(20):
            for arrow in (Qt.Key.Key_Left, Qt.Key.Key_Up):
                QTest.keyClick(view, arrow, Qt.KeyboardModifier.ShiftModifier)
        assert view.pointing is not None and view.pointing.pair == (0, 0)
        QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        assert view.pointing.pair == (1, 1)
        head = view.picture.head
        assert f"{view.picture.focus.tap}[{head}, 1, 1] = {weights[1, 1]:.4g}"[:-1] in heard[-1][1]
        assert view.explanation in heard[-1][1]
        QTest.keyClick(view, Qt.Key.Key_F)
        look = window.session.state.look
        assert (window.session.state.page, look.cell_query, look.cell_key) == ("follow", 1, 1)

    journey.run(script, "--preset", "tiny")


def test_keys_walk_the_curves(journey: Journey, heard: list[tuple[QWidget, str]]) -> None:
    """Left and right the places, up and down the curves, Home and End the ends; each is told with its value."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("position")
        journey.settle(window)
        view = window.page_stack.page.cards[0].view
        values = view.picture.values  # type: ignore[attr-defined]  # It shows Waves.
        view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.
        for key, place in (
            (Qt.Key.Key_Right, (0, 0)),
            (Qt.Key.Key_Right, (0, 1)),
            (Qt.Key.Key_Down, (1, 1)),
            (Qt.Key.Key_End, (1, values.shape[1] - 1)),
            (Qt.Key.Key_Home, (1, 0)),
        ):
            QTest.keyClick(view, key)  # type: ignore[arg-type]  # A view is a widget too.
            assert place == view.cell_cursor.place  # type: ignore[attr-defined]  # It shows Waves.
            assert view.picture.names[place[0]] in heard[-1][1]  # type: ignore[attr-defined]  # It shows Waves.

    journey.run(script)


def test_a_real_announcement_is_made(qapp: QApplication) -> None:
    """Qt takes it, whether a reader is there or not."""
    view = QWidget()
    say(view, "0.86")
    spoken.announce(view, "0.86")
    assert "0.86" == view.accessibleDescription()
