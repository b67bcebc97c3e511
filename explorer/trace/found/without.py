"""The sentence translated without one part of the model: what that part is for, seen on the sentence on screen."""

import math

import attrs

PARTS = ("position", "residual", "feed_forward", "mask", "cross")
"""Positional encoding, residual connections, feed-forward networks, the decoder's causal mask, cross-attention."""


@attrs.frozen
class Without:
    """The translation that the model makes without `part`, and the same for the whole model.

    `p` and `p_whole` are the mean probabilities of the words of each translation, as a pass over all of it gives them; NaN
    where nothing was generated. `made` is False where the model has no such part, or where the words are not of its own choice.
    """

    part: str
    target: str = ""
    p: float = math.nan
    target_whole: str = ""
    p_whole: float = math.nan
    made: bool = True

    @property
    def same(self) -> bool:
        """Whether the translation is the same without the part."""
        return self.target == self.target_whole
