"""Asks a Computer for one experiment."""

import torch

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.model.ids import ids_tensor
from explorer.trace.trace import Trace


def looked_into(
    computer: Computer, name: str, text: str = "狗是人养的", *, batch: tuple[str, ...] = (), **knobs: object
) -> Trace:
    request = Request.from_preset("tiny", text, **{"tokenizer": "characters", **knobs})
    return computer(asked_for(request, name, batch)).trace


def asked_for(request: Request, name: str, batch: tuple[str, ...] = ()) -> Request:
    return request.wishing(batch=batch).asking(experiments=frozenset({name}))


def ids(trace: Trace) -> torch.Tensor:
    return ids_tensor(tuple(token.id for token in trace.tokens.source or trace.tokens.target))
