"""A model with other knobs for some passes: the weights stay, and the model is afterwards what it was."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.experiments.runs import AnyModel
from explorer.foreign.model import Foreign
from explorer.model.transformer import Transformer
from explorer.model.weights import with_knobs


@contextmanager
def without_dropout(model: AnyModel) -> Iterator[AnyModel]:
    """Inside the block, the model without dropout; somebody's has none in a pass."""
    if isinstance(model, Foreign):
        yield model
        return
    with turned(model, model.config.changed(dropout_active=False)) as quiet:
        yield quiet


@contextmanager
def turned(model: Transformer, config: Config, changing: Changing | None = None) -> Iterator[Transformer]:
    """Inside the block, a model with the same weights and other knobs that apply to the pass.

    `changing` are the changes that the model is inside of; a new model is put inside them too.
    """
    before = model.config
    try:
        made = with_knobs(model, config)
        with (changing or Changing()).inside(made) if made is not model else nullcontext():
            yield made
    finally:
        with_knobs(model, before)
