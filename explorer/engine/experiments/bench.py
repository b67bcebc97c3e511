"""The Bench: what experiments work with, and the few things that all of them do with tensors."""

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
from explorer.model.tap import Tap, taps
from explorer.model.transformer import Transformer
from explorer.stops import Stop, Superseded
from explorer.tokens.token import Token
from explorer.trace.arrays import frozen_array
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace


@attrs.frozen(eq=False)
class Bench:
    """What an experiment works with.

    `others` are the tokens of further sentences for a batch, `symbols` the words of the vocabulary in the order of their ids.
    `changing` has the changes that the model is inside of while an experiment runs (`experiment.running`).
    """

    model: AnyModel
    tokens: Tokens
    expected: tuple[int, ...]
    others: tuple[tuple[Token, ...], ...]
    stop: Stop
    symbols: tuple[str, ...] = ()
    changing: Changing = attrs.field(factory=Changing)
    trace: Trace | None = None  # what the pass recorded, for what is made of the record itself
    given_card: ModelCard | None = None  # Somebody's model has no Config from which its card could be made.

    @property
    def own(self) -> Transformer:
        """The model, where it is one of ours: other experiments are refused before."""
        assert isinstance(self.model, Transformer)  # `findings` makes an experiment with the models that can have it.
        return self.model

    @property
    def config(self) -> Config:
        """The Config of the model, which is ours."""
        return self.own.config

    @property
    def card(self) -> ModelCard:
        """The card of the model."""
        return card_of(self.config) if self.given_card is None else self.given_card

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
    """Raises Superseded where the work shall end."""
    if stop():
        raise Superseded


@contextmanager
def stopping_between_layers(model: AnyModel, stop: Stop) -> Iterator[None]:
    """Inside the block, ask behind each layer whether to stop: a batch takes a tenth of a second, so long would a key wait.

    Gradients of what was computed in the block ask as well, at each layer on their way back. No other tap is looked at, so that
    maps which nobody sees are not made: patching takes a quarter longer where all are.
    """

    def ask_back(_gradient: Tensor) -> None:
        stop_if(stop)

    def ask(_tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        stop_if(stop)
        if tensor.requires_grad:
            tensor.register_hook(ask_back)  # type: ignore[no-untyped-call]

    last_of = {name.rpartition(".")[0]: name for name in taps(model) if ".residual" in name}  # by layer, the last addition
    with hooked(model, ask, at=last_of.values()):
        yield


def ids_of(tokens: tuple[Token, ...]) -> tuple[int, ...]:
    """The ids of tokens."""
    return tuple(token.id for token in tokens)


def fetched(tensor: Tensor) -> Tensor:
    """The tensor on the processor, where arrays and numbers are made."""
    return tensor.detach().cpu()


def number_of(tensor: Tensor) -> float:
    """The number of a tensor that has one."""
    return float(fetched(tensor))


def frozen(tensor: Tensor) -> Any:
    """The tensor as a read-only float32 array."""
    return frozen_array(np.asarray(fetched(tensor)))
