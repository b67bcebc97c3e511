"""Images of marks, kept as long as the marks: those that the next picture has as well are painted once.

When another head of a river is chosen, bands, lanes and cells of all other heads are the same marks.
"""

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from explorer.picture.theme import Theme

_Image = TypeVar("_Image")
_images: "WeakKeyDictionary[Any, tuple[Theme, float, Any]]" = WeakKeyDictionary()


def kept_image(item: object, theme: Theme, ratio: float, make: Callable[[], _Image]) -> _Image:
    """The image that was made of a mark for a theme and a ratio of pixels to px, or one that is made now."""
    found = _images.get(item)
    if found is None or found[0] is not theme or found[1] != ratio:
        found = _images[item] = theme, ratio, make()
    made: _Image = found[2]
    return made
