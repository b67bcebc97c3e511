"""Each token replaced in turn: which outputs learn of it, and whether a later token reaches an earlier one."""

import torch
from torch import Tensor

from explorer.engine.experiments.bench import first_stack, frozen, ids_of, number_of, stop_if
from explorer.engine.experiments.inquiry import Inquiry
from explorer.trace.found.findings import Leak

_AT_ONCE = 32  # A pass takes at most so many sentences.
_CELLS_AT_ONCE = 2**24  # The maps of one attention in a pass have at most so many cells.
_MOST_REPLACED = 256  # Only so many tokens of a longer text are replaced.


def leak(inquiry: Inquiry) -> Leak:
    """Replace each token in turn by another: those of the target if the model has a decoder, else those of the source."""
    of_target = bool(inquiry.tokens.target)
    ids = torch.tensor(ids_of(inquiry.tokens.target if of_target else inquiry.tokens.source), device=inquiry.device)[
        :_MOST_REPLACED
    ]
    limit = inquiry.config.n_target_symbols if of_target else inquiry.config.vocab_size
    rows = ids.repeat(len(ids), 1)  # [changed token, position]
    rows.diagonal().copy_((ids + 1) % limit)
    source = inquiry.source() if of_target and inquiry.tokens.source else None

    def outputs(batch: Tensor) -> Tensor:
        stop_if(inquiry.stop)
        if source is None:
            return first_stack(inquiry.own, batch)
        return inquiry.own.decode(batch, inquiry.own.encode(source).expand(len(batch), -1, -1))

    with torch.inference_mode():
        usual = outputs(ids[None])
        cells = inquiry.config.n_heads * len(ids) ** 2  # The maps of one sentence have so many cells.
        parts = torch.split(rows, max(1, min(_AT_ONCE, _CELLS_AT_ONCE // cells)))
        moved = torch.cat([(outputs(part) - usual).norm(dim=-1) for part in parts])
    length = number_of(usual.norm(dim=-1).mean())
    return Leak("target" if of_target else "source", frozen(moved.T), length)  # [output, changed token]


MAKE = leak
