"""Files of traces: their bytes, members and JSON changed; and archives that grow when they are opened."""

import io
import json
import zipfile
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

import numpy as np

import explorer
from explorer.errors import BadFile
from explorer.picture.makers.taps import tap_list, tap_summary
from tests.fuzz import damage, formulas, values, writing
from tests.fuzz.trial import Trial

_BOMB_BYTES = 300_000_000  # a thousandth of it on disk


def npz(trial: Trial) -> None:
    """Write a file, load it, and look at what came of it."""
    chance = trial.chance
    path = trial.folder / "trace.npz"
    way = chance.randrange(20)
    if way == 0:
        damage.put_odd(path, chance)
    elif way == 1:
        _bomb(path, chance)
    elif way < 8:
        path.write_bytes(damage.damaged(_saved(), chance))
    else:
        _rewritten(path, chance)
    trace = None
    try:
        trace = explorer.Trace.load(path)
    except BadFile as error:
        trial.hear(error)
    trial.beat()
    if trace is None:
        return
    with trial.asking():
        for name in trace.names():
            assert trace[name].ndim == len(trace.axes(name))
            trace.side(name, trace.axes(name)[0])
        _ = trace.expected, trace.whole, repr(trace.tokens)
        for name in tap_list(trace).names[:8]:
            tap_summary(trace, name)
        trace.save(trial.folder / "again.npz")
        explorer.Trace.load(trial.folder / "again.npz")


def _rewritten(path: Path, chance: Random) -> None:
    """The archive with other members, or other JSON about them."""
    with np.load(io.BytesIO(_saved())) as file:
        members: dict[str, Any] = {name: file[name] for name in file.files}
    key = next(name for name, value in members.items() if value.dtype.kind == "U")
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice(tuple(members))
        way = chance.randrange(6)
        if way == 0:
            members.pop(name)
        elif way == 1:
            members[name] = _array(chance)
        elif way == 2:
            members[writing.word(chance).replace("\0", "") or "a"] = members.get(name)
        elif key in members and members[key].dtype.kind == "U" and members[key].ndim == 0:
            about = json.loads(str(members[key]))
            _change(about, chance)
            members[key] = np.array(json.dumps(about))
    with zipfile.ZipFile(path, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, array in members.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, np.asarray(array), allow_pickle=True)
            archive.writestr(f"{name}.npy".encode("utf-8", "replace").decode(), data.getvalue())


def _array(chance: Random) -> Any:
    return chance.choice(
        (
            np.zeros(0),
            np.zeros((0, 3), np.float32),
            np.array([1, 2]),
            np.array("text"),
            np.array([None, {}], object),
            np.float64(1),
            np.full((2, 2), np.nan, np.float16),
            np.zeros((1,) * 32),
            np.array([1j]),
            np.array(b"x"),
            np.zeros(3, "datetime64[s]"),
            np.array(json.dumps(values.plain(chance))),
            np.zeros(2, [("a", "f4")]),
            np.asfortranarray(np.ones((4, 3, 3))),
        )
    )


def _change(about: Any, chance: Random) -> None:
    """One value somewhere in it becomes another, goes, or comes."""
    while True:
        if not isinstance(about, (dict, list)):  # it was changed to a single value before
            return
        keys = list(about) if isinstance(about, dict) else list(range(len(about)))
        if not keys:
            return
        key = chance.choice(keys)
        inside = about[key]
        if isinstance(inside, (dict, list)) and inside and chance.random() < 0.8:
            about = inside
            continue
        if isinstance(about, dict) and chance.random() < 0.2:
            about[writing.word(chance)] = about.pop(key)
        else:
            about[key] = values.plain(chance)
        return


def _bomb(path: Path, chance: Random) -> None:
    """Zeros, of which a thousand take the room of one; some headers say that there are far more of them."""
    shape = chance.choice(((_BOMB_BYTES // 4,), (10**15,), (10**9, 10**9), (-1,), (10**6,)))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, np.load(io.BytesIO(_saved())) as file:
        for name in file.files:
            with archive.open(f"{name}.npy", "w") as member:
                if name == file.files[chance.randrange(len(file.files))]:
                    member.write(header.getvalue())
                    for _ in range(chance.choice((1, 100, _BOMB_BYTES // 10**6))):
                        member.write(bytes(10**6))
                else:
                    np.lib.format.write_array(member, file[name])


@lru_cache(maxsize=1)
def _saved() -> bytes:
    path = Path(mkdtemp()) / "trace.npz"
    formulas.a_trace("tiny").save(path)
    return path.read_bytes()
