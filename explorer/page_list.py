"""The pages of the window, in the order of header, menu and keys. A further page is a line here and a file of its own.

The page `key` stands in `explorer/app/pages/<key>_page.py`, which ends in `PAGE`, its class; it is imported when the page is
first opened. Here are the keys alone, so that a lesson or a file can name a page where there is no window.
"""

KEYS = (
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


def module_of(key: str) -> str:
    """The module of a page, by its whole name."""
    return f"explorer.app.pages.{key}_page"
