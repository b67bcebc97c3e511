"""Every text of a picture can be read on what really lies under it: measured from the picture as it is rendered."""

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from explorer.picture.cell_numbers import ink_on
from explorer.picture.figure.svg import render
from explorer.picture.picture import Picture
from explorer.picture.theme import THEMES, Theme
from tests.golden.test_figures import PICTURES
from tests.picture.examples import words
from tests.picture.test_theme import contrast

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_TEXT = f"{{{_SVG}}}text"
_LEAST = 4.5  # WCAG 2.2, rule 1.4.3
ET.register_namespace("", _SVG)
ET.register_namespace("xlink", _XLINK)


@attrs.frozen
class Written:
    """A text of a picture, its colour, and the commonest colour below it."""

    text: str
    colour: str
    ground: str


def written(picture: Picture, theme: Theme) -> Iterator[Written]:
    """Every text, held against a rendering without any text."""
    root = ET.fromstring(render(picture, words("en"), theme, with_fonts=False))
    texts = [each for each in root.iter(_TEXT) if "".join(each.itertext()).strip()]
    for number, each in enumerate(texts):
        each.set("id", f"text{number}")
    whole = QSvgRenderer(QByteArray(ET.tostring(root)))
    boxes = [whole.transformForElement(f"text{n}").mapRect(whole.boundsOnElement(f"text{n}")) for n in range(len(texts))]
    for parent in list(root.iter()):
        for child in [each for each in parent if each.tag == _TEXT]:
            parent.remove(child)
    image = QImage(whole.defaultSize(), QImage.Format.Format_RGB32)
    image.fill(QColor(theme.card))
    with QPainter(image) as painter:
        QSvgRenderer(QByteArray(ET.tostring(root))).render(painter)
    for each, box in zip(texts, boxes, strict=True):
        yield Written("".join(each.itertext()), each.get("fill", theme.text), ground_of(image, box))


def ground_of(image: QImage, box: QRectF) -> str:
    """The commonest colour in the middle of a box."""
    x = np.linspace(box.left(), box.right(), 11)[1:-1]
    y = box.top() + box.height() * np.array([0.3, 0.5, 0.7])
    places = [(int(one), int(other)) for one in x for other in y if image.rect().contains(int(one), int(other))]
    return Counter(image.pixelColor(*place).name() for place in places).most_common(1)[0][0]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("name", PICTURES)
def test_every_text_of_a_picture_can_be_read(qtbot: QtBot, name: str, theme: Theme) -> None:
    """In both themes, numbers in coloured cells included."""
    found = list(written(PICTURES[name], theme))

    assert found
    assert [each for each in found if contrast(each.colour, each.ground) < _LEAST] == []


def test_a_text_that_is_too_faint_would_be_found(qtbot: QtBot) -> None:
    """A theme whose faint letters are nearly as light as the card."""
    faint = attrs.evolve(THEMES["light"], faint="#b0b0b0")
    found = [each for each in written(PICTURES["heatmap"], faint) if contrast(each.colour, each.ground) < _LEAST]

    assert found and all((each.colour, each.ground) == ("#b0b0b0", "#ffffff") for each in found)


def test_one_of_two_inks_can_be_read_on_every_colour() -> None:
    """The worst is a middle grey."""
    colours = [
        f"#{red:02x}{green:02x}{blue:02x}" for red in range(0, 256, 15) for green in range(0, 256, 15) for blue in (0, 128, 255)
    ]

    assert min(contrast(ink_on(each), each) for each in colours) >= _LEAST
    assert contrast("#10141a", "#7d7c76") < _LEAST
