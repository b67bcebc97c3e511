"""The loss of training. Label smoothing: Szegedy et al. 2016, section 7. R-Drop: Liang et al. 2021, section 2."""

from torch import Tensor, nn

from explorer.model import masks
from explorer.model.transformer import Transformer
from explorer.tokens.vocabulary import PAD
from explorer.training.batches import Batch
from explorer.training.recipe import Recipe


def log_probabilities(model: Transformer, batch: Batch) -> Tensor:
    """[token, vocab] log P of every token at each position where one is expected, in float32."""
    real = memory = None
    if batch.source is not None and batch.lengths is not None:
        real = masks.padding(batch.lengths, batch.source.shape[1])
        memory = model.encode(batch.source, real)
    # Padding comes last, where the causal mask hides it; without that mask it needs one of its own.
    written = None if model.config.causal_mask else (batch.given != PAD)[:, None, None, :]  # [batch, head 1, query 1, key]
    # [batch, position, feature]
    x = model.decode(batch.given, memory, real, written) if model.decoder is not None else memory
    assert x is not None  # An encoder-only model reads `given` as its source.
    logits = model.generator.project(x[batch.expected != PAD])  # [token, vocab]
    # Linear layers may run in half precision, which is too inexact for a sum over the whole vocabulary.
    return nn.functional.log_softmax(logits.float(), dim=-1)


def training_loss(log_p: Tensor, expected: Tensor, recipe: Recipe) -> Tensor:
    """Cross-entropy with smoothed labels plus the divergence of the two halves of the batch, in nats per target token.

    `log_p` is [token, vocab], `expected` [token]. With an R-Drop weight (`agreement`) the second half of the batch repeats the
    first one.
    """
    smoothing = recipe.label_smoothing
    # L = -(1 - ε)·log P(y) - ε/V · Σ_v log P(v)
    loss = -(1 - smoothing) * log_p.gather(1, expected[:, None]).mean() - smoothing * log_p.mean()
    if recipe.agreement:
        p, q = log_p.chunk(2)
        # KL(P‖Q) + KL(Q‖P) = Σ_v (P - Q)·(log P - log Q). Each direction counts half, and each half of the batch counts half.
        divergence = ((p.exp() - q.exp()) * (p - q)).sum(dim=-1).mean()
        loss = loss + recipe.agreement / 4 * divergence
    return loss
