"""A key, from its event to everything painted: beside a plain pass of the same tokens, and while another program works."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import torch

from explorer.engine.compute import Computer
from explorer.engine.speed.threads import threads
from explorer.model.ids import ids_tensor
from explorer.trace.own_card import card_of
from tests.bench.bench import Bench, Task
from tests.bench.probe import SIXTEEN, Driven
from tests.bench.row import Row, times
from tests.bench.timing import Pair, Sample, elapsed_ms, repeated

_SENTENCES = (
    "昨天晚上我和朋友在图书馆里看了一本关于中国历史的书。",
    "我们明天早上八点在学校门口见面，然后一起坐公共汽车去博物馆参观。",
)
_KEYS, _WARM_UP = 40, 5
_GAP_S = 0.12
_BLOCKS, _IN_BLOCK = 3, 6
_PLAIN, _ALONE = "a plain pass of the same tokens", "without it"
_KEY = "a key to everything painted, translator, 16 tokens: {}"
_TYPED = "a key of a sentence typed through at 120 ms a key: {}"
_BUSY = "a key beside a program that keeps one core busy"
_SHARES = {"median": 0.5, "99 %": 0.99}
_GOALS = {_KEY: (6.0, 10.0), _TYPED: (8.0, 14.0)}


def tasks() -> list[Task]:
    """Each with a window of its own."""
    both = {what: tuple(f"{what.format(share)} / {_PLAIN}" for share in _SHARES) for what in _GOALS}
    return [Task(both[_KEY], _keys), Task(both[_TYPED], _typed), Task((f"{_BUSY} / {_ALONE}",), _beside_busy)]


def _keys(_bench: Bench) -> Iterator[Row]:
    with Driven(SIXTEEN, "translator") as driven:
        found = [_key_ms(driven) for _ in range(_WARM_UP + _KEYS)][_WARM_UP:]
        tokens = driven.frame.trace.tokens
    yield from _in_passes(_KEY, found, (len(tokens.source), len(tokens.target)))


def _key_ms(driven: Driven) -> float:
    """A key that makes a sentence nobody has typed before, which is taken back again."""
    taken = driven.painted_ms(driven.type_next)
    driven.wait(driven.settled)
    driven.take_back()
    driven.wait(driven.settled)
    return taken


def _typed(_bench: Bench) -> Iterator[Row]:
    """The first time each sentence is typed the machine and the program warm up."""
    found: list[float] = []
    with Driven("我", "translator") as driven:
        for turn in range(3):
            for sentence in _SENTENCES:
                driven.program.window.sentences.source_edit.selectAll()
                for character in sentence:
                    driven.pause(_GAP_S)
                    taken = driven.painted_ms(partial(driven.type, character))
                    found += [taken] if turn else []
        tokens = driven.frame.trace.tokens
    yield from _in_passes(_TYPED, found, (len(tokens.source), len(tokens.target)))


def _in_passes(what: str, found: list[float], sizes: tuple[int, int]) -> Iterator[Row]:
    """The median and the 99th percentile of some keys (ms) as multiples of a plain pass."""
    keys, plain_ms = Sample(tuple(found)), _plain_ms(*sizes)
    for (share, quantile), goal in zip(_SHARES.items(), _GOALS[what], strict=True):
        ours = keys.quantile(quantile)
        spread = f"{keys.spread} ms of {len(found)}"
        yield Row(
            what=what.format(share), beside=_PLAIN, ours=ours, theirs=plain_ms, figure=ours / plain_ms, goal=goal, spread=spread
        )


def _plain_ms(n_source: int, n_target: int) -> float:
    """The median of passes of the same model without recording."""
    translator = Computer().sources.translator("translator")
    assert translator is not None  # It is bundled.
    model = translator.model(translator.preset.config)
    torch.set_num_threads(threads(card_of(model.config), max(n_source, n_target)))
    source, target = ids_tensor(tuple(range(10, 10 + n_source))), ids_tensor(tuple(range(300, 300 + n_target)))
    with torch.inference_mode():
        return repeated(lambda: elapsed_ms(lambda: model(source, target)), budget_s=2.0).median


def _beside_busy(_bench: Bench) -> Iterator[Row]:
    """Blocks of keys by turns, with another program and without it; the medians of each block are compared."""
    beside, alone = [], []
    with Driven(SIXTEEN, "translator") as driven:
        for _ in range(_WARM_UP):
            _key_ms(driven)
        for _ in range(_BLOCKS):
            alone.append(_block_ms(driven))
            with _busy_core():
                driven.pause(1.0)  # The program looks about twice a second at what others do.
                beside.append(_block_ms(driven))
            driven.pause(1.0)
    yield times(_BUSY, _ALONE, Pair(Sample(tuple(beside)), Sample(tuple(alone))), 1.6)


def _block_ms(driven: Driven) -> float:
    return Sample(tuple(_key_ms(driven) for _ in range(_IN_BLOCK))).median


@contextmanager
def _busy_core() -> Iterator[None]:
    """Another program that counts for as long as the block lasts."""
    busy = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()
