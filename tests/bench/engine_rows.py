"""The figures of the engine by itself: what recording costs, what a further token costs."""

import statistics
import time
from collections.abc import Callable

import torch

from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import Decoding
from explorer.engine.threads import threads
from explorer.engine.translator import Translator
from explorer.model.transformer import ids_tensor
from explorer.trace.recorder import record
from tests.bench.rows import Row

_PAIRS = 300
_WARM_UP = 30
_SENTENCE = "我和同学一起听音乐，欢迎你们来到北京大学学习自然语言处理吧。"


def engine_rows() -> list[Row]:
    """Both sides of a ratio are measured in turn."""
    computer = Computer()
    translator = computer.translator("translator")
    assert translator is not None
    return [_recording(translator), _greedy(computer, translator)]


def _recording(translator: Translator) -> Row:
    config = translator.preset.config
    model = translator.model(config)
    torch.set_num_threads(threads(config, 16))
    source, target = ids_tensor(tuple(range(10, 26))), ids_tensor(tuple(range(300, 316)))

    def recorded() -> None:
        with record(model):
            model(source, target)

    with torch.inference_mode():
        ratios = sorted(_paired(lambda: model(source, target), recorded))
    name = "recorded pass / the same without recording, translator, 16 + 16 tokens"
    return Row(name, statistics.median(ratios), statistics.quantiles(ratios, n=100)[98], 1.05, "×")


def _paired(plain: Callable[[], object], other: Callable[[], object]) -> list[float]:
    """The quotient of the two times, again and again; which goes first alternates."""
    ratios: list[float] = []
    for turn in range(_PAIRS + _WARM_UP):
        first, second = (plain, other) if turn % 2 else (other, plain)
        one, two = _seconds(first), _seconds(second)
        if turn >= _WARM_UP:
            ratios.append(two / one if turn % 2 else one / two)
    return ratios


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _greedy(computer: Computer, translator: Translator) -> Row:
    """Of greedy translations of one sentence, the time beyond the encoder's, divided by the tokens."""
    config = translator.preset.config
    ids = computer.source_ids(_SENTENCE, translator)
    model, source = translator.model(config), ids_tensor(ids)
    times_ms: list[float] = []
    for turn in range(80):
        with torch.inference_mode():
            encoder_ms = _seconds(lambda: model.encode(source)) * 1e3
        start = time.perf_counter()
        (found,) = translator.search_all([ids], config, Decoding())
        if turn >= 10:
            times_ms.append(((time.perf_counter() - start) * 1e3 - encoder_ms) / len(found.nodes))
    return Row("one further token, greedy, translator", statistics.median(times_ms),
               statistics.quantiles(times_ms, n=100)[98], 2.0)
