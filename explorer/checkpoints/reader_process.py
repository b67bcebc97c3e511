"""The process in which a checkpoint is read: torch's restricted reader gives tensors and plain values, or refuses the file.

It can write no file (see `tokens.fence_process`), so it hands on the numbers in pieces, as text.
"""

import base64
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from explorer.errors import CheckpointHoldsCode, NotACheckpoint, NoTensorsInside
from explorer.tokens.fence_process import Answer, Kinds, run

if TYPE_CHECKING:
    from torch import Tensor

_HOLDERS = ("model", "state_dict", "model_state_dict", "model_state", "net")
_ARGUMENTS = ("model_args", "model_config", "args", "config")
_MOST_ARGUMENTS, _LONGEST = 200, 200
_ASKED_FOR = re.compile(r"GLOBAL ([\w.]+)")


def checkpoint(opening: Mapping[str, Any]) -> tuple[Any, Answer]:
    """The named tensors of the file at `path`: data type and shape of each, and the numbers that were saved beside them.

    It answers with the bytes of a tensor from `first` to `last`. Raises NotACheckpoint, CheckpointHoldsCode, NoTensorsInside.
    """
    held = _loaded(opening["path"])
    state = _state_dict(held, opening["path"])
    about = {
        "tensors": {name: [str(tensor.dtype).removeprefix("torch."), list(tensor.shape)] for name, tensor in state.items()},
        "arguments": _arguments(held),
    }
    flat: dict[str, Tensor] = {}  # the tensor that is being asked for

    def piece(question: Mapping[str, Any]) -> str:
        import torch

        name = question["name"]
        if name not in flat:
            flat.clear()
            flat[name] = state[name].detach().reshape(-1).view(torch.uint8)
        return base64.b64encode(flat[name][question["first"] : question["last"]].numpy().tobytes()).decode()

    return about, piece


def _loaded(path: str) -> Any:
    import torch

    try:
        try:
            return torch.load(path, weights_only=True, map_location="cpu", mmap=True)
        except RuntimeError:  # Files of the first versions of torch are no archives, of which parts could be read.
            return torch.load(path, weights_only=True, map_location="cpu")
    except Exception as error:  # Damaged files raise whatever their bytes lead to.
        asked = _ASKED_FOR.search(str(error))
        raise (CheckpointHoldsCode(path=path, name=asked[1]) if asked else NotACheckpoint(path=path)) from error


def _state_dict(held: Any, path: str) -> "Mapping[str, Tensor]":
    """The table of tensors: the whole file, or what stands in it under a usual name, or under any."""
    if _is_state_dict(held):
        return held
    if isinstance(held, Mapping):
        for name in (*_HOLDERS, *held):
            if _is_state_dict(held.get(name)):
                return held[name]
    raise NoTensorsInside(path=path)


def _is_state_dict(held: Any) -> bool:
    import torch

    return (
        isinstance(held, Mapping)
        and len(held) > 0
        and all(isinstance(name, str) and type(each) is torch.Tensor for name, each in held.items())
    )


def _arguments(held: Any) -> dict[str, Any]:
    """The numbers and short texts that the model was made with, as far as the file has them."""
    tables = [held[name] for name in _ARGUMENTS if name in held] if isinstance(held, Mapping) else []
    table = next((each for each in tables if isinstance(each, Mapping)), {})
    plain = {name: value for name, value in table.items() if isinstance(name, str) and _is_plain(value)}
    return dict(list(plain.items())[:_MOST_ARGUMENTS])


def _is_plain(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= _LONGEST)


KINDS: Kinds = {"checkpoint": checkpoint}


def main() -> None:
    """Answer questions about one file until there are none."""
    run(KINDS)
