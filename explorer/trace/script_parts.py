"""What a script that repeats a pass needs beside its Trace, and what only the owner of the model knows."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import attrs

from explorer.trace.trace import Tokens


@attrs.frozen
class ScriptParts:
    """Where the `weights` of the model lie; None where they are drawn from a seed and are in no file.

    `lent` has the tokens of the other texts that changes of the kind "patch" take their numbers from, by text.
    """

    weights: Path | None = None
    lent: Mapping[str, Tokens] = MappingProxyType({})
