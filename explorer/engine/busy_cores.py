"""How many cores other programs keep busy.

Threads of torch's wait for each other at the end of every operation, and keep their cores while they wait. Where another
program has one of these cores, all wait for the thread that shares it with that program. So as many threads are used as there
are cores left.
"""

from time import monotonic, process_time

import attrs
import psutil

_LOOK_S = 0.5
_COUNTS = 0.4  # of its time a core is busy


@attrs.define
class BusyCores:
    """Looks at most twice a second, when it is asked; each answer is about the time since the look before."""

    _looked_s: float = attrs.field(factory=lambda: monotonic())
    _used_s: float = attrs.field(factory=lambda: _used_elsewhere_s())
    _n: int = 0

    def elsewhere(self) -> int:
        """How many cores other programs kept busy, or something of them: two fifths of a core count as one."""
        now_s = monotonic()
        since_s = now_s - self._looked_s
        if since_s >= _LOOK_S:
            used_s = _used_elsewhere_s()
            self._n = int((used_s - self._used_s) / since_s + 1 - _COUNTS)
            self._looked_s, self._used_s = now_s, used_s
        return self._n


def _used_elsewhere_s() -> float:
    """What all cores have worked so far, less what they worked for this process; it takes 15 µs to ask."""
    times = psutil.cpu_times()
    # Linux counts the work of its guests twice, and tells of cores that wait for a disk.
    not_used = ("idle", "iowait", "guest", "guest_nice")
    return sum(times) - sum(getattr(times, name, 0.0) for name in not_used) - process_time()
