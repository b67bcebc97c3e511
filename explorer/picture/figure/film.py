"""A Film: the frames of a picture that moves, each an SVG without fonts, to be drawn where the bundled font is at hand."""

from collections.abc import Callable

import attrs

FRAMES_PER_SECOND = 30
_MS = 1000


@attrs.frozen(eq=False)
class Film:
    """Times (seconds) at which the picture changes, in their order; how long it lasts; and the SVG at a time."""

    times: tuple[float, ...]
    seconds: float
    frame: Callable[[float], str]

    def __len__(self) -> int:
        return len(self.times)

    def delays_ms(self) -> tuple[int, ...]:
        """How long each frame stays (milliseconds). Together they last as long as the film."""
        ends = (*self.times[1:], self.seconds)
        stamps = [round(_MS * time) for time in (*self.times, self.seconds)]
        return tuple(stamps[place + 1] - stamps[place] for place in range(len(ends)))
