"""What can be chosen of some findings, as keys alone, so that a Look can name them without NumPy."""

PATCHED = ("stream", "head", "feed_forward")
"""What is patched: the stream between two layers, one head's `mixed`, or what a feed-forward adds."""
SALIENCIES = ("gradient", "integrated")
"""How saliency is estimated: by gradient × input, or by integrated gradients."""
HEAD_MEASURES = ("entropy", "distance", "previous", "first", "diagonal", "induction")
"""What is measured of attention heads; `trace.head_measures` has the formulas."""
