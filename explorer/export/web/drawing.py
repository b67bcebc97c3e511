"""A drawing for a browser: light or dark as the reader's system is, with cells that answer.

Decision: one SVG whose colours are CSS variables, with each image of cells in a light and a dark version. Rejected: the whole
figure twice, which doubles the file, and painting by script, which shows nothing where scripts are not run.
"""

import base64
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.figure.drawing import AnsweringMap, Drawing
from explorer.picture.figure.png import encode_small
from explorer.picture.kinds import Axis
from explorer.picture.scales import palette
from explorer.picture.theme import DARK, LIGHT, Theme

_OWN = ("name", "signed_colours", "tiles", "on_dark", "on_light", "heads")  # No single colours of the page, or on data.
_MOST_CELLS = 2**16  # A map with more cells is shown without its values.
NAMES = tuple(field.name for field in attrs.fields(Theme) if field.name not in _OWN)
_VARIABLES: dict[str, Any] = {name: f"var(--{name.replace('_', '-')})" for name in NAMES}
WEB = attrs.evolve(LIGHT, heads=tuple(f"var(--head-{place})" for place in range(len(LIGHT.heads))), **_VARIABLES)
"""The theme whose colours are CSS variables."""


def variables(theme: Theme) -> str:
    """The CSS variables of a theme."""
    heads = "".join(f"--head-{place}:{colour};" for place, colour in enumerate(theme.heads))
    return "".join(f"--{name.replace('_', '-')}:{getattr(theme, name)};" for name in NAMES) + heads


class WebDrawing(Drawing):
    """A drawing with `places`, which are maps whose cells answer, as JSON values.

    `overs` are the SVG elements that are highlighted while a token is pointed at, by "source:3"; "" has those that are
    highlighted otherwise. `signed_by_theme` is True if signed numbers have other colours in the dark. It is False if numbers
    are written on them, whose ink is the same in both.
    """

    only_images = True

    def __init__(self, words: Words, *, signed_by_theme: bool = False) -> None:
        super().__init__(WEB, words)
        self.signed_by_theme = signed_by_theme
        self.places: list[dict[str, Any]] = []
        self.overs: dict[str, str] = {}

    def image(
        self, index: NDArray[np.uint8], colours: str, x: float, y: float, wide: float, high: float, opacity: float = 1
    ) -> None:
        """Add cells in both versions, a pixel each; the page says that pixels are not smoothed."""
        for theme in (LIGHT, DARK):
            png = encode_small(index, palette(self._in(theme, colours), theme))
            self.add_image(png, x, y, wide, high, opacity, f' class="{theme.name}"')

    def _in(self, theme: Theme, colours: str) -> str:
        """The colour table that stands for `colours` in a theme: some are declared once for each."""
        for name in ("tiles", "signed_colours") if self.signed_by_theme else ("tiles",):
            if colours == getattr(LIGHT, name):
                return str(getattr(theme, name))
        return colours

    def answer(self, place: AnsweringMap) -> None:
        """Let the cells of a map show their values."""
        if place.values.size > _MOST_CELLS:
            return
        (rows, columns), cells = place.values.shape, place.cells
        self.places.append(
            {
                "x": round(cells.x, 2),
                "y": round(cells.y, 2),
                "w": round(cells.wide / columns, 3),
                "h": round(cells.high / rows, 3),
                "rows": _axis(place.rows, rows),
                "columns": _axis(place.columns, columns),
                "values": base64.b64encode(place.values.astype("<f4").tobytes()).decode("ascii"),
                "title": place.caption.title,
                "tap": place.caption.tap,
                "reason": place.reason,
            }
        )


def _axis(axis: Axis, size: int) -> dict[str, Any]:
    return {"n": size, "labels": axis.labels, "side": axis.side, "shift": axis.shift}
