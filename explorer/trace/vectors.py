"""Vectors of tokens among those of the whole vocabulary: nearest neighbours, and a plane on which all of them are seen.

The plane is that of a principal component analysis (Pearson 1901): the two directions along which what is shown differs most.
Every vector is divided by its length first, as for the cosine: streams grow from layer to layer, and the vocabulary would be
a speck beside them.
"""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.tabular import Columns, Tables, Tabular

_NO_LENGTH = 1e-7  # of the longest direction: what squares of numbers with sixteen digits leave of nothing


class Neighbours(tuple[tuple[str, float], ...], Tabular):
    """The symbols nearest to one, each with the cosine, nearest first."""

    __slots__ = ()

    def tables(self) -> Tables:
        """`neighbours`: a row for each."""
        columns: Columns = {"text": [text for text, _cosine in self], "cosine": [cosine for _text, cosine in self]}
        return {"neighbours": lambda: columns}


@attrs.frozen(eq=False)
class SideVectors:
    """One side's tokens [position] among the symbols of its vocabulary.

    `nearest` [position, rank] are the ids of the symbols whose rows of E point most nearly the same way, the token itself left
    out, and `cosines` [position, rank] the cosines. `taps` [place] are where the stream is followed, and `path` [place,
    position, xy] where it is on the plane. `sampled` [symbol] are the ids of the vocabulary that are shown, all `n_symbols` or
    evenly spaced ones and the nearest of each token, at `cloud` [symbol, xy]. `shares` are the shares of x and y in the
    variance of all these points. `names` has the texts of the ids, and `n_features` says how
    wide a row of E is. Where the stream of the pass is not seen, `taps` is empty.
    """

    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    nearest: NDArray[np.int64]
    cosines: Array
    taps: tuple[str, ...]
    path: Array
    sampled: NDArray[np.int64]
    cloud: Array
    shares: tuple[float, float]
    n_symbols: int
    names: Mapping[int, str] = attrs.field(factory=dict)
    n_features: int = 0

    def neighbours(self, position: int) -> Neighbours:
        """The nearest symbols of the token at a position with their cosines, nearest first."""
        pairs = zip(self.nearest[position], self.cosines[position], strict=True)
        return Neighbours((self.names[int(each)], float(cosine)) for each, cosine in pairs)


@attrs.frozen(eq=False)
class Vectors:
    """The SideVectors of each side that the model has, "encoder" and "decoder"."""

    sides: Mapping[str, SideVectors]


def unit(rows: Array) -> NDArray[np.float64]:
    """[…, feature] each vector divided by its length; a vector of zeros stays as it is."""
    long = rows.astype(np.float64)
    lengths = np.linalg.norm(long, axis=-1, keepdims=True)
    divided: NDArray[np.float64] = np.divide(long, lengths, out=np.zeros_like(long), where=lengths > 0)
    return divided


def plane(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, float]]:
    """The mean [feature] and the two principal directions [2, feature] of points [point, feature], and their variance's shares.

    A direction points to the side of its largest number, so that the same points always give the same picture.
    """
    mean = points.mean(axis=0)
    centred = points - mean
    values, directions = _principal(centred)
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[np.arange(2), largest])[:, None]
    total = float(np.square(centred).sum()) or 1.0  # It is the sum of all eigenvalues.
    return mean, directions, (float(values[0]) / total, float(values[1]) / total)


def _principal(centred: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The two largest squared singular values [2] of X [point, feature], and their right singular vectors [2, feature].

    They are found from the smaller of two matrices: a foreign model may have 4,096 features, which takes seconds.
    """
    n_points, n_features = centred.shape
    if n_points >= n_features or n_points < 2:
        # C = Xᵀ X, whose eigenvectors are the right singular vectors of X and whose eigenvalues are the squared singular values
        values, vectors = np.linalg.eigh(centred.T @ centred)  # [feature], rising; [feature, feature]
        return values[:-3:-1], vectors[:, :-3:-1].T
    # G = X Xᵀ has the same eigenvalues, and of its eigenvector u the right singular vector is Xᵀ u / |Xᵀ u|
    values, vectors = np.linalg.eigh(centred @ centred.T)  # [point], rising; [point, point]
    directions = vectors[:, :-3:-1].T @ centred  # [2, feature]
    lengths = np.linalg.norm(directions, axis=1)  # Where nothing differs, any direction would do; then it is none.
    there = lengths > _NO_LENGTH * (lengths.max() or 1.0)
    scaled = np.divide(directions, lengths[:, None], out=np.zeros_like(directions), where=there[:, None])
    return values[:-3:-1], scaled
