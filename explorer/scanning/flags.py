"""The flags of a scan, in a file of their own so that the command line's help need not load NumPy."""

from explorer.knobs import Knob, Range

BEST = Knob(name="--best", kind="int", default=10, group="flag", applies="draw", valid=Range(1, 100))
"""How many of the best sentences of each head are kept."""
WORKERS = Knob(name="--workers", kind="int", default=1, group="flag", applies="draw", valid=Range(1, 256))
"""How many processes measure at once."""
