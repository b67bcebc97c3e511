"""The Bench: what passes of an experiment are made with, and the few things that all experiments do with tensors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.experiments.runs import AnyModel, Runs, device_of, runs_of
from explorer.model.hooks import hooked
from explorer.model.ids import ids_tensor
from explorer.model.tap import Hook, Tap, taps
from explorer.model.transformer import Transformer
from explorer.stops import Stop, Superseded
from explorer.tokens.token import Token
from explorer.trace.arrays import frozen_array
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens


def _own_card(bench: "Bench") -> ModelCard:
    return card_of(bench.own.config)  # A model of others has no Config, so its card is given.


@attrs.frozen(eq=False)
class Bench:
    """What passes of one model over one sentence are made with.

    `expected` are the words that are measured, `symbols` the words of the vocabulary in the order of their ids. `changing` has
    the changes that the model is inside of.
    """

    model: AnyModel
    tokens: Tokens
    expected: tuple[int, ...]
    stop: Stop
    symbols: tuple[str, ...] = ()
    changing: Changing = attrs.field(factory=Changing)
    card: ModelCard = attrs.field(default=attrs.Factory(_own_card, takes_self=True))

    @property
    def own(self) -> Transformer:
        """The model as one of ours. The engine refuses an experiment that needs one for models of others."""
        assert isinstance(self.model, Transformer)  # The table of experiments says which of them need one.
        return self.model

    @property
    def config(self) -> Config:
        """The Config of the model, which is one of ours."""
        return self.own.config

    @property
    def runs(self) -> Runs:
        """The passes over the tokens."""
        return runs_of(self.model, self.tokens)

    @property
    def side(self) -> tuple[Token, ...]:
        """The tokens that the first stack reads: those of the source, or of the target in a decoder-only model."""
        return self.tokens.source or self.tokens.target

    @property
    def device(self) -> torch.device:
        """Where the model's weights are."""
        return device_of(self.model)

    def symbol(self, index: int) -> str:
        """The symbol of an id; "#17" for a row of the output matrix that no symbol uses."""
        return self.symbols[index] if index < len(self.symbols) else f"#{index}"

    def ids(self, tokens: tuple[Token, ...]) -> Tensor:
        """[batch 1, position] the ids of tokens as a batch on the model's device."""
        return ids_tensor(ids_of(tokens)).to(self.device)

    def source(self) -> Tensor | None:
        """[batch 1, position] the ids of the source, None if there is none."""
        return self.ids(self.tokens.source) if self.tokens.source else None

    def target(self) -> Tensor | None:
        """[batch 1, position] the ids of the target, None if there is none."""
        return self.ids(self.tokens.target) if self.tokens.target else None


def first_stack(model: Transformer, ids: Tensor, real: Tensor | None = None) -> Tensor:
    """[batch, position, feature] what the first stack makes of the ids."""
    if model.encoder is not None:
        return model.encode(ids, real)
    assert model.decoder is not None  # A model has an encoder, a decoder or both.
    output: Tensor = model.decoder(ids, model.seen_by_decoder(ids, real))
    return output


def stop_if(stop: Stop) -> None:
    """Raises Superseded if the work shall end."""
    if stop():
        raise Superseded


def stopping(stop: Stop) -> Hook:
    """A hook of taps that ends the pass as soon as `stop` says so."""

    def hook(_tap: Tap, _args: tuple[Any, ...], _tensor: Tensor) -> None:
        stop_if(stop)

    return hook


@contextmanager
def stopping_between_layers(model: AnyModel, stop: Stop) -> Iterator[None]:
    """Inside the block, ask after each layer whether to stop: a key must not wait a tenth of a second for a whole batch.

    Gradients of what was computed in the block ask as well, at each layer on their way back. Only the last addition of a layer
    is hooked, so that attention maps are not computed for hooks alone: with all taps hooked, patching takes a quarter longer. A
    model whose additions are not seen asks at all taps.
    """

    def ask_back(_gradient: Tensor) -> None:
        stop_if(stop)

    def ask(_tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        stop_if(stop)
        if tensor.requires_grad:
            tensor.register_hook(ask_back)  # type: ignore[no-untyped-call]

    last_of = {name.rpartition(".")[0]: name for name in taps(model) if ".residual" in name}  # by layer, the last addition
    with hooked(model, ask, at=last_of.values() or None):
        yield


def streams(card: ModelCard, side: str) -> tuple[str, ...]:
    """The stream of a side: as it enters the first layer, and as it leaves each layer.

    The last addition of a layer is read by the next norm and by the next addition, so a patch there reaches both.
    """
    last = 3 if any(each == f"{side}.cross_attn" for each in card.attentions) else 2
    layers = range(card.side(side).n_layers)
    return (f"{side}.embedding.output", *(f"{side}.layers.{layer}.residual{last}" for layer in layers))


def ids_of(tokens: tuple[Token, ...]) -> tuple[int, ...]:
    """The ids of tokens."""
    return tuple(token.id for token in tokens)


def fetched(tensor: Tensor) -> Tensor:
    """The tensor on the CPU, where arrays and numbers are made."""
    return tensor.detach().cpu()


def number_of(tensor: Tensor) -> float:
    """The number in a tensor of one element."""
    return float(fetched(tensor))


def frozen(tensor: Tensor) -> Any:
    """The tensor as a read-only float32 array."""
    return frozen_array(np.asarray(fetched(tensor)))
