"""What a notebook asks a Trace for: its lines, its page, its figures, and the names that go on with what was typed.

Pictures are made in rooms above this one, which it does not import: the package itself says who makes them, as `lang` says how
an error reads.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.trace.trace import Trace


class Figure(Protocol):
    """A figure of a Trace, which a notebook shows; see `explorer.export.notebook.Figure`."""

    def _repr_svg_(self) -> str: ...

    def _repr_html_(self) -> str: ...

    def save(self, path: Any, *, dpi: float = ..., width_px: int | None = ...) -> None:
        """Write it to a file, whose suffix says the format."""


class Presenter(Protocol):
    """Who makes pictures of Traces."""

    def figure(self, trace: "Trace", tap: str, head: int | None, theme: str, language: str | None) -> Figure:
        """The figure of a tap."""

    def framed(self, trace: "Trace") -> str:
        """The page of a pass, as an HTML element."""


class Shown:
    """A Trace as a notebook shows it."""

    __slots__ = ()
    presented_by: ClassVar["Callable[[], Presenter] | None"] = None  # `explorer` sets it.
    axis_names: Mapping[str, tuple[str, ...]]

    def __repr__(self) -> str:
        """The Trace in at most ten lines."""
        from explorer.trace.summary_text import told

        return told(self._trace())

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after `trace["`: all names, and those with a star for all layers."""
        from explorer.trace.patterns import with_patterns

        return list(with_patterns(self.axis_names))

    def _repr_html_(self) -> str | None:
        """The river and all heads in a frame of their own; None where they cannot be drawn, so that the lines are shown."""
        try:
            return _presenter().framed(self._trace())
        except ExplorerError:
            return None

    def figure(self, tap: str = "", head: int | None = None, *, theme: str = "light", language: str | None = None) -> Figure:
        """The figure of a tap, of one head or of all together; "" is the river, a star in the name all layers.

        A notebook shows it with its values under the mouse; `save(path)` writes it as .svg, .png, .pdf, .html, or its numbers
        as .csv and so on. `theme` is "light" or "dark", `language` "zh", "en" or None for the system's.
        Raises UnknownTap, UnknownHead, NotKept, KnobNotAChoice.
        """
        return _presenter().figure(self._trace(), tap, head, theme, language)

    def _trace(self) -> "Trace":
        from explorer.trace.trace import Trace

        assert isinstance(self, Trace)  # Nothing else is a Shown.
        return self


def _presenter() -> Presenter:
    make = Shown.presented_by
    assert make is not None  # `import explorer` comes before every import of a room.
    return make()
