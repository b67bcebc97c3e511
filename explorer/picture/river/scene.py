"""The scene of a river: its marks, with the places in it that answer when somebody points at them."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import attrs

from explorer.picture.marks import Mark, Marks, Rect


def about_width(text: str, px: float) -> float:
    """The width of a text (px), about: a Chinese character is a square, a letter about half of one."""
    return px * _squares(text)


@lru_cache(maxsize=4096)  # The river of another sentence takes 16.8 ms, and 19.5 without it.
def _squares(text: str) -> float:
    """About how many squares of its height a text is wide."""
    return sum(1.0 if mark > "\u2e7f" else 0.54 for mark in text)


def fitting(texts: Iterable[str], px: float, room: float) -> str:
    """The first of some texts that fits into a room; "" where none does."""
    return next((text for text in texts if about_width(text, px) <= room), "")


@attrs.frozen(eq=False)
class Hot:
    """A place that answers: what lies there (`what` is an `explorer.picture.river.place.Place`)."""

    rect: Rect
    what: Any

    def at(self, _y: float) -> Any:
        """What lies at a height inside."""
        return self.what


@attrs.frozen(eq=False)
class HotRows:
    """`count` places of one height, one below the other: `what` tells of each by its number what lies there.

    They are asked when somebody points. To make some hundred of them for each picture took longer than to find one.
    """

    rect: Rect
    count: int
    what: Callable[[int], Any]

    def at(self, y: float) -> Any:
        """What lies at a height inside."""
        return self.what(min(int((y - self.rect.y) / self.rect.high * self.count), self.count - 1))


Answering = Hot | HotRows
"""What answers when somebody points at it."""


@attrs.frozen(eq=False)
class Drawn:
    """A scene with the places in it that answer; later ones lie over earlier ones.

    It begins with its `ground`, the part that is the very same object as long as it does not change.
    """

    scene: Marks
    hot: tuple[Answering, ...] = ()
    ground: Marks = ()

    def at(self, x: float, y: float) -> Any:
        """What lies at a point; None where nothing does."""
        return next((each.at(y) for each in reversed(self.hot) if each.rect.holds(x, y)), None)


def joined(parts: Iterable[Drawn]) -> Drawn:
    """Several parts as one, in this order."""
    scene: list[Mark] = []
    hot: list[Answering] = []
    for part in parts:
        scene += part.scene
        hot += part.hot
    return Drawn(tuple(scene), tuple(hot))
