"""Preferences of several entries, changed by two windows; and by two programs, which share a file and nothing else."""

import subprocess
import sys
from functools import partial

import pytest

from explorer.app.session.preferences import Preferences, SharedEntries, read_json, read_line, written_json, written_line

OTHER = """
import sys
from functools import partial
from explorer.app.session.preferences import Preferences
preferences = Preferences()
for number in range(int(sys.argv[2])):
    preferences.change("sessions", lambda text: f"{text} {sys.argv[1]}{number}")
"""


def shared(name: str, read: object, written: object) -> SharedEntries:
    found = SharedEntries(partial(Preferences().change, name), read, written)  # type: ignore[arg-type]
    found.begin()
    return found


def test_each_window_writes_what_it_has_changed() -> None:
    """Keys of actions: one sets one, the other another and takes one away."""
    first = shared("shortcuts", read_json, written_json)
    first.put('{"export": "Ctrl+1", "copy": "Ctrl+2"}')
    second = shared("shortcuts", read_json, written_json)
    first.put('{"export": "Ctrl+3", "copy": "Ctrl+2"}')
    second.put('{"export": "Ctrl+1", "undo": "Ctrl+4"}')
    assert read_json(Preferences().text("shortcuts")) == {"export": "Ctrl+3", "undo": "Ctrl+4"}


def test_hidden_cards_of_two_pages_are_both_hidden() -> None:
    """And none is brought back by the other window."""
    first, second = (shared("hidden_cards", read_line, written_line) for _each in range(2))
    first.put("attention:0,2")
    second.put("layers:1")
    assert read_line(Preferences().text("hidden_cards")) == {"attention": "0,2", "layers": "1"}
    first.put("")
    assert Preferences().text("hidden_cards") == "layers:1"


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000])
def test_what_cannot_be_read_has_no_entries(text: str) -> None:
    """A file of preferences may have been edited."""
    assert read_json(text) == {}


def test_no_change_of_several_programs_is_lost() -> None:
    """Each adds to one text as fast as it can, and all of it is there in the end."""
    running = [subprocess.Popen([sys.executable, "-c", OTHER, name, "20"]) for name in "abc"]
    assert [each.wait(120) for each in running] == [0, 0, 0]
    found = Preferences().text("sessions").split()
    assert sorted(found) == sorted(f"{name}{number}" for name in "abc" for number in range(20))
