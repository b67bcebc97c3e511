"""Several sentences in one batch, the shorter ones padded."""

import attrs
import torch

from explorer.engine.experiments.bench import fetched, first_stack, frozen, ids_of, number_of
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.taking_gradients import seen_at
from explorer.engine.sources.source import Row
from explorer.engine.sources.token_limits import numbered
from explorer.model import masks
from explorer.tokens.vocabulary import PAD
from explorer.trace.found.findings import PaddedBatch
from explorer.trace.recorded_pass import Tokens


def batch(inquiry: Inquiry) -> PaddedBatch:
    """The sentence and the others, padded to the longest; each must come out as if it were alone. Raises BadText."""
    sentences = (inquiry.side, *_others(inquiry))
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    n = int(lengths.max())
    ids = torch.full((len(sentences), n), PAD)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = torch.tensor(ids_of(sentence))
    ids, real = ids.to(inquiry.device), masks.padding(lengths.to(inquiry.device), n)  # real: [batch, head 1, query 1, key]
    with torch.inference_mode():
        with seen_at(inquiry.model, ("self_attn.masked", "self_attn.weights")) as seen:
            # A batch without padding needs no mask.
            together = first_stack(inquiry.own, ids, real if int(lengths.min()) < n else None)
        open_to_padding = first_stack(inquiry.own, ids)
        alone = [first_stack(inquiry.own, inquiry.ids(sentence))[0] for sentence in sentences]
    stacked = {
        part: torch.stack([array for name, array in seen.items() if name.endswith(part)], dim=1)
        for part in (".masked", ".weights")
    }  # [batch, layer, head, query, key]
    return PaddedBatch(
        sentences,
        fetched(real[:, 0, 0]).numpy(),
        frozen(stacked[".masked"]),
        frozen(stacked[".weights"]),
        *(
            max(number_of((row[: len(one)] - one).abs().max()) for row, one in zip(rows, alone, strict=True))
            for rows in (together, open_to_padding)
        ),
    )


def _others(inquiry: Inquiry) -> tuple[Row, ...]:
    """The tokens of the further sentences of a batch. Raises BadText."""
    wish, tokens = inquiry.wish, inquiry.tokens
    found = [inquiry.origin.further(wish, text) for text in wish.batch if text.strip()]
    if wish.config.vocabulary == "sentence":  # The batch has one vocabulary, which begins with that of the first sentence.
        every = tuple(token for row in (tokens.source, tokens.target, *found) for token in row)
        known = {token.text: token for token in numbered(Tokens(every), wish.config).source}
        found = [tuple(attrs.evolve(token, id=known[token.text].id, known=True) for token in row) for row in found]
    return tuple(found)


MAKE = batch
