"""Refuses texts that cannot be tokenized, before anything else uses them."""

import regex

from explorer.errors import ControlCharacter, EmptyText, LoneSurrogate

# Tab, line feed and carriage return are white space for a reader. All other control characters are invisible.
_FORBIDDEN = regex.compile(r"(?P<control>[\p{Cc}--[\t\n\r]])|\p{Cs}", regex.VERSION1)


def check_text(text: str) -> str:
    """`text` itself. Raises EmptyText, ControlCharacter or LoneSurrogate."""
    found = _FORBIDDEN.search(text)
    if found:
        kind = ControlCharacter if found["control"] else LoneSurrogate
        raise kind(place=found.start() + 1, code=f"U+{ord(found[0]):04X}")
    if not text.strip():
        raise EmptyText
    return text
