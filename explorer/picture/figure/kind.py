"""What is said once about each kind of Picture: how it is drawn as SVG, which tables its numbers are; its words."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import attrs

from explorer.lang import Words
from explorer.picture.figure.drawing import Drawing
from explorer.picture.kinds import Picture
from explorer.picture.tables import Table

P = TypeVar("P", bound=Picture)


@attrs.frozen
class Kind(Generic[P]):
    """Of one kind of Picture: `draw` puts it into a drawing, from `top` px downward; `tables` are its numbers, none where
    they are not all there; `describe` is the whole of it in words, for a reader who does not see it.
    """

    draw: Callable[[Drawing, P, float], None]
    tables: Callable[[P], Iterator[Table]]
    describe: Callable[[P, Words], str]
