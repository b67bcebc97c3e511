"""A small trained preset whose weights, vocabularies or checkpoint are damaged, or lie about themselves."""

import json
import shutil
import struct
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import explorer
from explorer.errors import BadCheckpoint
from explorer.model.weights_file import FILE
from explorer.training import checkpoint
from tests.engine.sources.bundles import a_bundle
from tests.fuzz import damage, traces, values, writing
from tests.fuzz.trial import Trial

_TYPES = (
    "BOOL",
    "U8",
    "I8",
    "F8_E5M2",
    "F8_E4M3",
    "I16",
    "U16",
    "F16",
    "BF16",
    "I32",
    "U32",
    "F32",
    "F64",
    "I64",
    "U64",
    "F4",
    "C64",
    "",
    "f32",
    "Q4",
)
_LENGTH = struct.Struct("<Q")  # of the header, which comes first in a safetensors file


def weights(trial: Trial) -> None:
    """Damage one file of the preset, and use it."""
    chance = trial.chance
    folder = trial.folder / "own"
    shutil.copytree(_bundle(), folder)
    name = chance.choice((FILE, FILE, FILE, FILE, "source.txt", "target.txt", "preset.toml"))
    if chance.random() < 0.05:
        damage.put_odd(folder / name, chance)
    elif name == FILE:
        (folder / name).write_bytes(_lying((folder / name).read_bytes(), chance))
    elif chance.random() < 0.5:
        changed = damage.reordered((folder / name).read_text(encoding="utf-8"), chance)
        (folder / name).write_text(changed, encoding="utf-8")
    else:
        (folder / name).write_bytes(damage.damaged((folder / name).read_bytes(), chance))
    if chance.random() < 0.05:
        gone = folder / chance.choice(("source.txt", "target.txt", FILE))
        if not gone.is_dir() or gone.is_symlink():  # In its place there may be anything by now, or nothing.
            gone.unlink(missing_ok=True)
    with trial.asking():
        explorer.translate("我爱北京", chance.choice((1, 4)), str(folder))
    trial.beat()
    with trial.asking():
        trace = explorer.explore(writing.sentence(chance)[:20], preset=str(folder))
        if name != FILE:  # numbers of a damaged file may be of any size
            traces.check(trace, trial)


def checkpoints(trial: Trial) -> None:
    """The file of a killed training: read, or refused as BadCheckpoint."""
    chance = trial.chance
    path = trial.folder / checkpoint.FILE
    path.write_bytes(_lying(_checkpoint(), chance))
    if chance.random() < 0.05:
        damage.put_odd(path, chance)
    try:
        checkpoint.load(path)
    except BadCheckpoint as error:
        trial.hear(error)


def _lying(data: bytes, chance: Random) -> bytes:
    """Bytes changed at random; or a header that can be read, but is not true."""
    if chance.random() < 0.35:
        return damage.damaged(data, chance)
    size = _LENGTH.unpack_from(data)[0]
    header, rest = json.loads(data[8 : 8 + size]), data[8 + size :]
    names = [name for name in header if name != "__metadata__"]
    for _ in range(chance.choice((1, 1, 2))):
        _lie(header, chance.choice(names), chance)
    if chance.random() < 0.2:
        rest = damage.damaged(rest, chance)
    if chance.random() < 0.3:
        at = chance.randrange(0, max(1, len(rest) - 4), 2)
        number = chance.choice((b"\0\x7e", b"\0\x7c", b"\xff\x7b", b"\0\0\xc0\x7f", b"\0\0\x80\x7f"))
        rest = rest[:at] + number + rest[at + len(number) :]
    told = json.dumps(header).encode() + b" " * chance.choice((0, 0, 5))
    length = chance.choice((len(told),) * 12 + (0, 2**63, 2**64 - 1, 10**8, len(told) - 1, len(told) + 1, len(data)))
    return _LENGTH.pack(length) + told + rest


def _lie(header: dict[str, object], name: str, chance: Random) -> None:
    about = header.get(name)
    way = chance.randrange(8)
    if way == 0:
        header[name] = values.plain(chance)
    elif way == 1:
        header.pop(name, None)
    elif way == 2:
        header[writing.word(chance)] = about
    elif way == 3:
        key = chance.choice(("state", "vocabulary_sha256", writing.word(chance)))
        header["__metadata__"] = {key: json.dumps(values.plain(chance))}
    elif way == 4:
        header["__metadata__"] = values.plain(chance)
    elif isinstance(about, dict):
        first, last = about["data_offsets"] if isinstance(about.get("data_offsets"), list) else (0, 0)
        about.update(
            chance.choice(
                (
                    {"dtype": chance.choice(_TYPES)},
                    {"shape": [2**40, 2**40]},
                    {"shape": []},
                    {"shape": [0]},
                    {"shape": [-1]},
                    {"shape": about.get("shape", [])[::-1]},
                    {"shape": [2**32, 2**32, 4]},
                    {"data_offsets": [last, first]},
                    {"data_offsets": [first, 2**62]},
                    {"data_offsets": [0, 0]},
                    {"dtype": "U8", "shape": [last - first]},
                    {"dtype": "I16"},
                    {"dtype": "U16"},
                    {"dtype": "BF16"},
                    {"shape": [10**13, 0], "data_offsets": [first, first]},
                )
            )
        )


@lru_cache(maxsize=1)
def _bundle() -> Path:
    folder = Path(mkdtemp())  # in the process's own temporary folder, which is taken away with it
    a_bundle(folder)
    return folder


@lru_cache(maxsize=1)
def _checkpoint() -> bytes:
    import torch

    state = checkpoint.Checkpoint(
        step=3,
        epoch=1,
        batch=0,
        loss_sum=1.5,
        token_sum=7,
        seconds=2.0,
        history=(checkpoint.TrainingHistory(0, 1.0, 2.0, 0.5, 3.0),),
        about={"precision": "float32"},
    )
    one, two, three = ({"a.weight": torch.ones(2, 3), "a.bias": torch.zeros(3)} for _ in range(3))
    path = Path(mkdtemp()) / "c.safetensors"
    checkpoint.save(path, state, checkpoint.Memory(one, two, three, {"cpu": torch.get_rng_state()}))
    return path.read_bytes()
