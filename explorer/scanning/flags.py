"""The flags of a scan, in a file of their own so that the command line's help need not load NumPy."""

import sys

from explorer.knobs import Knob, Range

_MOST_WORKERS, _MOST_ON_WINDOWS = 256, 61
"""Windows waits for at most 63 handles at once, so Python's pools refuse more processes than 61 there."""

BEST = Knob(name="--best", kind="int", default=10, group="flag", applies="draw", valid=Range(1, 100))
"""How many of the best sentences of each head are kept."""


def workers(platform: str) -> Knob:
    """How many processes may measure at once on a system, by `sys.platform`."""
    most = _MOST_ON_WINDOWS if platform == "win32" else _MOST_WORKERS
    return Knob(name="--workers", kind="int", default=1, group="flag", applies="draw", valid=Range(1, most))


WORKERS = workers(sys.platform)
"""How many processes measure at once."""
