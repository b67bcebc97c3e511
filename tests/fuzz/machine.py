"""How long a process could have run and did not, because the machine ran others: that time is not the program's."""

import contextlib
from pathlib import Path


class Starved:
    """Counts from its construction on. Linux tells it of each thread (`schedstat`); elsewhere it stays 0."""

    def __init__(self, pid: int | str = "self") -> None:
        self._pid = pid
        self._before = self._waited()

    def seconds(self) -> float:
        """Of the thread that waited longest for a processor: others may wait for it."""
        return max((waited - self._before.get(thread, 0.0) for thread, waited in self._waited().items()), default=0.0)

    def _waited(self) -> dict[str, float]:
        found = {}
        with contextlib.suppress(OSError):
            for folder in Path(f"/proc/{self._pid}/task").iterdir():
                with contextlib.suppress(OSError):  # the thread has just ended
                    found[folder.name] = int((folder / "schedstat").read_text().split()[1]) / 1e9
        return found
