"""What the figures were measured on."""

import os
import platform
import time
from pathlib import Path

import psutil
import torch

_BUSY = 0.1  # of all cores


class Others:
    """How much of the machine other processes take, from when this is made. The X server is one of them."""

    def __init__(self) -> None:
        self._before = self._now()

    def share(self) -> float:
        """Of all cores, until now; processes that were started and have ended here are our own."""
        wall_s, busy_s, own_s = (now - before for now, before in zip(self._now(), self._before, strict=True))
        return max(0.0, busy_s - own_s) / (wall_s * (os.cpu_count() or 1))

    @staticmethod
    def _now() -> tuple[float, float, float]:
        every, own = psutil.cpu_times(), os.times()
        busy_s = sum(every) - every.idle - getattr(every, "iowait", 0.0)
        return time.perf_counter(), busy_s, own.user + own.system + own.children_user + own.children_system


def head(others: Others) -> str:
    """The machine, and how busy it was with other things."""
    taken = others.share()
    busy = ": it was busy, so that figures in ms are too high" if taken >= _BUSY else ""
    return (
        f"{platform.platform()}, {_processor()}, {os.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB, "
        f"Python {platform.python_version()}, torch {torch.__version__}; others took {taken:.0%} of the cores{busy}"
    )


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())
