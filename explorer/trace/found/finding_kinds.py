"""What can be chosen of some findings, as keys alone, so that a Look can name them without NumPy."""

PATCHED = ("stream", "head", "feed_forward")
"""What is patched: the stream between two layers, one head's `mixed`, or what a feed-forward adds."""
SALIENCIES = ("gradient", "integrated")
"""How saliency is estimated: by gradient × input, or by integrated gradients."""
HEAD_MEASURES = ("entropy", "distance", "previous", "first", "diagonal", "induction")
"""What is measured of attention heads; `trace.head_measures` has the formulas."""

WITHOUT_CHANGES = frozenset({"variants", "copies", "batch", "segmentations"})
"""Experiments that leave out the changes of the pass; the engine makes all others inside them, and cards say which is which.

`variants` and `copies` show weights. `batch` and `segmentations` read other tokens than those whose places are changed.
"""
WITHOUT_PASSES = frozenset({"variants", "copies", "why", "readers", "lens", "jacobian", "vectors", "norms"})
"""Experiments that make no pass: they show weights, or are computed from what was recorded.

The passes of all others drop nothing, so that they differ by what is tried alone, and their cards say so.
"""
