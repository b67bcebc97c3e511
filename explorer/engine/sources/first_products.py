"""The first products with each number of rows, which take longer than all later ones, are made where nobody waits.

Whoever types the first sentence makes it longer with each key, and two of three keys waited four to thirteen milliseconds.
"""

from collections.abc import Callable, Iterable

import torch

from explorer.engine.threads import threads
from explorer.model.linear import Linear
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.trace.own_card import card_of

_MOST_ROWS = 48  # Of a longer text a key takes so long that this is not felt.
_SHORTER, _LONGER = 2, 3  # tokens by which the next key may change a side


def near(sizes: Iterable[int]) -> tuple[int, ...]:
    """The numbers of tokens that sides of these sizes may have after the next key.

    Not all there could be: oneDNN keeps half a megabyte for each number of rows and each shape of weights.
    """
    found = {n + by for n in sizes if n for by in range(-_SHORTER, _LONGER + 1)}
    return tuple(sorted(n for n in found if 2 <= n <= _MOST_ROWS))


def try_rows(model: Transformer, rows: tuple[int, ...], stop: Stop) -> None:
    """Have the first products of a model's packed weights behind one, until `stop` says that a request has come."""
    card = card_of(model.config)
    layers = [each for each in model.modules() if isinstance(each, Linear)]
    try_layers(layers, rows, lambda n: threads(card, n), stop)


def try_layers(layers: Iterable[Linear], rows: tuple[int, ...], n_threads: Callable[[int], int], stop: Stop) -> None:
    """The same for some layers; `n_threads` says how many threads make a product with so many rows."""
    # Weights of one shape are multiplied by the same kernel.
    each = {(layer.weight.shape, layer.bias is None): layer for layer in layers}
    with torch.inference_mode():
        for n_rows in rows:
            torch.set_num_threads(n_threads(n_rows))
            for layer in each.values():
                if stop():
                    return
                layer.try_rows(n_rows)
