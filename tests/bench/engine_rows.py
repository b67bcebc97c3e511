"""The engine by itself: what recording costs, what a further token costs."""

from functools import partial

import torch

from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import Decoding
from explorer.engine.recording.recorder import record
from explorer.engine.threads import decoding_threads, threads
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build, pack
from explorer.presets import load_preset
from explorer.trace.own_card import card_of
from tests.bench.bench import Bench, Task
from tests.bench.floor import step_bytes
from tests.bench.row import Row, compared, measured
from tests.bench.timing import elapsed_ms, paired, repeated

_SENTENCE = "我和同学一起听音乐，欢迎你们来到北京大学学习自然语言处理吧。"
_BUDGET_S = 5.0
_RECORDING = "recorded / plain pass, {preset}, {n} + {n} tokens"
_GREEDY = "one further token, greedy, translator"


def tasks() -> list[Task]:
    """Three models, three lengths; and decoding."""
    cases = [(preset, n) for preset in ("tiny", "translator", "paper-base") for n in (16, 64, 256)]
    recording = [
        Task("engine", (_RECORDING.format(preset=preset, n=n),), partial(_recording, preset=preset, n=n)) for preset, n in cases
    ]
    return [*recording, Task("engine", (_GREEDY,), _greedy)]


def _recording(bench: Bench, preset: str, n: int) -> list[Row]:
    model = model_of(preset)
    n_threads = threads(card_of(model.config), n)
    torch.set_num_threads(n_threads)
    source, target = ids_tensor(tuple(range(10, 10 + n))), ids_tensor(tuple(range(300, 300 + n)))

    def recorded() -> None:
        with record(model):
            model(source, target)

    with torch.inference_mode():
        pair = paired(recorded, lambda: model(source, target), budget_s=_BUDGET_S)
    floor_ms = bench.rates.pass_ms(model.config, n, n, n_threads)
    return [compared(_RECORDING.format(preset=preset, n=n), pair, 1.05, note=f"threads {n_threads}, floor {floor_ms:.3g} ms")]


def model_of(preset: str) -> Transformer:
    """A preset's model as the engine has it at rest: its weights packed."""
    translator = Computer().translator(preset)
    if translator is not None:
        return translator.model(translator.preset.config)
    return at_rest(load_preset(preset).config)


def at_rest(config: Config) -> Transformer:
    """An untrained model with its weights packed."""
    Computer()  # from then on the C library keeps freed memory as it does in the program
    model = build(config)
    pack(model)
    return model


def _greedy(bench: Bench) -> list[Row]:
    """Of greedy translations of one sentence, the time beyond the encoder's, divided by the tokens."""
    computer = Computer()
    translator = computer.translator("translator")
    assert translator is not None  # it is bundled
    config = translator.preset.config
    ids = computer.source_ids(_SENTENCE, translator)
    model, source = translator.model(config), ids_tensor(ids)

    def token_ms() -> float:
        with torch.inference_mode():
            encoder_ms = elapsed_ms(lambda: model.encode(source))
        found = []
        whole_ms = elapsed_ms(lambda: found.extend(translator.search_all([ids], config, Decoding())))
        return (whole_ms - encoder_ms) / len(found[0].nodes)

    torch.set_num_threads(decoding_threads(card_of(config), 1))
    sample = repeated(token_ms, budget_s=_BUDGET_S)
    return [
        measured(
            _GREEDY,
            sample.median,
            2.0,
            floor=bench.rates.bytes_ms(step_bytes(config)),
            spread=sample.spread,
            note=f"the floor reads {step_bytes(config) / 1e6:.0f} MB from memory; the caches may hold a part of it",
        )
    ]
