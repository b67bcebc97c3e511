"""How well a masked language model fills gaps: each symbol of held-out sentences is hidden once, by itself.

The pseudo-perplexity is the exponential of the mean of -log P(symbol | all others). Salazar et al. 2020, section 2.3.
"""

import math
from collections.abc import Callable, Sequence

import attrs
import torch
from torch import Tensor

from explorer.engine.sources.trained import Trained
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.tokens.tokenizer import Tokenizers
from explorer.training.batches import Ids
from explorer.training.gaps import Gaps

_MOST_ROWS = 64  # gaps of one sentence that are filled in one pass


@attrs.frozen
class GapScores:
    """Over all symbols of some sentences: the share whose likeliest symbol is the right one, and the pseudo-perplexity."""

    n_sentences: int
    n_tokens: int
    accuracy: float
    pseudo_perplexity: float


def gap_log_p(model: Transformer, ids: Ids, mask: int) -> Tensor:
    """[token, vocab] log P of every symbol at each place of a sentence, where that place alone is hidden."""
    n, parts = len(ids), []
    with torch.inference_mode():
        for first in range(0, n, _MOST_ROWS):
            places = torch.arange(first, min(n, first + _MOST_ROWS))
            rows = ids_tensor(ids).repeat(len(places), 1)  # [gap, position]
            rows[torch.arange(len(places)), places] = mask
            x = model.encode(rows)[torch.arange(len(places)), places]  # [gap, feature]
            parts.append(model.generator.project(x).float().log_softmax(dim=-1))
    return torch.cat(parts)


def gap_scores(
    trained: Trained, texts: Sequence[str], tokenizers: Tokenizers, progress: Callable[[float], None] = lambda share: None
) -> GapScores:
    """The scores on one or more sentences, of each as much as the model reads. Raises BadVocabulary, BadText."""
    config = trained.preset.config
    mask, model = Gaps.of(trained.bilingual, trained.folder).mask, trained.model(config)
    n_tokens, right, nats = 0, 0, 0.0
    for number, text in enumerate(texts, 1):
        ids = tuple(token.id for token in tokenizers.source(text, config, trained.bilingual))[: config.max_len]
        log_p, expected = gap_log_p(model, ids, mask), torch.tensor(ids)
        nats -= float(log_p.gather(1, expected[:, None]).sum())
        right += int((log_p.argmax(dim=-1) == expected).sum())
        n_tokens += len(ids)
        progress(number / len(texts))
    return GapScores(len(texts), n_tokens, right / n_tokens, math.exp(nats / n_tokens))
