"""Path patching: what a head's output changes on the direct way to one place alone. Wang et al. 2022, "Interpretability in the
Wild", section 3; Goldowsky-Dill et al. 2023.

A is the text whose pass is patched, B the other one. For each sender, a head, in turn:

    1. A's pass is made with the sender's output as it is in B. All other heads, and the feed-forward networks, give out what
       they gave out in A. So what reaches the receiver came from the sender through the residual stream alone.
    2. A's pass is made with what the receiver was given in 1, and the metric is taken of its logits.

The receiver is Q, K or V of one head, or the logits, for which 1 is all. Wang et al. let the networks compute anew, so that
ways through them count as direct; `freezes_networks` False does that.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.experiments.bench import stop_if
from explorer.engine.experiments.patched_passes import Bed
from explorer.engine.experiments.patching import paired
from explorer.engine.experiments.runs import Runs, runs_of
from explorer.engine.experiments.trials import OfLogits, batch_size
from explorer.engine.speed.threads import batch_threads
from explorer.errors import LacksTap, NoSuchPart
from explorer.mathematics import Numbers
from explorer.model.hooks import hooked
from explorer.model.tap import Hook, Tap, first_of, taps
from explorer.trace.found.experiments import PATCHING
from explorer.trace.found.patching import Pairs
from explorer.trace.tap_names import Receiver

Tensors = Mapping[str, Tensor]
"""Tensors [batch 1, …] by tap."""
OfBoth = Callable[[Tensor, Tensor], OfLogits]
_NETWORKS = (".feed_forward.output", ".other.output")


@attrs.frozen(eq=False)
class PathValues:
    """The metric of A's pass and of B's, and [tap, head] that after each sender's patch; `taps` are those of the senders."""

    plain: float
    other: float
    taps: tuple[str, ...]
    values: Numbers


def each_sender(bed: Bed, receiver: Receiver | None, make: OfBoth, *, freezes_networks: bool) -> PathValues:
    """Patch the way from each head before the receiver; the logits are the receiver where it is None. Use it in inference mode.

    `make` makes the metric of the logits of A's pass and of B's. Raises NoSuchPart, LacksTap, CannotAlign, Superseded.
    """
    paths = _Paths(bed, receiver, freezes_networks=freezes_networks)
    metric = make(paths.plain, paths.other)
    senders = [(tap, head) for tap in paths.senders for head in range(bed.card.side(tap).n_heads)]
    found: list[float] = []
    longest = max(len(bed.first.tokens.source), len(bed.first.tokens.target))
    most = batch_size(bed.card, longest)
    for first in range(0, len(senders), most):
        stop_if(bed.stop)
        some = senders[first : first + most]
        torch.set_num_threads(batch_threads(bed.card, len(some) * longest))
        found += [metric(logits) for logits in paths.logits(some)]
    shape = (len(paths.senders), -1) if senders else (0, 0)
    return PathValues(metric(paths.plain), metric(paths.other), paths.senders, np.array(found).reshape(shape))


class _Paths:
    """Both passes as they are, and passes in which the way from a sender to the receiver is patched."""

    def __init__(self, bed: Bed, receiver: Receiver | None, *, freezes_networks: bool) -> None:
        self._bed, self._receiver = bed, receiver
        self._runs = runs_of(bed.model, bed.first.tokens)
        known = taps(bed.model)
        mixed = tuple(name for name in known if name.endswith(".mixed"))
        if not mixed:
            raise LacksTap(name=PATCHING.called, tap="self_attn.mixed", why=bed.card.why_absent("self_attn.mixed"))
        if receiver is not None and (receiver.tap not in known or receiver.head >= bed.card.side(receiver.tap).n_heads):
            raise NoSuchPart(got=str(receiver), part=" ".join(bed.card.attentions))
        networks = tuple(name for name in known if name.endswith(_NETWORKS)) if freezes_networks else ()
        with bed.changing.inside(bed.model):
            self._own, self.plain, order = _recorded(bed, (*mixed, *networks), self._runs, receiver)
        self._lent, self.other, _order = _recorded(bed, mixed, runs_of(bed.model, bed.second.tokens), None)
        self._pairs = paired(bed.card, bed.first.tokens, bed.second.tokens)
        self._end = len(order) if receiver is None else order.index(receiver.tap)
        self.senders = tuple(name for name in order[: self._end] if name in mixed)

    def logits(self, senders: Sequence[tuple[str, int]]) -> Tensor:
        """[sender, position, vocab] the logits after the patch of each sender's way."""
        n, given = len(senders), list[Tensor]()
        with self._bed.changing.inside(self._bed.model), hooked(self._bed.model, self._freezing(senders), at=self._own):
            if self._receiver is None:
                return self._runs.logits(n)
            with hooked(self._bed.model, lambda _tap, _args, tensor: given.append(tensor), at=[self._receiver.tap]):
                self._runs.logits(n)
        head = self._bed.card.head_in(self._receiver.tap, self._receiver.head)
        blocks = iter(given)

        def receive(_tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> Tensor:
            made = tensor.clone()
            made[:, head] = next(blocks)[:, head]
            return made

        with self._bed.changing.inside(self._bed.model), hooked(self._bed.model, receive, at=[self._receiver.tap]):
            return self._runs.logits(n)

    def _freezing(self, senders: Sequence[tuple[str, int]]) -> Hook:
        """A hook that gives every head and network A's output, and row b's sender that of B."""

        def hook(tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> Tensor:
            begin = first_of(args) or 0
            rows = slice(begin, begin + tensor.shape[-2])
            made = self._own[tap.name][..., rows, :].expand_as(tensor).clone()
            for row, (name, head) in enumerate(senders):
                if name == tap.name:
                    here, there = _rows(self._pairs[name.partition(".")[0]], rows)
                    made[row, head, here] = self._lent[name][0, head, there]
            return made

        return hook


def _rows(pairs: Pairs, rows: slice) -> tuple[list[int], list[int]]:
    """Of the pairs of positions whose first stands among the rows, both, the first counted from the rows' begin."""
    some = [(a, b) for a, b in pairs if rows.start <= a < rows.stop]
    return [a - rows.start for a, _b in some], [b for _a, b in some]


def _recorded(bed: Bed, names: Sequence[str], runs: Runs, receiver: Receiver | None) -> tuple[Tensors, Tensor, tuple[str, ...]]:
    """The tensors of these taps, the logits [position, vocab], and the taps, the receiver's too, as the pass came by them."""
    parts: dict[str, list[Tensor]] = {}
    order: dict[str, None] = {}

    def hook(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        order[tap.name] = None
        if tap.name in names:
            parts.setdefault(tap.name, []).append(tensor.clone())

    with hooked(bed.model, hook, at=(*names, *([] if receiver is None else [receiver.tap]))):
        logits = runs.logits(1)[0]
    return {name: torch.cat(blocks, dim=-2) for name, blocks in parts.items()}, logits, tuple(order)
