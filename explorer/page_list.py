"""The pages of the window, by the places that hold them. A new page needs its key in a place here and a file of its own.

The file of a page is `explorer/app/pages/<key>_page.py`; it sets `PAGE` to its class and is imported when the page is first
opened. These lists hold keys alone, so that lessons and files can name pages without a window.
"""

PLACES: dict[str, tuple[str, ...]] = {
    "overview": ("overview",),
    "inside": ("tokens", "embedding", "position", "attention", "masks", "layers", "output"),
    "steps": ("stepper", "follow"),
    "attribution": ("why", "effects", "saliency"),
    "interventions": ("change", "patching", "steering"),
    "compare": ("compare", "inspector"),
    "training": ("training",),
}
"""Each place of the header answers one question; its pages are the tabs below the header. All stand in the order on screen."""

KEYS = tuple(page for pages in PLACES.values() for page in pages)

WITH_DIGITS = (
    "overview",
    "tokens",
    "embedding",
    "position",
    "attention",
    "stepper",
    "masks",
    "layers",
    "output",
    "compare",
    "inspector",
)
"""The pages that Ctrl with a key of the row of digits opens, in the order of that row. What a key opens never changes."""


def place_of(key: str) -> str:
    """The place that holds a page."""
    return next(place for place, pages in PLACES.items() if key in pages)


def module_of(key: str) -> str:
    """The full name of a page's module."""
    return f"explorer.app.pages.{key}_page"
