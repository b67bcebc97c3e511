"""Typing for somebody's model in the real window: from a key event to everything visible painted, with GPT-2 small's shape.

Its vocabulary are the 256 bytes: a letter is one token, a typed character three, and the full stop stands behind them.
"""

from functools import partial
from pathlib import Path

from tests.bench.bench import Bench, Task
from tests.bench.peers.shapes import own_model
from tests.bench.probe import Driven
from tests.bench.row import Row, measured
from tests.bench.timing import Sample

_SHAPE = "GPT-2 small"
_KEY = "key event to everything painted, GPT-2 small, {n} tokens"
_GOALS_MS = {16: 90.0, 64: 90.0}
_KEYS, _WARM_UP = 40, 4


def tasks() -> list[Task]:
    """Each with a window of its own."""
    return [Task("foreign", (_KEY.format(n=n),), partial(_keys, n=n)) for n in _GOALS_MS]


def _keys(bench: Bench, n: int) -> list[Row]:
    folder, found = bench.folder / "gpt2", []
    if not folder.exists():
        _write(folder)
    with Driven("a" * (n - 1) + ".", str(folder)) as driven:
        for turn in range(_WARM_UP + _KEYS):
            ms = driven.painted_ms(driven.type_next)
            if turn >= _WARM_UP:
                found.append((ms, driven.frame.pass_ms))
            driven.take_back()
            driven.wait(driven.settled)
    keys, passes = (Sample(values) for values in zip(*found, strict=True))
    note = f"{passes.median:.1f} ms of it the recorded pass over the rows behind the key"
    return [measured(_KEY.format(n=n), keys.median, _GOALS_MS[n], spread=f"{keys.spread} of {_KEYS}", note=note)]


def _write(folder: Path) -> None:
    """The model with random weights, and a tokenizer whose pieces are the bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    own_model(_SHAPE).save_pretrained(folder)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({letter: number for number, letter in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.save(str(folder / "tokenizer.json"))
