"""jieba's words as they are kept for the next start: a damaged file costs time, never words or the start."""

import json
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp

from explorer.tokens.segment import Segmenter
from tests.fuzz import damage, values
from tests.fuzz.trial import Trial

_TEXT = "我来到北京清华大学，他来到了网易杭研大厦，乾隆年间的图书馆"
_NAME = "jieba.words"


def caches(trial: Trial) -> None:
    """Damage the file, and cut a sentence."""
    chance = trial.chance
    path = trial.folder / _NAME
    data = _file()
    if chance.random() < 0.2:
        path.write_bytes(b"")
        damage.put_odd(path, chance)
    else:
        path.write_bytes(_changed(data, chance))
    if chance.random() < 0.05:  # no folder at all
        path = trial.folder / "none" / _NAME
    mode = chance.choice(("accurate", "full", "search"))
    with trial.asking():
        spans = Segmenter(path.parent).spans(_TEXT, mode, hmm=chance.random() < 0.5)
        covered = {place for start, end in spans for place in range(start, end)}
        if covered != set(range(len(_TEXT))):
            trial.bad(f"characters in no word: {sorted(set(range(len(_TEXT))) - covered)}", mode)


def _changed(data: bytes, chance: Random) -> bytes:
    way = chance.randrange(4)
    if way == 0:
        return damage.damaged(data, chance)
    line, _, rest = data.partition(b"\n")
    about = json.loads(line)
    if way == 1:
        about[chance.choice(tuple(about))] = values.plain(chance)
    elif way == 2:
        about["total"] = 0
        rest = b""
    else:
        rest = damage.damaged(rest, chance)
    return json.dumps(about).encode() + b"\n" + rest


@lru_cache(maxsize=1)
def _file() -> bytes:
    folder = Path(mkdtemp())
    Segmenter(folder).spans(_TEXT, "accurate", hmm=True)
    return (folder / _NAME).read_bytes()
