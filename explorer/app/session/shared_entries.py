"""A preference of several entries, such as the keys of actions, of which each window of the program changes some.

A window writes what it has changed itself, over what the file holds by then: so of two windows neither undoes the other's.
"""

import json
from collections.abc import Callable

from explorer.json_text import read_json_text

Entries = dict[str, object]


class SharedEntries:
    """The entries as a window last wrote or read them. `change` is that of `Preferences` for one name."""

    def __init__(
        self, change: Callable[[Callable[[str], str]], str], read: Callable[[str], Entries], written: Callable[[Entries], str]
    ) -> None:
        self._change, self._read, self._written = change, read, written
        self._before: Entries = {}

    def begin(self) -> str:
        """The kept text."""
        text = self._change(lambda text: text)
        self._before = self._read(text)
        return text

    def put(self, text: str) -> None:
        """Write the entries that have changed in this window since it last wrote."""
        before, now = self._before, self._read(text)
        changed = {name for name in before | now if before.get(name) != now.get(name)}
        own = {name: value for name, value in now.items() if name in changed}

        def merged(kept: str) -> str:
            theirs = {name: value for name, value in self._read(kept).items() if name not in changed}
            return self._written(theirs | own)

        self._change(merged)
        self._before = now


def read_json(text: str) -> Entries:
    """The entries of a JSON object; none of anything else."""
    try:
        found = read_json_text(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def written_json(entries: Entries) -> str:
    """The entries as a JSON object, "" for none."""
    return json.dumps(entries) if entries else ""


def read_line(text: str) -> Entries:
    """The entries of a line such as "attention:0,2 layers:1"."""
    return {name: value for name, _colon, value in (entry.partition(":") for entry in text.split())}


def written_line(entries: Entries) -> str:
    """The entries as such a line."""
    return " ".join(f"{name}:{value}" for name, value in entries.items())
