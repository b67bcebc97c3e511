"""Which files this process maps into its memory. Windows replaces no mapped file; Linux does, and lists them."""

from pathlib import Path

import psutil


def is_mapped(path: Path) -> bool:
    """Whether any bytes of a file are mapped now."""
    return str(path.resolve()) in {each.path for each in psutil.Process().memory_maps()}
