"""Sessions under the test's control, closed at its end."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from explorer.state.state import State
from tests.app.session.driving import Driven, Make


@pytest.fixture
def make(qtbot: QtBot) -> Iterator[Make]:
    made: list[Driven] = []

    def _make(state: State) -> Driven:
        made.append(Driven(state, qtbot))
        return made[-1]

    yield _make
    for each in made:
        each.close()


@pytest.fixture
def driven(make: Make) -> Driven:
    """Not started."""
    return make(State.from_preset("tiny"))
