"""Pictures of an answer that the compute thread makes before the GUI thread gets it.

A picture takes milliseconds to make, of a long text a hundred, and a key would wait for it. The compute thread is told what
the page in front showed last, and makes the same of the new answer. The GUI thread makes what was not foreseen.

Decision: pictures are made behind the pass, on the compute thread, which goes on while the window paints. Rejected: drawing
during the pass (a key 54.7 ms in place of 47.6), because both threads hold Python's lock, and a pass that rests while the
window paints (45.1 to 48.6 ms in place of 40).
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import attrs

from explorer.lang import Words
from explorer.picture.picture import Picture, marked
from explorer.state.look import Look
from explorer.trace.trace import Trace

P = TypeVar("P", bound=Picture)
Maker = Callable[[Trace, Look, Words], P | None]
"""Makes a card's picture. None means that it is still being computed: the last picture stays, with dots in its title."""
Draw = Callable[[Any, Words], object]
"""What a view makes of a picture before it paints it, where any thread may do it."""
_PURE = "explorer.picture.makers."
"""Makers of these modules use their arguments alone, so that any thread may call them."""


@attrs.frozen(eq=False)
class Ready:
    """A picture, what its view has drawn of it beforehand, if it does, and how long both took."""

    picture: Picture
    drawn: tuple[object, ...]
    ms: float


def ready(make: Maker[Any], trace: Trace, look: Look, words: Words, draw: Draw | None = None) -> Ready | None:
    """A picture with what every caption says of its pass; None while it is computed. Raises like its maker."""
    start_s = time.perf_counter()
    made = make(trace, look, words)
    if made is None:
        return None
    picture = marked(made, trace)
    drawn = () if draw is None else (draw(picture, words),)
    return Ready(picture, drawn, (time.perf_counter() - start_s) * 1e3)


@attrs.frozen(eq=False)
class Foreseen:
    """What the page in front showed last."""

    words: Words
    makers: tuple[tuple[Maker[Any], Draw | None], ...]


@attrs.frozen(eq=False)
class _Answer:
    """What was made of an answer."""

    trace: Trace
    look: Look
    words: Words
    made: dict[Maker[Any], Ready]


class PreparedPictures:
    """`foresee` and `take` belong to the GUI thread, `prepare` to the compute thread. They exchange whole values alone.

    `taken_ms` adds up how long the compute thread took for what was taken; `foreseen` is what the page in front showed last.
    """

    def __init__(self) -> None:
        self.taken_ms = 0.0
        self.foreseen: Foreseen | None = None
        self._answer: _Answer | None = None

    def foresee(self, words: Words, makers: Iterable[tuple[Maker[Any], Draw | None]]) -> None:
        """The next answer will probably be shown by these makers. Makers that ask widgets are left to the GUI thread."""
        pure = tuple(each for each in makers if getattr(each[0], "__module__", "").startswith(_PURE))
        self.foreseen = Foreseen(words, pure)

    def prepare(self, trace: Trace, look: Look) -> None:
        """Make what is foreseen of an answer. What cannot be made is left out: the GUI thread tries it again and says why."""
        foreseen = self.foreseen
        if foreseen is None:
            return
        found: dict[Maker[Any], Ready] = {}  # row "a key to everything painted": 40 ms with them, 45 to 55 without
        for make, draw in foreseen.makers:
            try:
                one = ready(make, trace, look, foreseen.words, draw)
            except Exception:
                continue
            if one is not None:
                found[make] = one
        self._answer = _Answer(trace, look, foreseen.words, found)

    def take(self, make: Maker[Any], trace: Trace, look: Look, words: Words) -> Ready | None:
        """What is ready of just this, once; None if it was not foreseen."""
        answer = self._answer
        if answer is None or answer.trace is not trace or answer.words is not words or answer.look != look:
            return None
        found = answer.made.pop(make, None)
        if found is not None:
            self.taken_ms += found.ms
        return found
