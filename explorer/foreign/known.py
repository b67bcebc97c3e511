"""The kinds of model that the installed transformers has, read off its own tables as text.

Importing transformers takes two seconds and brings torch along; a folder that cannot be opened is refused before that. The test
`tests/foreign/test_known.py` holds what is read here against the library itself.
"""

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from explorer.errors import CannotRead
from explorer.files import read_whole

_TABLES = ("configuration_auto.py", "auto_mappings.py")  # Which of them has the table depends on the version.
_MOST_BYTES = 2**22  # bytes of a table; it has 60 thousand
_ROW = re.compile(r'"(?!CONFIG_)([A-Za-z0-9_.-]+)"\s*[,:]\s*"\w+Config"')


@lru_cache(maxsize=1)
def known_families() -> frozenset[str]:
    """The families by their `model_type`; empty where transformers is not installed or keeps its tables elsewhere."""
    found = find_spec("transformers")
    homes = [] if found is None else found.submodule_search_locations or []
    texts = (_text(Path(home) / "models" / "auto" / name) for home in homes for name in _TABLES)
    return frozenset(family for text in texts for family in _ROW.findall(text))


def _text(file: Path) -> str:
    try:
        return read_whole(file, _MOST_BYTES).decode()
    except (CannotRead, ValueError):
        return ""
