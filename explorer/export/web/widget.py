"""A figure as a widget of a notebook, which answers the mouse and tells Python what is selected.

Decision: anywidget, the one way that JupyterLab, VS Code and Colab share; it needs no extension of theirs and no network.
Rejected: a message from the page's frame, which a notebook on another server cannot receive.
"""

from collections.abc import Callable
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


def _kind() -> Any:
    """The class of the widget. Raises ExtraMissing without anywidget."""
    try:
        from explorer.export.web.pass_widget import PassWidget
    except ImportError as error:
        raise ExtraMissing(name="anywidget", extra="notebook") from error
    return PassWidget
