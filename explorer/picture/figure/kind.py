"""The declaration that each kind of Picture makes once: its SVG drawing, its tables of numbers and its description."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import attrs

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.film import Film
from explorer.picture.kinds import Picture
from explorer.picture.tables import Table
from explorer.picture.theme import Theme

P = TypeVar("P", bound=Picture)


@attrs.frozen
class Kind(Generic[P]):
    """How one kind of Picture leaves the window.

    `draw` puts a picture into a drawing, from `top` px downward. `tables` gives its numbers, or no table where not all of
    them were kept. `describe` says the whole picture in words for a screen reader. `film` is there for a picture that moves.
    `sheet` is the width and height (px) of one that draws its whole sheet itself, with title and margins.
    """

    draw: Callable[[Drawing, P, float], None]
    tables: Callable[[P], Iterator[Table]]
    describe: Callable[[P, Words], str]
    film: Callable[[P, Words, Theme], Film] | None = None
    sheet: tuple[float, float] | None = None
