r"""JSON of unknown origin, read with the limits that Python's reader lacks.

Python's reader turns `"\ud800"` into half a surrogate pair, which no file can hold, so that writing it fails later. Here U+FFFD
replaces it. A whole number of four hundred digits, which no float can hold, is refused, and so are tables nested so deeply that
the reader gives up.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_LONGEST_SHOWN, _MOST_SHOWN = 40, 4  # characters of a text or a number, and values of a list, that a sentence can hold
_LONGEST_NUMBER = 300  # digits; the largest float has 309
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
# Escapes are taken one after the other from the left, so that the second of two backslashes begins none.
_ESCAPE = re.compile(
    r"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\ud800-\udfff])|\\.",
    re.DOTALL,
)


def read_json_text(content: bytes | str) -> Any:
    """The value of a text in JSON. Raises ValueError if it is no JSON, nests too deeply, or holds too long a number."""
    text = content if isinstance(content, str) else content.decode(json.detect_encoding(content))
    if _HALF.search(text):
        text = _ESCAPE.sub(lambda found: "\ufffd" if found["half"] else found[0], text)
    try:
        return json.loads(text, parse_int=_whole)
    except RecursionError as error:
        raise ValueError("[[[[…]]]]") from error


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError(f"{digits[:10]}… ({len(digits)})")
    return int(digits)


def shown(value: Any) -> str:
    """A value in JSON, shortened with …, so that a sentence shows it and its type."""
    if isinstance(value, str):
        return json.dumps(_cut(value), ensure_ascii=False)
    if isinstance(value, list | tuple):
        inside = [shown(each) for each in value[:_MOST_SHOWN]]
        return f"[{', '.join([*inside, '…'] if len(value) > _MOST_SHOWN else inside)}]"
    if isinstance(value, Mapping):
        return "{…}" if value else "{}"
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.6g}"
    return _cut(json.dumps(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
