"""Windows under the test's control, closed at its end."""

from collections.abc import Iterator

import attrs
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer import page_list
from explorer.app.appearance import Appearance
from explorer.app.session.preferences import Preferences
from explorer.export.fonts import add_fonts
from explorer.state.state import State
from explorer.views.painting.style import use_font
from tests.app.shell.opening import Make, Opened


@pytest.fixture
def appearance(qapp: QApplication) -> Iterator[Appearance]:
    add_fonts()
    use_font(qapp)
    made = Appearance(Preferences(), "zh")
    yield made
    made.close()


@pytest.fixture
def make(appearance: Appearance, qtbot: QtBot) -> Iterator[Make]:
    made: list[Opened] = []

    def _make(state: State) -> Opened:
        made.append(Opened(appearance, state))
        qtbot.addWidget(made[-1].window)
        return made[-1]

    yield _make
    for each in made:
        each.close()


@pytest.fixture
def opened(make: Make) -> Opened:
    return make(attrs.evolve(State.from_preset("tiny"), page=page_list.KEYS[0]))
