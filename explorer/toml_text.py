"""Limits on TOML text of unknown origin, checked before it is parsed.

Python's parser makes a nested call for each bracket and keeps every prefix of a dotted key, so a hundred thousand brackets
or key parts would end the process.
"""

import re

from explorer.errors import OverLimit

DEEPEST = 16  # nested brackets, and parts of a key
# TOML's kinds of strings and comments, which are removed so that their contents do not count as brackets and keys. An
# unclosed string goes to the end of its line, or of the file, so that no character is looked at twice. Inside a repetition that
# gives nothing back (*+) nothing looks ahead and nothing is optional: Python 3.11.2, which
# Debian 12 has, then gives back too much.
_TEXTS = re.compile(
    r'"""(?:[^"\\]|\\.|"[^"\\]|"\\.|""[^"\\]|""\\.)*+(?:"""|"{0,2}\\?\Z)|'
    r"'''(?:[^']|'[^']|''[^'])*+(?:'''|'{0,2}\Z)|"
    r'"(?:[^"\\\n]|\\.)*+(?:"|(?=\n)|\\?\Z)|'
    r"'[^'\n]*+(?:'|(?=\n)|\Z)|#[^\n]*+",
    re.DOTALL,
)


def deep_line(text: str) -> int:
    """The first line (from 1) where brackets are nested too deeply or a key has too many parts; 0 without such a line."""
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
    """The error for text that `deep_line` refuses."""
    return OverLimit(name="[ {", limit=DEEPEST, got=f"> {DEEPEST}")
