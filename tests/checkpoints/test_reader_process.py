"""What the process behind the fence answers about a checkpoint, asked here without the process."""

import base64
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from explorer.checkpoints.reader_process import KINDS
from explorer.errors import CheckpointHoldsCode, NotACheckpoint, NoTensorsInside

WEIGHT = torch.arange(6, dtype=torch.float32).reshape(2, 3)
MANY = {f"n{number}": number for number in range(300)}


def opened(path: Path) -> Any:
    """The facts about a file and what answers about its tensors."""
    return KINDS["checkpoint"]({"path": str(path)})


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("holder", ["", "model", "net", "anything"])
def test_tensors_and_plain_numbers_come_out(tmp_path: Path, holder: str, zipped: bool) -> None:
    """Under any name, of files of today and of torch's first versions; bytes are those of the tensor."""
    state = {"a.weight": WEIGHT, "b": torch.ones(2, dtype=torch.bfloat16)}
    beside = {"model_args": {"n_head": 4, "name": "x", "list": [1], 3: 4, "long": "x" * 999} | MANY, "iter_num": 7}
    torch.save({holder: state, **beside} if holder else state, tmp_path / "m.pt", _use_new_zipfile_serialization=zipped)
    about, answer = opened(tmp_path / "m.pt")
    assert about["tensors"] == {"a.weight": ["float32", [2, 3]], "b": ["bfloat16", [2]]}
    told = about["arguments"]
    assert told == {} if not holder else (told["n_head"], told["name"], len(told)) == (4, "x", 200)
    assert not {"list", "long", 3} & told.keys()
    parts = [answer({"name": "a.weight", "first": first, "last": first + 8}) for first in (0, 8, 16)]
    bytes_ = b"".join(map(base64.b64decode, parts))
    np.testing.assert_array_equal(np.frombuffer(bytes_, np.float32).reshape(2, 3), WEIGHT.numpy())
    assert len(base64.b64decode(answer({"name": "b", "first": 0, "last": 99}))) == 4


class Harmful:
    """A pickle of it would run a command."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


def test_what_is_no_table_of_tensors_is_refused(tmp_path: Path) -> None:
    """Code, which is not run; bytes of something else; a file with other things."""
    torch.save({"model": {"a": WEIGHT}, "x": Harmful(tmp_path / "ran")}, tmp_path / "code.pt")
    (tmp_path / "other.pt").write_bytes(b"no checkpoint")
    torch.save({"model": {}, "lists": [WEIGHT], "table": {"a": 1}}, tmp_path / "empty.pt")
    torch.save([WEIGHT], tmp_path / "list.pt")
    for name, error in (
        ("code", CheckpointHoldsCode),
        ("other", NotACheckpoint),
        ("empty", NoTensorsInside),
        ("list", NoTensorsInside),
    ):
        with pytest.raises(error):
            opened(tmp_path / f"{name}.pt")
    assert not (tmp_path / "ran").exists()
