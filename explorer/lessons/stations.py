"""The six stations of a class of 45 minutes. They are data: `assets/manual/class.toml`."""

import tomllib

import attrs

from explorer.lang import told_text
from explorer.lessons.lesson import Text
from explorer.state.state import State

_FILE = "manual/class.toml"


@attrs.frozen
class Station:
    """What a class sees and does for some minutes; `text` is Markdown, `state` what the station's link opens."""

    title: Text
    text: Text
    minutes: int
    state: State


def stations() -> tuple[Station, ...]:
    """All stations in their order. Raises MissingAsset, BadState."""
    rows = tomllib.loads(told_text(_FILE))["station"]
    return tuple(
        Station(
            Text(row["title_zh"], row["title_en"]),
            Text(row["zh"], row["en"]),
            row["minutes"],
            State.of_table(row["state"], _FILE)[0],
        )
        for row in rows
    )
