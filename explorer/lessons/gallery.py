"""Example sentences, each with a line on what to look at. They are data: `assets/gallery.toml`."""

import tomllib

import attrs

from explorer.lessons.lesson import Text
from explorer.resources import asset_text


@attrs.frozen
class Example:
    """A sentence for the bundled translator, its translation, and what to look at."""

    text: str
    written: str
    note: Text


def gallery() -> tuple[Example, ...]:
    """All examples, in order. Raises MissingAsset."""
    rows = tomllib.loads(asset_text("gallery.toml"))["sentence"]
    return tuple(Example(row["text"], row["written"], Text(row["zh"], row["en"])) for row in rows)
