"""The last recorded passes of a translator: a step back, or a letter taken back, needs no pass.

What was recorded is the same again for the same tokens, knobs and changes, bit for bit, so it is kept and not made anew.
"""

from collections import OrderedDict
from collections.abc import Hashable

from explorer.engine.sources.source import Begun

_MOST = 8
_MOST_BYTES = 2**25  # of all together; a translator's pass over 16 tokens on each side has 3 MB.


class KeptPasses:
    """Whole passes, each by all that it depends on."""

    def __init__(self) -> None:
        self._passes: OrderedDict[Hashable, Begun] = OrderedDict()

    def get(self, key: Hashable) -> Begun | None:
        """The pass of a key, if it is still there."""
        found = self._passes.get(key)
        if found is not None:
            self._passes.move_to_end(key)
        return found

    def put(self, key: Hashable, made: Begun) -> None:
        """Keep a pass; the ones used longest ago go where there are too many or they are too large."""
        self._passes[key] = made
        self._passes.move_to_end(key)
        while len(self._passes) > _MOST or sum(each.recording.arrays.n_bytes for each in self._passes.values()) > _MOST_BYTES:
            self._passes.popitem(last=False)
