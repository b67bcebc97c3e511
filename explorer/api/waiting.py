"""What a caller sees and can do while a call takes long: a bar, and Ctrl+C."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.stops import Progress, Stop

_SOON_S = 0.5  # A call that takes no longer shows no bar, and imports none.


@contextmanager
def watched() -> "Iterator[tuple[Stop, Progress]]":
    """A Stop that ends the work after Ctrl+C, also where a library swallowed it, and a Progress that shows a bar.

    The bar is tqdm's where it is installed, which a notebook draws as well; else it is the line of the commands.
    """
    from explorer.scanning.pressed import noted

    with noted() as check, _bar() as show:

        def stop() -> bool:
            check()
            return False

        yield stop, show


@contextmanager
def _bar() -> "Iterator[Callable[[float], None]]":
    shown: list[_Bar] = []
    began = monotonic()

    def show(share: float) -> None:
        if not shown and monotonic() - began > _SOON_S:
            shown.append(_Bar())
        for bar in shown:
            bar.show(share)

    try:
        yield show
    finally:
        for bar in shown:
            bar.end()


class _Bar:
    """tqdm's bar where it is installed, else the line of the commands."""

    def __init__(self) -> None:
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            from explorer.progress_line import ProgressLine

            self._line = ProgressLine()
        else:
            form = "{l_bar}{bar}| {elapsed}<{remaining}"
            self._bar = tqdm(total=100, unit="%", leave=False, disable=None, bar_format=form)

    def show(self, share: float) -> None:
        """Show a share of the work as done."""
        if self._bar is None:
            self._line.show(f"{share:.0%}")
        else:
            self._bar.update(round(100 * share) - self._bar.n)

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is None:
            self._line.end()
        else:
            self._bar.close()
