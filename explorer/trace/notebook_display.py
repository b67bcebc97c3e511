"""How a notebook displays a Trace: its figures, and its page in a frame.

Pictures are made in rooms above this one, which it does not import: the package itself says who makes them, as `lang` says how
an error reads.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from explorer.errors import ExplorerError


class DisplayedFigure(Protocol):
    """A figure of a Trace, which a notebook shows; see `explorer.export.notebook.Figure`."""

    def svg(self) -> str:
        """The figure as an SVG element."""

    def _repr_html_(self) -> str: ...

    def save(self, path: Any, *, dpi: float = ..., width_px: int | None = ...) -> None:
        """Write it to a file, whose suffix says the format."""


class FigureMaker(Protocol):
    """Who makes pictures of a Trace, which stands above this file and is Any here."""

    def figure(self, trace: Any, tap: str, head: int | None, theme: str, language: str | None) -> DisplayedFigure:
        """The figure of a tap."""

    def widget(self, trace: Any, tap: str, head: int | None, language: str | None) -> Any:
        """The widget of a tap."""

    def framed(self, trace: Any) -> str:
        """The page of a pass, as an HTML element."""

    def results(self, found: Any) -> str:
        """The maps of a result over prompts, as HTML elements."""


class NotebookDisplay:
    """What a Trace gives a notebook to display."""

    __slots__ = ()
    presented_by: ClassVar[Callable[[], FigureMaker] | None] = None  # `explorer` sets it.

    def _repr_html_(self) -> str | None:
        """The river and all heads in a frame of their own; None where they cannot be drawn, so that the lines are shown."""
        try:
            return _presenter().framed(self)
        except ExplorerError:
            return None

    def figure(
        self, tap: str = "", head: int | None = None, *, theme: str = "light", language: str | None = None
    ) -> DisplayedFigure:
        """The figure of a tap, of one head or of all together; "" is the river, a star in the name all layers.

        A notebook shows it with its values under the mouse; `save(path)` writes it as .svg, .png, .pdf, .html, or its numbers
        as .csv and so on. `theme` is "light" or "dark", `language` "zh", "en" or None for the system's.
        Raises UnknownTap, UnknownHead, NotKept, KnobNotAChoice.
        """
        return _presenter().figure(self, tap, head, theme, language)

    def widget(self, tap: str = "", head: int | None = None, *, language: str | None = None) -> Any:
        """The same figure as a widget of a notebook, which tells Python what is clicked; it needs the extra "notebook".

        `widget.selected` is None or (side, layer, head, query, key), with None for what that has not, `widget.tap` the name of
        the tensor, `widget.cell` the cell of one head's attention, or None. All but the last can be set: the cell is then
        framed. A head that is clicked in the river is drawn in it. `widget.observe(function, "selected")` calls a function
        whenever something is clicked. It is light or dark as the notebook is.
        Raises UnknownTap, UnknownHead, NotKept, KnobNotAChoice, ExtraMissing.
        """
        return _presenter().widget(self, tap, head, language)


def drawn_results(found: Any) -> str:
    """The maps of a result over prompts, or of patching one text, as HTML elements."""
    return _presenter().results(found)


def _presenter() -> FigureMaker:
    make = NotebookDisplay.presented_by
    assert make is not None  # `import explorer` comes before every import of a room.
    return make()
