"""The knobs of sampling. The command line declares its flags from them before NumPy is imported."""

from explorer.knobs import Knob, Range


def _knob(name: str, default: float, low: float, high: float) -> Knob:
    kind = type(default).__name__
    return Knob(name=name, kind=kind, default=default, group="sampling", applies="draw", valid=Range(low, high))


TEMPERATURE = _knob("sampling_temperature", 1.0, 1e-3, 1e3)
TOP_K, TOP_P = _knob("top_k", 0, 0, 10**6), _knob("top_p", 1.0, 0, 1)
SEED = _knob("sampling_seed", 0, 0, 999_999)
N_WRITTEN = _knob("tokens", 20, 1, 1000)
"""How many tokens can be asked for at once."""
