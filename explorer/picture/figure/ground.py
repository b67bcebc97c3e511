"""The colours of signed numbers on the ground of a file."""

from typing import Any, TypeVar

import attrs

from explorer.picture.kinds import Picture, Strips
from explorer.picture.scales import Scale
from explorer.picture.theme import THEMES, Theme

P = TypeVar("P", bound=Picture)


def on_ground(picture: P, theme: Theme) -> P:
    """The picture in the signed colours of a theme, unless somebody has chosen others than those of the themes.

    A window may be dark and its files light, or the other way round.
    """
    own = {each.signed_colours for each in THEMES.values()}
    other: dict[str, Any] = {}
    for name in ("scale", "difference_scale"):
        scale = getattr(picture, name, None)
        if isinstance(scale, Scale) and scale.colours in own:
            other[name] = attrs.evolve(scale, colours=theme.signed_colours)
    if getattr(picture, "signed_colours", None) in own:
        other["signed_colours"] = theme.signed_colours
    if isinstance(picture, Strips):
        other["bands"] = tuple(on_ground(band, theme) for band in picture.bands)
    made: P = attrs.evolve(picture, **other)  # type: ignore[misc]  # All kinds are attrs.
    return made
