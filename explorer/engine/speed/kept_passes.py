"""The last recorded passes of a translator: a step back, or a letter taken back, needs no pass.

What was recorded is the same again for the same tokens, knobs and changes, bit for bit, so it is kept and not made anew. Row "a
key to everything painted": of a sentence seen before the answer takes 5 ms of CPU in place of 22.
"""

from collections import OrderedDict
from collections.abc import Hashable

from explorer.engine.recording.recorder import Begun

_MOST = 8
_MOST_BYTES = 2**25  # of all together; a translator's pass over 16 tokens on each side has 3 MB.


class KeptPasses:
    """Whole passes, each by all that it depends on."""

    def __init__(self) -> None:
        self._passes: OrderedDict[Hashable, tuple[Begun, int]] = OrderedDict()  # each with its bytes

    def get(self, key: Hashable) -> Begun | None:
        """The pass of a key, if it is still there."""
        if key not in self._passes:
            return None
        self._passes.move_to_end(key)
        return self._passes[key][0]

    def put(self, key: Hashable, made: Begun) -> None:
        """Keep a pass; the ones used longest ago go where there are too many or they are too large."""
        self._passes[key] = made, made.recording.arrays.n_bytes
        self._passes.move_to_end(key)
        while len(self._passes) > _MOST or sum(n for _, n in self._passes.values()) > _MOST_BYTES:
            self._passes.popitem(last=False)
