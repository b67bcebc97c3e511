"""Images of the items of a scene, for as long as there are the items: what stands in the next scene, too, is painted once."""

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from explorer.picture.theme import Theme

_Image = TypeVar("_Image")
_images: "WeakKeyDictionary[Any, tuple[Theme, float, Any]]" = WeakKeyDictionary()


def kept_image(item: object, theme: Theme, ratio: float, make: Callable[[], _Image]) -> _Image:
    """What was made of an item for a theme and so many pixels in a px, or what is made now."""
    found = _images.get(item)
    if found is None or found[0] is not theme or found[1] != ratio:
        found = _images[item] = theme, ratio, make()
    made: _Image = found[2]
    return made
