"""What experiments with gradients share: where gradients begin, and the tensors of taps that they are taken for."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor

from explorer.model.hooks import watched
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer


@contextmanager
def wanting_gradients(model: Transformer) -> Iterator[None]:
    """Inside the block, gradients begin at the embedding tables; those of all other weights are not computed."""
    tables = {stack.embedding.look_up.weight for stack in (model.encoder, model.decoder) if stack is not None}
    try:
        for table in tables:
            table.requires_grad_(True)
        yield
    finally:
        for table in tables:
            table.requires_grad_(False)


@contextmanager
def seen_at(model: Transformer, endings: tuple[str, ...], *, keep: bool = False) -> Iterator[dict[str, Tensor]]:
    """The tensors of all taps whose names have one of these endings, with the batch axis. `keep` keeps their gradients."""
    seen: dict[str, Tensor] = {}

    def watcher(tap: Tap, tensor: Tensor, _first: int | None) -> None:
        if tap.name.endswith(endings):
            seen[tap.name] = tensor if keep else tensor.detach().clone()

    with watched(model, watcher):
        yield seen
