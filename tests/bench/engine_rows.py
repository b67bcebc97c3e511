"""The engine by itself: what recording costs, what a further token costs."""

from functools import partial

import torch

from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import Decoding
from explorer.engine.recording.recorder import record
from explorer.engine.request import Request
from explorer.engine.sources.source import never
from explorer.engine.speed.threads import decoding_threads
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.presets import load_preset
from explorer.trace.changes import Change
from explorer.trace.own_card import card_of
from explorer.trace.search_tree import Search
from tests.bench.bench import Bench, Task
from tests.bench.floor import read_ms, step_bytes
from tests.bench.probe import SIXTEEN
from tests.bench.quiet import usual_threads
from tests.bench.row import Row, compared, measured
from tests.bench.timing import Pair, Sample, elapsed_ms, in_turn, paired

_SENTENCE = "我和同学一起听音乐，欢迎你们来到北京大学学习自然语言处理吧。"
_BUDGET_S = 5.0
_RECORDING = "recorded / plain pass, {preset}, {n} + {n} tokens"
_GREEDY = "one further token, greedy, translator"
_BEAM = "one further token, beam of 4 / greedy, translator"
_TYPED = "answer to a typed key without the window, translator, held-out sentences"
_CLOSED = "answer to a change without the window, translator, 16 tokens"
_N, _N_TYPED, _N_CLOSED = 16, 12, 60
_GOALS = {"tiny": 1.3, "translator": 1.15, "paper-base": 1.05}  # A hook costs two microseconds, whatever the tensor.


def tasks() -> list[Task]:
    """Three models, three lengths; and decoding."""
    cases = [(preset, n) for preset in ("tiny", "translator", "paper-base") for n in (16, 64, 256)]
    recording = [
        Task("engine", (_RECORDING.format(preset=preset, n=n),), partial(_recording, preset=preset, n=n), apart=True)
        for preset, n in cases
    ]
    decoding = [
        Task("engine", (_GREEDY, _BEAM), _greedy, apart=True),
        Task("engine", (_TYPED,), _typed, apart=True),
        Task("engine", (_CLOSED,), _closed, apart=True),
    ]
    return [*recording, *decoding]


def _recording(bench: Bench, preset: str, n: int) -> list[Row]:
    model = model_of(preset)
    n_threads = usual_threads(card_of(model.config), n)
    torch.set_num_threads(n_threads)
    sides = ids_tensor(tuple(range(10, 10 + n))), ids_tensor(tuple(range(300, 300 + n)))

    def plain() -> None:
        model(*sides)

    with torch.inference_mode():
        pair = paired(partial(recorded, model, *sides), plain, budget_s=_BUDGET_S)
    floor_ms = bench.rates.pass_ms(model.config, n, n, n_threads)
    return [
        compared(
            _RECORDING.format(preset=preset, n=n), pair, _GOALS[preset], note=f"threads {n_threads}, floor {floor_ms:.3g} ms"
        )
    ]


def recorded(model: Transformer, *sides: torch.Tensor | None) -> None:
    """A pass as the engine records it."""
    with record(model):
        model(*sides)


def model_of(preset: str) -> Transformer:
    """A preset's model as the engine has it at rest."""
    translator = Computer().sources.translator(preset)
    if translator is not None:
        return translator.model(translator.preset.config)
    return at_rest(load_preset(preset).config)


def at_rest(config: Config) -> Transformer:
    """An untrained model."""
    Computer()  # from then on the C library keeps freed memory as it does in the program
    return build(config)


def _greedy(_bench: Bench) -> list[Row]:
    """Of greedy translations of one sentence, the time beyond the encoder's, divided by the tokens."""
    computer = Computer()
    translator = computer.sources.translator("translator")
    assert translator is not None  # it is bundled
    config = translator.preset.config
    ids = computer.sources.source_ids(_SENTENCE, translator)
    model, source = translator.model(config), ids_tensor(ids)

    def token_ms(beam: int = 1) -> float:
        with torch.inference_mode():
            encoder_ms = elapsed_ms(lambda: model.encode(source))
        found: list[Search] = []
        whole_ms = elapsed_ms(lambda: found.extend(translator.search_all([ids], config, Decoding(beam=beam))))
        return (whole_ms - encoder_ms) / max(len(found[0].path(each)) for each in found[0].ends)

    n_threads = decoding_threads(card_of(config), 1)
    torch.set_num_threads(n_threads)
    wide, sample = in_turn([partial(token_ms, 4), token_ms], budget_s=2 * _BUDGET_S, least=15, most=300, warm_up=3)
    return [
        compared(_BEAM, Pair(wide, sample), 1.5),
        measured(
            _GREEDY,
            sample.median,
            1.0,
            floor=read_ms(step_bytes(config), n_threads),
            spread=sample.spread,
            note=f"the floor reads {step_bytes(config) / 1e6:.0f} MB of weights again and again, with {n_threads} thread(s)",
        ),
    ]


def _typed(_bench: Bench) -> list[Row]:
    """Held-out sentences, typed one character after the other; a translation is guessed at the one before."""
    computer = Computer()
    translator = computer.sources.translator("translator")
    assert translator is not None and translator.folder is not None  # it is bundled
    rows = [row.split("\t")[1] for row in (translator.folder / "held-out.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    texts = [text for text in rows if len(text) == _N][:_N_TYPED]
    found = []
    for text in (_SENTENCE, *texts):
        for n in range(1, _N + 1):
            found.append(elapsed_ms(partial(computer, Request.from_preset("translator", text[:n]))))
            computer.rest(never)
    sample = Sample(tuple(found[_N:]))
    return [measured(_TYPED, sample.median, 16.7, spread=f"{sample.spread} of {len(sample.values)}")]


def _closed(_bench: Bench) -> list[Row]:
    """A cell of the cross-attention is closed, as a stroke of the pencil does it; each time another one."""
    computer, found = Computer(), []
    plain = Request.from_preset("translator", SIXTEEN)
    computer(plain)
    computer.rest(never)
    for turn in range(_N_CLOSED):
        row, column = divmod(turn * 7 % (8 * _N), _N)
        cell = Change("decoder.layers.1.cross_attn.masked", "close", head=2, rows=[row], columns=[column])
        found.append(elapsed_ms(partial(computer, plain.wishing(changes=(cell,)))))
    sample = Sample(tuple(found))
    return [measured(_CLOSED, sample.median, 8.0, spread=f"{sample.spread} of {len(found)}")]
