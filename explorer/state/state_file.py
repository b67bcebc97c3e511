"""A State as a TOML file with a format version. Files are replaced only when completely written.

Files may come from strangers, so their size and depth are limited before they are parsed.
"""

import tomllib
from pathlib import Path

import tomli_w

from explorer.errors import BadState, ExplorerError, NewerState
from explorer.files import read_whole, replacing
from explorer.state.state import Settings, State
from explorer.toml_text import deep_line, too_deep

SUFFIX = ".explorer.toml"
VERSION = 1
_MOST_BYTES = 2**24  # bytes, more than a sentence of a million characters needs


def save_state(state: State, path: Path) -> None:
    """Write a State to a file. Raises CannotWrite, DiskFull."""
    content = written_state(state)
    with replacing(path) as unfinished:
        unfinished.write_bytes(content)


def written_state(state: State) -> bytes:
    """A State as TOML in UTF-8."""
    table = {"version": VERSION, **state.to_table()}
    # Pasted text may hold half a surrogate pair, which UTF-8 cannot encode: a question mark replaces it.
    return tomli_w.dumps(table).encode("utf-8", errors="replace")


def load_state(path: Path) -> tuple[State, tuple[str, ...]]:
    """The State in a file, and the unknown names in it. Raises CannotRead, BadState, NewerState."""
    return read_state(read_whole(path, _MOST_BYTES), str(path))


def read_state(content: bytes, path: str) -> tuple[State, tuple[str, ...]]:
    """The State in what `written_state` wrote, and the unknown names in it; errors call it `path`.

    Raises BadState, NewerState.
    """
    try:
        text = content.decode("utf-8")
        if deep_line(text):
            raise too_deep()
        table = tomllib.loads(text)
        version = table.pop("version", None)
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise BadState(path=path, reason="version ?")
        if version > VERSION:
            raise NewerState(path=path, version=version, known=VERSION)
        settings, unknown = Settings.read(table)
        if "preset" not in settings.wish:
            raise BadState(path=path, reason="preset ?")
        return State.from_preset(settings.wish["preset"]).changed(settings), unknown
    except BadState:
        raise
    except ExplorerError as error:  # The file holds a wrong knob, field or preset.
        raise BadState(path=path, reason=error) from error
    except RecursionError as error:
        raise BadState(path=path, reason=too_deep()) from error
    except (ValueError, OverflowError) as error:  # The file is no TOML or no UTF-8, or holds too long a number.
        raise BadState(path=path, reason=str(error)[:200]) from error
