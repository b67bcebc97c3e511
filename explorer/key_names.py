"""Keys as a Mac writes them: all texts say Ctrl, Shift and Alt, for which people know ⌘, ⇧ and ⌥ there."""

import re
import sys

_SIGNS = {"Alt": "⌥", "Shift": "⇧", "Ctrl": "⌘"}  # in Apple's order
_KEYS = re.compile(
    r"(?<![A-Za-z+])(?:"
    r"(?P<terminal>Ctrl\+C(?![A-Za-z]))"  # It ends a command, and a Mac's terminal wants Control for it, too.
    r"|(?P<held>(?:(?:Ctrl|Shift|Alt)\+)+)(?P<does>(?=[a-z\u4e00-\u9fff]))?"  # "Ctrl+click", "Ctrl+单击"
    r"|(?P<alone>Ctrl|Alt)(?![A-Za-z+])"
    r")"
)


def native(text: str, platform: str = "") -> str:
    """The text with its keys as this system writes them: "⇧⌘S" for "Ctrl+Shift+S" on macOS, elsewhere the text itself."""
    return _KEYS.sub(_on_a_mac, text) if (platform or sys.platform) == "darwin" else text


def _on_a_mac(found: re.Match[str]) -> str:
    if found["terminal"]:
        return found[0]
    if found["alone"]:
        return _SIGNS[found["alone"]]
    held = "".join(sign for name, sign in _SIGNS.items() if name in found["held"].split("+"))
    return held if found["does"] is None else f"{held}-"
