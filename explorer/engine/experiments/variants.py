"""Every kind of positions side by side."""

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from explorer.engine.experiments.bench import frozen
from explorer.engine.experiments.inquiry import Inquiry
from explorer.model import positions
from explorer.model.embedding import Embedding
from explorer.model.transformer import Transformer
from explorer.model.weights import untrained
from explorer.trace.found.findings import DECODER_LEARNED, Variants

_PLACES = 128  # The tables of positions have so many rows.


def variants(inquiry: Inquiry) -> Variants:
    """Every kind of positions side by side, with the model's d_model and base."""
    config = inquiry.config
    n, d, base = min(_PLACES, config.max_len), config.d_model, config.position_base
    tables = {kind: positions.sinusoidal(n, d, base, kind=kind) for kind in positions.EXPONENTS}
    sides = [side for side in ("encoder", "decoder") if getattr(inquiry.own, side) is not None]
    tables["learned"] = _learned(inquiry.own, sides[0])[:n]
    if len(sides) > 1:
        tables[DECODER_LEARNED] = _learned(inquiry.own, "decoder")[:n]
    # Rows are compared with the row of position 1: with sines alone, the row of position 0 is zero and has no angle.
    against = {kind: cosine_similarity(table[1:2], table[1:], dim=-1) for kind, table in tables.items()}
    turned = positions.rotate(torch.ones(n, config.d_head), base)  # [position, feature]
    against["rotary"] = cosine_similarity(turned[1:2], turned[1:], dim=-1)
    against["alibi"] = positions.alibi(config.n_heads, n, n)[0, 0, :-1]
    return Variants(
        {kind: frozen(table) for kind, table in tables.items()}, {kind: frozen(curve) for kind, curve in against.items()}
    )


def _learned(model: Transformer, side: str) -> Tensor:
    """[position, feature] the learned table of a side; if it has none, the untrained table that it would have."""
    own: Tensor | None = model.state_dict().get(f"{side}.embedding.learned.weight")
    if own is not None:
        return own
    with torch.device("meta"):
        place = Embedding(model.config.changed(position="learned"), 1)
    # The table's weights are drawn by its name, so it is put at the path that it has in a model.
    module = nn.ModuleDict({side: nn.ModuleDict({"embedding": place})})
    return untrained(module, model.config)[f"{side}.embedding.learned.weight"]


MAKE = variants
