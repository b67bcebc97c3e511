"""What can be chosen of findings, and the knobs of sampling: a Look and the command line read them before NumPy is imported."""

from explorer.knobs import Knob, Range

PATCHED = ("stream", "head", "feed_forward")
"""What is patched: the stream between two layers, one head's `mixed`, or what a feed-forward adds."""
SALIENCIES = ("gradient", "integrated")
"""How saliency is estimated: by gradient × input, or by integrated gradients."""
HEAD_MEASURES = ("entropy", "distance", "previous", "first", "diagonal", "induction")
"""What is measured of attention heads; `trace.head_measures` has the formulas."""
PROMPT_METRICS = ("log-p", "next", "difference")
"""What is measured of a prompt's pass; `engine.many.metrics` has the formulas."""
PAIR_METRICS = ("difference", "next")
"""What is measured of patched passes, by the likeliest next tokens of both texts of a pair."""


def _knob(name: str, default: float, low: float, high: float) -> Knob:
    kind = type(default).__name__
    return Knob(name=name, kind=kind, default=default, group="sampling", applies="draw", valid=Range(low, high))


TEMPERATURE = _knob("sampling_temperature", 0.8, 1e-3, 1e3)
TOP_K, TOP_P = _knob("top_k", 0, 0, 10**6), _knob("top_p", 0.9, 0, 1)
"""A small model at temperature 1 with nothing cut away draws tokens of rank 21, 32 or 164, at which the text breaks."""
SEED = _knob("sampling_seed", 0, 0, 999_999)
N_WRITTEN = _knob("tokens", 20, 1, 1000)
"""How many tokens can be asked for at once."""
