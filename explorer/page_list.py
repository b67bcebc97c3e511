"""The pages of the window, in the order of header, menu and keys. A new page needs a line here and a file of its own.

The file of a page is `explorer/app/pages/<key>_page.py`; it sets `PAGE` to its class and is imported when the page is first
opened. These lists hold keys alone, so that lessons and files can name pages without a window.
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
    "follow",
    "why",
    "effects",
    "change",
    "patching",
    "saliency",
    "steering",
)

STAYING = (
    "overview",
    "attention",
    "change",
    "why",
    "output",
    "effects",
    "follow",
    "tokens",
    "layers",
    "position",
    "compare",
    "stepper",
    "masks",
    "embedding",
)
"""The pages whose buttons stay longest when the window becomes narrow; all others go first, then these from the last on."""


def module_of(key: str) -> str:
    """The full name of a page's module."""
    return f"explorer.app.pages.{key}_page"
