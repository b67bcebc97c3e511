"""How alike several sentences are to a model that makes one vector of each: the cosine of every two."""

from functools import partial
from typing import Any

import attrs
import numpy as np

from explorer.trace.arrays import Array, frozen_array
from explorer.trace.tabular import Tables, Tabular, cells


@attrs.frozen(eq=False)
class Similarity(Tabular):
    """The `vectors` [text, feature] of the `texts`, as the model's own files pool them, and their `cosines` [text, text].

    `pooling` are the ways in which a text's vector is made of those of its tokens; `told` is False where the files say
    nothing, and the mean was assumed. `normalises` says that each vector has the length 1.
    """

    texts: tuple[str, ...]
    vectors: Array
    pooling: tuple[str, ...] = ("mean",)
    normalises: bool = True
    told: bool = True
    cosines: Array = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        # cos(a, b) = a·b / (|a|·|b|); NaN for a vector of zeros
        lengths = np.linalg.norm(self.vectors.astype(np.float64), axis=1, keepdims=True)  # [text, 1]
        unit = np.divide(self.vectors, lengths, where=lengths > 0, out=np.full(self.vectors.shape, np.nan))
        object.__setattr__(self, "cosines", frozen_array(unit @ unit.T))  # attrs recommends this for frozen classes.

    def tables(self) -> Tables:
        """`cosines`: a row for every two texts; `vectors`: a row for each text and feature."""
        return {
            "cosines": partial(cells, {"cosine": self.cosines}, text=self.texts, other=self.texts),
            "vectors": partial(cells, {"value": self.vectors}, text=self.texts, feature=None),
        }

    def to_dict(self) -> dict[str, Any]:
        """All numbers in types that JSON has."""
        how = {"pooling": list(self.pooling), "normalises": self.normalises, "told": self.told}
        return {"texts": list(self.texts), **how, "cosines": self.cosines.tolist(), "vectors": self.vectors.tolist()}

    def __repr__(self) -> str:
        """The cosines, at most ten lines."""
        rows = [" ".join(f"{value:+.3f}" for value in row[:10]) for row in self.cosines[:9]]
        return "\n".join([f"Similarity of {len(self.texts)} texts ({', '.join(self.pooling)})", *rows])
