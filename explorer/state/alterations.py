"""The changes and turned knobs in a JSON file: the one that stands beside an exported picture, or a list of changes.

So a picture of a changed pass can be made again, and its changes be tried on other sentences.
"""

from collections.abc import Mapping
from pathlib import Path

from explorer.errors import BadChange, BadChangesFile, OverLimit
from explorer.files import read_whole
from explorer.json_text import read_json_text
from explorer.knobs import Value
from explorer.state.breaks import BREAKS
from explorer.toml_text import deep_line, too_deep
from explorer.trace.changes import Change, changes_from, switched_on

_MOST_BYTES = 2**24  # bytes


def read_alterations(path: Path) -> tuple[tuple[Change, ...], Mapping[str, Value]]:
    """The changes that are on, and the knobs that the change page switches. Raises CannotRead, NotAFile, BadChangesFile."""
    try:
        text = read_whole(path, _MOST_BYTES).decode("utf-8-sig")
        if deep_line(text):
            raise too_deep()
        content = read_json_text(text)
        table = content if isinstance(content, dict) else {"changes": content}
        config = table.get("config")
        knobs = {name: config[name] for name in BREAKS if name in config} if isinstance(config, dict) else {}
        return switched_on(changes_from(table.get("changes", ()))), knobs
    except (BadChange, OverLimit) as error:
        raise BadChangesFile(path=str(path), reason=error) from error
    except ValueError as error:  # The file is no JSON or no UTF-8.
        raise BadChangesFile(path=str(path), reason=str(error)[:200]) from error
