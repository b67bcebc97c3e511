"""Example sentences of a bundled model, each with a line on what to look at: data, `examples.toml` in the preset's folder."""

import tomllib

import attrs

from explorer.files import read_whole
from explorer.lessons.lesson import Text
from explorer.presets import load_preset, preset_names

_FILE, _MOST_BYTES = "examples.toml", 2**20


@attrs.frozen
class Example:
    """A sentence, what the model makes of it, and what to look at.

    `claim` is a formula over its pass, as in a lesson, and `least` what it gives at least; "" where the note needs none.
    """

    text: str
    written: str
    note: Text
    claim: str = ""
    least: float = 0.0


def gallery(preset: str) -> tuple[Example, ...]:
    """The examples of a preset, in order; () for one without. Raises UnknownPreset, BadPreset."""
    folder = load_preset(preset).folder
    if folder is None or not (folder / _FILE).is_file():
        return ()
    rows = tomllib.loads(read_whole(folder / _FILE, _MOST_BYTES).decode("utf-8"))["sentence"]
    return tuple(
        Example(row["text"], row["written"], Text(row["zh"], row["en"]), row.get("claim", ""), row.get("least", 0.0))
        for row in rows
    )


def galleries() -> dict[str, tuple[Example, ...]]:
    """The examples of each bundled preset that has some."""
    return {name: found for name in preset_names() if (found := gallery(name))}
