"""Changes put into a model for as long as a block lasts.

    with changing.inside_of_pass(model), record(model) as recording:
        model(source, target)

Changes act before the recorder, so a Trace shows the numbers that the pass went on with. A tensor may come in blocks of
queries, and of a translation only the beginning may be written yet: then the places that are there are changed. `change_checks`
checks that all places exist in the end.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.engine.changed_tensors import changed
from explorer.errors import BadChange, NeverReached, NotForLongTexts
from explorer.model.hooks import hooked
from explorer.model.masks import closed_cells
from explorer.model.tap import Tap, first_of
from explorer.model.transformer import Transformer
from explorer.trace.arrays import Array
from explorer.trace.change_values import is_function
from explorer.trace.changes import Change
from explorer.trace.tap_names import ATTENTION_MAP, mask_of_all_layers, masked_of

Masks = dict[str, NDArray[np.bool_]]


class Changing:
    """The changes of one answer, ready to be put into its model.

    `lent` has by change the arrays that are patched in, [row, column] or [head, row, column]. `key` stands for all that these
    changes depend on, so that answers can be kept by it.
    """

    def __init__(self, changes: tuple[Change, ...] = (), lent: Mapping[Change, Array] | None = None, key: object = ()) -> None:
        self.changes, self.key = changes, key
        self._lent = {change: torch.from_numpy(np.array(array)) for change, array in (lent or {}).items()}
        self._by_tap: dict[str, list[Change]] = {}
        for change in changes:
            self._by_tap.setdefault(change.tap, []).append(change)
        self._reached: set[str] = set()
        self._begin = 0  # the position of the first row that goes through the decoder: in a step of decoding, the new token's
        # The taps `masked` of attentions whose rows go on summing to 1, and the cells that are closed there in this pass.
        self._masks = {masked_of(change.tap) for change in changes if change.keeps_sums}
        self._closed: dict[str, Tensor] = {}

    @property
    def in_whole_passes(self) -> bool:
        """Whether each step of decoding must be a pass over all tokens that are written so far.

        If each row is changed by itself, a further token leaves the earlier rows as they are, and decoding can go on token
        by token.
        """
        return not all(change.tap.startswith("encoder.") or _by_rows(change) for change in self.changes)

    @property
    def taps(self) -> frozenset[str]:
        """The taps that are changed."""
        return frozenset(self._by_tap)

    @property
    def at_encoder(self) -> bool:
        """Whether any change is made in the encoder."""
        return any(tap.startswith("encoder.") for tap in self._by_tap)

    def lent_shapes(self) -> dict[Change, tuple[int, ...]]:
        """The shapes of the arrays that are patched in."""
        return {change: tuple(tensor.shape) for change, tensor in self._lent.items()}

    def at_maps_of(self, attention: str) -> bool:
        """Whether any change is made to the maps of an attention, from its scores to its weights."""
        return any(tap.rpartition(".")[0] == attention and ATTENTION_MAP.search(tap) for tap in self._by_tap)

    @contextmanager
    def inside(self, model: nn.Module) -> Iterator[None]:
        """Inside the block, the model computes with these changes."""
        if not self.changes:  # A model without hooks may be computed in faster ways.
            yield
            return
        with self._noting_begin(model), hooked(model, self._changed, at=self._by_tap.keys() | self._masks):
            yield

    @contextmanager
    def _noting_begin(self, model: nn.Module) -> Iterator[None]:
        """Inside the block, note at which position a step of decoding begins; the decoder's embedding is given it."""

        def note(_embedding: nn.Module, args: tuple[Any, ...]) -> None:
            self._begin = args[1] if len(args) > 1 else 0

        self._begin = 0
        if not isinstance(model, Transformer) or model.decoder is None:
            yield
            return
        handle = model.decoder.embedding.register_forward_pre_hook(note)
        try:
            yield
        finally:
            handle.remove()

    @contextmanager
    def inside_of_pass(self, model: nn.Module) -> Iterator[Masks]:
        """As `inside`, for one whole pass. Yields the masks [query, key] by attention as they are without the changes.

        The masks are complete after the block. Only those of attentions whose first layer is changed at its tap `masked` are
        there: elsewhere, the recorded first layer shows the mask of all layers and heads.
        """
        masks: Masks = {}
        seen: dict[str, list[Tensor]] = {}

        def note(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
            seen.setdefault(mask_of_all_layers(tap.name), []).append(closed_cells(tensor[0, 0]))

        with hooked(model, note, at=filter(mask_of_all_layers, self._by_tap)), self.inside(model):
            yield masks
        masks.update({attention: torch.cat(parts).cpu().numpy() for attention, parts in seen.items()})

    def check_reached(self) -> None:
        """Raises NeverReached for a change at a tap that no pass has come through."""
        for tap, changes in self._by_tap.items():
            if tap not in self._reached:
                error = NeverReached(tap=tap)
                error.change = changes[0]
                raise error

    def _changed(self, tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> Tensor:
        """The tensor at a tap after all changes at this tap, in their order: a forward hook."""
        self._reached.add(tap.name)
        first = first_of(args)
        begin = self._begin if first is None and not tap.name.startswith("encoder.") else first or 0
        for change in self._by_tap.get(tap.name, ()):
            try:
                if (change.kind == "mean" or is_function(change.value)) and first is not None:
                    raise NotForLongTexts(tap=tap.name)
                closed = self._closed[masked_of(tap.name)] if change.keeps_sums else None
                tensor = changed(tensor, change, tap, begin, self._lent.get(change), closed)
            except BadChange as error:
                error.change = change
                raise
        if tap.name in self._masks:
            self._closed[tap.name] = closed_cells(tensor)
        return tensor


def _by_rows(change: Change) -> bool:
    """Whether a change in the decoder treats each row by itself, at a tap that a step of decoding comes through."""
    if change.kind in ("patch", "mean") or is_function(change.value) or change.tap.startswith("generator."):
        return False
    # The maps of the decoder's self-attention get a further column with each token; those of cross-attention have all keys.
    alone = ".self_attn." not in change.tap or ATTENTION_MAP.search(change.tap) is None
    return alone or (change.kind == "scale" and change.columns is None)
