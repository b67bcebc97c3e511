"""A figure as a widget of a notebook, which answers the mouse and tells Python what is selected.

Decision: anywidget, the one way that JupyterLab, VS Code and Colab share; it needs no extension of theirs and no network.
Rejected: a message from the page's frame, which a notebook on another server cannot receive.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs

from explorer.errors import ExtraMissing
from explorer.export.web.figures import SCRIPT, answering_figure, dark_rules, fonts_of, packed, styles
from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.figure.text import clean
from explorer.picture.picture import Picture
from explorer.resources import asset_text
from explorer.state.look import Look
from explorer.trace.tap_names import Cell, cell_in

if TYPE_CHECKING:
    from anywidget import AnyWidget


def widget(look: Look, words: Words, draw: Callable[[Look], Picture]) -> "AnyWidget":
    """A widget of the picture that `draw` makes for a Look; a head that is clicked in a river is then drawn there.

    Its `selected` is None, or (side, layer, head, query, key) of what was clicked last, with None for what that has not, and
    `tap` is the name of the tensor; both can be set, too. Raises ExtraMissing.
    """
    made = _kind()(_esm=SCRIPT + asset_text("web/widget.js"), sheet=_sheet())

    def show(look: Look) -> None:
        picture = draw(look)
        figures = [answering_figure(picture, words)]
        made.set_trait("fonts", fonts_of(figures))
        made.set_trait("name", clean(in_words(picture, words)))
        made.set_trait("figures", packed(figures))

    def follow(change: dict[str, Any]) -> None:
        selected = change["new"]
        if selected is not None and selected[2] is not None and selected[3] is None:
            side, layer, head, _query, _key = selected
            attention = f"{side}.{made.tap.split('.')[3]}"
            show(attrs.evolve(look, attention=attention, layer=layer, head=head))

    show(look)
    made.observe(follow, "selected")
    return made


def _sheet() -> str:
    return styles(".widget", dark_rules(".widget.is-dark"), "web/widget.css")


@lru_cache(maxsize=1)  # A class is made once.
def _kind() -> Any:
    """The class of the widget, which needs anywidget. Raises ExtraMissing."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ExtraMissing(name="anywidget", extra="notebook") from error

    class PassWidget(anywidget.AnyWidget):  # type: ignore[misc]  # It has no types.
        """A figure of a Trace; `selected` and `tap` say what was clicked last."""

        figures = traitlets.Unicode().tag(sync=True)
        fonts = traitlets.Unicode().tag(sync=True)
        sheet = traitlets.Unicode().tag(sync=True)
        name = traitlets.Unicode().tag(sync=True)
        tap = traitlets.Unicode().tag(sync=True)
        selected = traitlets.Any(None, allow_none=True).tag(sync=True, from_json=lambda value, _widget: value and tuple(value))

        @property
        def cell(self) -> Cell | None:
            """The Cell of one head's attention that is selected; None where something else is, or nothing."""
            if self.selected is None or self.selected[3] is None:
                return None
            return cell_in(self.tap, *self.selected[2:])

    return PassWidget
