"""What experiments with gradients share: where they begin, the tensors of taps, and what the model says."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from explorer.engine.experiments.runs import AnyModel
from explorer.foreign.model import Foreign
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer


@contextmanager
def wanting_gradients(model: AnyModel) -> Iterator[None]:
    """Inside the block, gradients begin at the embedding tables; those of all other weights are not computed."""
    tables = set(model.tables()) if isinstance(model, Foreign) else _own_tables(model)
    try:
        for table in tables:
            table.requires_grad_(True)
        yield
    finally:
        for table in tables:
            table.requires_grad_(False)


def _own_tables(model: Transformer) -> set[Tensor]:
    return {stack.embedding.look_up.weight for stack in (model.encoder, model.decoder) if stack is not None}


@contextmanager
def seen_at(model: AnyModel, endings: tuple[str, ...], *, keep: bool = False) -> Iterator[dict[str, Tensor]]:
    """The tensors of all taps whose names have one of these endings, with the batch axis. `keep` keeps their gradients."""
    seen: dict[str, Tensor] = {}

    def hook(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        if tap.name.endswith(endings):
            seen[tap.name] = tensor if keep else tensor.detach().clone()

    with hooked(model, hook):
        yield seen


def said(model: AnyModel, source: Tensor | None, target: Tensor | None) -> Tensor:
    """[batch, position, vocab] the logits of a pass; of a classifier [batch, text 1 or position, class]."""
    if isinstance(model, Foreign) and model.classes is not None:
        return model.logits(source, target)
    made: Tensor = model(source, target)
    return made
