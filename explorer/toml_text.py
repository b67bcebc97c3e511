"""TOML of unknown origin, bounded before it is read: its reader goes down a call for each bracket, and keeps each beginning
of a key of many parts, so that a hundred thousand of either end the process."""

import re

from explorer.errors import OverLimit

DEEPEST = 16  # brackets in each other, and parts of a key
# Texts and comments, so that what stands in them is not taken for brackets and keys. All are of TOML's kinds; one that is
# never closed goes to the end of its line, or of the file, so that no place is looked at twice.
_TEXTS = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\\?\Z)|'
    r"'''(?:[^']|'(?!''))*+(?:'''|\Z)|"
    r'"(?:[^"\\\n]|\\.)*+(?:"|(?=\n)|\\?\Z)|'
    r"'[^'\n]*+(?:'|(?=\n)|\Z)|#[^\n]*+",
    re.DOTALL,
)


def deep_line(text: str) -> int:
    """The first line where brackets, or the parts of a key, lie deeper in each other than may be; 0 where none do."""
    plain = _TEXTS.sub(lambda found: "\n" * found[0].count("\n"), text)
    depth = parts = 0
    for found in re.finditer(r"[\[\]{}.,=\n]", plain):
        mark = found[0]
        depth = max(0, depth + (mark in "[{") - (mark in "]}"))
        parts = parts + 1 if mark == "." else 0
        if depth > DEEPEST or parts > DEEPEST:
            return plain.count("\n", 0, found.start()) + 1
    return 0


def too_deep() -> OverLimit:
    """The error that says so."""
    return OverLimit(name="[ {", limit=DEEPEST, got=f"> {DEEPEST}")
