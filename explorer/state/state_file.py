"""A State as a file: TOML that people can read, with the number of its format, replaced whole.

Files of strangers are bounded before they are read.
"""

import tomllib
from pathlib import Path

import tomli_w

from explorer.errors import BadState, CannotRead, ExplorerError, NewerState
from explorer.files import read_whole, replacing
from explorer.state.state import Settings, State
from explorer.toml_text import deep_line, too_deep

SUFFIX = ".explorer.toml"
VERSION = 1
_MOST_BYTES = 2**24  # a sentence of a million characters, and some more


def save_state(state: State, path: Path) -> None:
    """Write a State, replacing the file only when all is written. Raises CannotWrite, DiskFull."""
    table = {"version": VERSION, **state.to_table()}
    # Half a surrogate, which a text that was pasted may hold, is in no file: a question mark stands for it.
    content = tomli_w.dumps(table).encode("utf-8", errors="replace")
    with replacing(path) as unfinished:
        unfinished.write_bytes(content)


def load_state(path: Path) -> tuple[State, tuple[str, ...]]:
    """The State in a file, and the names in it that this version does not know. Raises CannotRead, BadState, NewerState."""
    try:
        text = read_whole(path, _MOST_BYTES).decode("utf-8")
        if deep_line(text):
            raise too_deep()
        table = tomllib.loads(text)
        version = table.pop("version", None)
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise BadState(path=str(path), reason="version ?")
        if version > VERSION:
            raise NewerState(path=str(path), version=version, known=VERSION)
        settings, unknown = Settings.read(table)
        if "preset" not in settings.wish:
            raise BadState(path=str(path), reason="preset ?")
        return State.from_preset(settings.wish["preset"]).changed(settings), unknown
    except (BadState, CannotRead):
        raise
    except ExplorerError as error:  # a knob, a field or a preset that is none
        raise BadState(path=str(path), reason=error) from error
    except RecursionError as error:
        raise BadState(path=str(path), reason=too_deep()) from error
    except (ValueError, OverflowError) as error:  # no TOML, no UTF-8, a number of too many figures
        raise BadState(path=str(path), reason=str(error)[:200]) from error
