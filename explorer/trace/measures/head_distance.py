"""How far the attention of a head is from that of the same head in another pass over tokens in the same places."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.stops import Stop, stop_at
from explorer.trace.arrays import Array
from explorer.trace.measures.measures import entropy_bits
from explorer.trace.recorded_pass import RecordedPass

Values = NDArray[np.float64]
_STAGE = "weights"


class HeadDistance(NamedTuple):
    """[head] how far the rows of each head's map are from those of another pass: `distance` from 0 to 1, `entropy` in bits."""

    distance: Values
    entropy: Values


def head_distance(first: Array, second: Array, stop: Stop | None = None) -> HeadDistance:
    """The mean total variation distance of the rows of A and B [head, query, key], and what B adds to their mean entropy.

    Raises Superseded as soon as `stop` says so.
    """
    n_heads = len(first)
    distance, entropy = np.empty(n_heads), np.empty(n_heads)
    for head in range(n_heads):  # One by one: in float64 all maps of a long text would take gigabytes.
        stop_at(stop)
        a, b = first[head].astype(np.float64), second[head].astype(np.float64)  # [query, key]
        # TV(A[q], B[q]) = ½ Σ_k |A[q,k] − B[q,k]|; distance = mean_q TV
        distance[head] = np.abs(a - b).sum(axis=1).mean() / 2
        # mean_q H(B[q]) − mean_q H(A[q])
        entropy[head] = entropy_bits(second[head]).mean() - entropy_bits(first[head]).mean()
    return HeadDistance(distance, entropy)


def attention_taps(one: RecordedPass, other: RecordedPass, attention: str) -> dict[int, str]:
    """By layer the tap of an attention's weights, where both passes kept it whole and in one shape."""
    side, _, kind = attention.partition(".")
    names = {layer: f"{side}.layers.{layer}.{kind}.{_STAGE}" for layer in one.card.attention_layers(attention)}
    return {layer: tap for layer, tap in names.items() if in_both(one, other, tap)}


def in_both(one: RecordedPass, other: RecordedPass, tap: str) -> bool:
    """Whether both passes kept the whole array of a tap, with the same axes and the same shape."""
    if tap not in one or tap not in other or one.axes(tap) != other.axes(tap):
        return False
    kept = one.map(tap).array is not None and other.map(tap).array is not None
    return kept and one.shape(tap) == other.shape(tap)
