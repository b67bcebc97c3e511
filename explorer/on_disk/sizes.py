"""Sizes of files as people read them."""

_OF_1000 = ("B", "kB", "MB", "GB", "TB")


def size_told(n_bytes: int) -> str:
    """A number of bytes with its unit, by thousands."""
    value, unit = float(n_bytes), 0
    while value >= 999.95 and unit < len(_OF_1000) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} B" if unit == 0 else f"{value:.1f} {_OF_1000[unit]}"
