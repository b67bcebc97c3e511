"""The scores of a masked language model: each token of held-out sentences is masked once, by itself, and predicted.

The pseudo-perplexity is exp(mean of -log P(token | all others)). Salazar et al. 2020, section 2.3.
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
from explorer.training.masking import Masking

_MOST_ROWS = 64  # masked tokens of one sentence in one pass


@attrs.frozen
class MaskedScores:
    """Over all tokens of some sentences: the share that the model predicts right, and the pseudo-perplexity."""

    n_sentences: int
    n_tokens: int
    accuracy: float
    pseudo_perplexity: float


def masked_log_p(model: Transformer, ids: Ids, mask: int) -> Tensor:
    """[token, vocab] log P of every token at each position of a sentence, with only that position masked."""
    n, parts = len(ids), []
    with torch.inference_mode():
        for first in range(0, n, _MOST_ROWS):
            places = torch.arange(first, min(n, first + _MOST_ROWS))
            rows = ids_tensor(ids).repeat(len(places), 1)  # [mask, position]
            rows[torch.arange(len(places)), places] = mask
            x = model.encode(rows)[torch.arange(len(places)), places]  # [mask, feature]
            parts.append(model.generator.project(x).float().log_softmax(dim=-1))
    return torch.cat(parts)


def masked_scores(
    trained: Trained, texts: Sequence[str], tokenizers: Tokenizers, progress: Callable[[float], None] = lambda share: None
) -> MaskedScores:
    """The scores on one or more sentences, each cut off at the model's maximum length. Raises BadVocabulary, BadText."""
    config = trained.preset.config
    mask, model = Masking.of(trained.bilingual, trained.folder).mask, trained.model(config)
    n_tokens, right, nats = 0, 0, 0.0
    for number, text in enumerate(texts, 1):
        ids = tuple(token.id for token in tokenizers.source(text, config, trained.bilingual))[: config.max_len]
        log_p, expected = masked_log_p(model, ids, mask), torch.tensor(ids)
        nats -= float(log_p.gather(1, expected[:, None]).sum())
        right += int((log_p.argmax(dim=-1) == expected).sum())
        n_tokens += len(ids)
        progress(number / len(texts))
    return MaskedScores(len(texts), n_tokens, right / n_tokens, math.exp(nats / n_tokens))
