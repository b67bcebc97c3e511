"""The header shows as much as fits, and measures each arrangement once."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell.header import HeaderBar
from explorer.lang import Words

WIDTHS = (*range(2000, 500, -90), *range(545, 2000, 90))


@pytest.fixture
def header(qtbot: QtBot) -> Iterator[HeaderBar]:
    host, made = QWidget(), HeaderBar()
    qtbot.addWidget(host)
    made.setParent(host)
    made.speak(Words.load("en"))
    host.show()
    yield made
    host.close()


def shown(header: HeaderBar) -> tuple[object, ...]:
    """The texts that stand in it."""
    buttons = (*header.buttons.buttons(), header.lessons_button, header.language_button, header.theme_button)
    architecture = "" if header.architectures.isHidden() else header.architectures.currentText()
    return architecture, *(each.text() for each in buttons if not each.isHidden())


def arrangements(header: HeaderBar) -> Iterator[tuple[object, ...]]:
    """What is shown at each width."""
    for width in WIDTHS:
        header.resize(width, 40)
        yield shown(header)


def test_what_was_measured_is_what_would_be_measured_anew(header: HeaderBar) -> None:
    """On the way to narrow windows and back, and with another page in front."""
    for page in ("overview", "inspector"):
        header.put_page(page)
        remembered = list(arrangements(header))
        anew = []
        for width in WIDTHS:
            header.resize(width, 40)
            header.fit_width()
            anew.append(shown(header))
        assert remembered == list(arrangements(header)) == anew
        assert len(set(anew)) == 4 and min(map(len, anew)) == len(anew[0]) - 2


def test_larger_letters_have_room(header: HeaderBar) -> None:
    """What was measured before they were larger says nothing of them."""
    small = list(arrangements(header))
    font = header.font()
    font.setPointSizeF(1.5 * font.pointSizeF())
    header.setFont(font)
    large = list(arrangements(header))
    assert all(len("".join(one)) >= len("".join(other)) for one, other in zip(small, large, strict=True)) and small != large
    header.resize(1320, 40)  # the narrowest window, 880 px, with letters so much larger
    assert header.minimumSizeHint().width() <= 1320 and all(button.isVisible() for button in header.buttons.buttons())
