"""A State as a line of text to send in a message: "explorer:" and the compressed contents of its file; and Intents to open one.

Links are of unknown origin, as files are, so their size is limited before they are unpacked.
"""

import binascii
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import attrs

from explorer import page_list
from explorer.errors import BadState, CannotOpenPrompt
from explorer.state.intents import Intent, OnScreen
from explorer.state.state import State
from explorer.state.state_file import parsed, to_toml


@attrs.frozen
class OpenState(Intent):
    """Set up all that the State of a session file holds, as one step of undo.

    `own` is what was set up before the lesson that is open in it, if that is known.
    """

    state: State
    own: State | None = None

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State of the file. A page that this version does not have, or that no file names, stays the one in front."""
        known = self.state.page in page_list.KEYS
        return self.state if known else attrs.evolve(self.state, page=state.page)


@attrs.frozen
class OpenPrompt(Intent):
    """Set up the model that a result over prompts was computed with, and one of its prompts; one step of undo.

    `made_with` is the table of a State, and `other` the text whose activations were patched in, "" for none.
    """

    made_with: Mapping[str, Any] = attrs.field(hash=False)
    text: str
    other: str = ""

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this model and sentence. Raises CannotOpenPrompt."""
        try:
            found, _unknown = State.of_table({**self.made_with, "text": self.text, "other": self.other}, _NAME)
        except BadState as error:
            raise CannotOpenPrompt(reason=error.values["reason"]) from error
        return attrs.evolve(state, wish=found.wish)


_PREFIX, _NAME = "explorer:", "explorer:…"
_LINK = re.compile(rf"{_PREFIX}([A-Za-z0-9_-]{{24,}})")  # No State is shorter.
_MOST_BYTES = 2**20  # of the text that is unpacked


def link_of(state: State) -> str:
    """The link that holds a State: letters, digits, "-" and "_" after the colon, so that no program breaks it."""
    return _PREFIX + urlsafe_b64encode(zlib.compress(to_toml(state.to_table()), 9)).decode("ascii").rstrip("=")


def link_in(text: str) -> str:
    """The first link within a text; "" where there is none."""
    found = _LINK.search(text)
    return "" if found is None else found[0]


def state_of(link: str) -> tuple[State, tuple[str, ...]]:
    """The State in a link, and the unknown names in it. Raises BadState, NewerState."""
    packed = link.removeprefix(_PREFIX)
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), _MOST_BYTES)
    except (zlib.error, binascii.Error) as error:
        raise BadState(path=_NAME, reason=str(error)) from error
    if not unpacking.eof:  # It is cut short, or holds more than any State that somebody would send.
        raise BadState(path=_NAME, reason=f"{len(content)} B …")
    return State.of_table(parsed(content, _NAME), _NAME)


@attrs.frozen
class OpenLink(Intent):
    """Set up the State in a link."""

    link: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State in the link. Raises BadState, NewerState."""
        return OpenState(state_of(self.link)[0]).applied(state, shown)
