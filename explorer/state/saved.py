"""The contents of a session file: a State, and what else is known when it is opened or comes back.

A file that a person saves holds the State and the SHA-256 of its weights. The file that the program keeps to come back after
its end also holds, in a table `kept`, the session file to which it belongs.
"""

from pathlib import Path
from typing import Any

import attrs

from explorer.errors import BadState, ExplorerError
from explorer.state.state import State, read_table_of
from explorer.state.state_file import write_table


@attrs.frozen(kw_only=True)
class Saved:
    """A State from a file. `unknown` are names in it that this version does not know and has left out.

    `other_weights` is True if the preset's weights differ from those that the session was saved with. `session` is the file to
    which the State belongs, "" for none; `changed` is True if the State has changes that this file lacks. `was_shown` is True
    if the State had been on screen when it was written. `own` is what was set up before the lesson that is open in it.
    """

    state: State
    session: str = ""
    changed: bool = False
    was_shown: bool = True
    own: State | None = None
    unknown: tuple[str, ...] = ()
    other_weights: bool = False

    def keep(self, path: Path) -> None:
        """Write what comes back after the program's end. Raises CannotWrite, DiskFull."""
        kept: dict[str, Any] = {"session": self.session, "changed": self.changed, "was_shown": self.was_shown}
        if self.own is not None:
            kept["own"] = self.own.to_table()
        write_table({**self.state.to_table(), "kept": kept}, path)


def read_saved(path: Path) -> Saved:
    """The contents of a session file. Raises CannotRead, CannotWrite, BadState, NewerState."""
    table = read_table_of(path)
    kept, weights = _kept(table.pop("kept", {}), path), table.pop("weights", "")
    state, unknown = State.of_table(table, path)
    return Saved(state=state, unknown=unknown, other_weights=_differ(weights, state), **kept)


def _kept(table: Any, path: Path) -> dict[str, Any]:
    """The fields of a Saved in the table `kept`. Raises BadState."""
    kinds = {"session": str, "changed": bool, "was_shown": bool}
    if not isinstance(table, dict) or any(type(table[name]) is not kind for name, kind in kinds.items() if name in table):
        raise BadState(path=str(path), reason="kept ?")
    own = _own(table["own"], path) if "own" in table else None
    return {"own": own, **{name: table[name] for name in kinds if name in table}}


def _own(table: Any, path: Path) -> State | None:
    """What was set up before a lesson; None where it cannot be had any more, such as a preset that is gone."""
    try:
        return State.of_table(table, path)[0] if isinstance(table, dict) else None
    except ExplorerError:
        return None


def _differ(weights: object, state: State) -> bool:
    if not weights:
        return False
    from explorer.state.bundle import weights_sha256  # What comes back at each start does not say it.

    try:
        return weights != weights_sha256(state.wish.preset)
    except ExplorerError:  # The weights cannot be read; the pass that needs them says so.
        return False
