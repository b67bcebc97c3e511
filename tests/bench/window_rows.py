"""Live use in the real window: from a key event or a step of a slider to everything visible painted."""

import os
from functools import partial

import attrs
import torch

from explorer import page_list
from explorer.model.ids import ids_tensor
from explorer.presets import load_preset
from explorer.state.intents import SetKnob, SetTrained
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from tests.bench.bench import Bench, Task
from tests.bench.engine_rows import model_of
from tests.bench.probe import SIXTEEN, Driven, Heart
from tests.bench.quiet import usual_threads
from tests.bench.row import Row, measured
from tests.bench.timing import Sample, elapsed_ms, repeated

_N = 16
_KEYS, _WARM_UP = 200, 15
_RESTYLED, _RESTYLED_S = 10, 1.5  # times, and seconds in which the widgets out of sight are styled
_KEY = "key event to everything painted, translator, 16 tokens"
_KEY_HIGH, _KEY_PASSES = f"{_KEY}, 99th percentile", f"{_KEY}, in plain passes"
_FORWARD = "slider tick to painted, temperature, translator"
_REBUILD = "slider tick to painted, seed, d 256, 3 + 3 layers"
_THEME = "longest block of the GUI thread: another theme, all pages made"
_PRESENT = "longest block of the GUI thread: presenting begun and ended (F5), all pages made"
_PAPER = "slider tick to painted, seed, paper-base"


def tasks() -> list[Task]:
    """Each with a window of its own."""
    return [
        Task("window", (_KEY, _KEY_HIGH, _KEY_PASSES), _keys),
        Task("window", (_FORWARD,), partial(_slider, name=_FORWARD, knob="temperature", goal=16.7, n=60)),
        Task("window", (_REBUILD,), partial(_slider, name=_REBUILD, knob="seed", goal=50.0, n=60, trained=False)),
        Task("window", (_THEME, _PRESENT), _restyled),
        Task("window", (_PAPER,), partial(_slider, name=_PAPER, knob="seed", goal=150.0, n=25, preset="paper-base")),
    ]


@attrs.frozen
class Key:
    """A key: how long it took until everything was painted, of that the parts on the compute thread, and what it said."""

    ms: float
    cut: float
    model: float
    pictures: float
    tokens: Tokens

    @property
    def window(self) -> float:
        """The rest: the event, the answer taken over, painting, and waiting from thread to thread."""
        return self.ms - self.cut - self.model - self.pictures


def typed(driven: Driven) -> Key:
    ms, frame = driven.painted_ms(driven.type_next), driven.frame
    pictures = driven.program.window.page_stack.prepared.taken_ms
    return Key(ms, frame.tokens_ms, frame.decoding_ms + frame.pass_ms, pictures, frame.trace.tokens)


def _keys(bench: Bench) -> list[Row]:
    with Driven(SIXTEEN, "translator") as driven:
        _tell(bench, driven)
        if (n := len(driven.frame.trace.tokens.source)) != _N:
            raise RuntimeError(f"the sentence has {n} tokens, not {_N}")
        found = []
        for turn in range(_WARM_UP + _KEYS):
            key = typed(driven)
            if turn >= _WARM_UP:
                found.append(key)
            driven.take_back()
            driven.wait(driven.settled)
        tokens = driven.frame.trace.tokens
        copied_ms = driven.copied_ms()
    keys, sizes = Sample(tuple(key.ms for key in found)), (len(tokens.source), len(tokens.target))
    pass_ms = bench.rates.pass_ms(load_preset("translator").config, *sizes, n_threads=1)
    floor_ms, plain_ms = pass_ms + copied_ms, _plain_ms(*sizes).median
    passes = f"a plain pass of {sizes[0]} + {sizes[1]} tokens takes {plain_ms:.3g} ms"
    return [
        measured(
            _KEY,
            keys.median,
            28.0,
            floor=floor_ms,
            spread=f"{keys.spread} of {_KEYS}",
            note=f"the first answer, greedily translated; {_parts(found)}; the floor is the products of one plain pass by one "
            f"thread at the matrix rate, {pass_ms:.3g} ms, and Qt's copy of an image of the window's size, {copied_ms:.3g} ms",
        ),
        measured(_KEY_HIGH, keys.quantile(0.99), 60.0, floor=floor_ms, spread=f"longest {max(keys.values):.3g}"),
        Row(
            name=_KEY_PASSES,
            ours=keys.median,
            theirs=plain_ms,
            ratio=keys.median / plain_ms,
            goal=4.0,
            met=keys.median <= 4.0 * plain_ms,
            of_ratio=True,
            note=passes,
        ),
    ]


def _parts(keys: list[Key]) -> str:
    """Medians of the parts, and how long keys take that make a sentence whose tokens were seen before, and others."""
    seen: set[tuple[int, ...]] = set()
    new, again = [], []
    for key in keys:
        ids = tuple(token.id for token in key.tokens.source)
        (again if ids in seen else new).append(key.ms)
        seen.add(ids)
    parts = {name: Sample(tuple(getattr(key, name) for key in keys)).median for name in ("cut", "model", "pictures", "window")}
    kinds = {"new tokens": new, "tokens seen before, as characters give that no vocabulary has": again}
    told = [f"{len(ms)} keys to {kind} {Sample(tuple(ms)).median:.3g} ms" for kind, ms in kinds.items() if ms]
    return "; ".join(["medians: " + ", ".join(f"{name} {ms:.3g}" for name, ms in parts.items()) + " ms", *told])


def _plain_ms(n_source: int, n_target: int) -> Sample:
    """A pass of the same model without recording."""
    model = model_of("translator")
    torch.set_num_threads(usual_threads(card_of(model.config), max(n_source, n_target)))
    source, target = ids_tensor(tuple(range(10, 10 + n_source))), ids_tensor(tuple(range(300, 300 + n_target)))
    with torch.inference_mode():
        return repeated(lambda: elapsed_ms(lambda: model(source, target)), budget_s=2.0)


def _slider(
    bench: Bench, name: str, knob: str, goal: float, n: int, preset: str = "translator", trained: bool = True
) -> list[Row]:
    """Each step onward, to a value that was not seen before; the next step comes as soon as one is painted."""
    with Driven(SIXTEEN, preset) as driven:
        _tell(bench, driven)
        if not trained:
            driven.program.session.ask(SetTrained(False))
        if knob == "temperature":
            driven.program.session.ask(SetKnob(knob, 0.4))
        driven.wait(driven.settled)
        found = [driven.painted_ms(partial(driven.slide, knob)) for _ in range(5 + n)][5:]
        n_target = len(driven.frame.trace.tokens.target)
        parts = (
            f"of the last frame: decoding {driven.frame.decoding_ms:.1f}, model {driven.frame.build_ms:.1f}, "
            f"pass {driven.frame.pass_ms:.1f} ms"
        )
    ticks = Sample(tuple(found))
    return [
        measured(
            name,
            ticks.median,
            goal,
            floor=_floor_ms(bench, preset, n_target),
            note=parts,
            spread=f"{ticks.spread} of {n}, 99th percentile {ticks.quantile(0.99):.3g}",
        )
    ]


def _restyled(bench: Bench) -> list[Row]:
    """Both at the first page, after each page was open once."""
    rows, heart = [], Heart()
    with Driven(SIXTEEN, "translator") as driven:
        _tell(bench, driven)
        window = driven.program.window
        for key in (*page_list.KEYS, page_list.KEYS[0]):
            window.go(key)
            driven.wait(driven.settled)
        present = window.actions_.by_name["present"].trigger
        for name, act in ((_THEME, driven.program.appearance.switch_theme), (_PRESENT, present)):
            longest, own = [], []
            for _turn in range(_RESTYLED):
                with heart.beating():
                    act()
                    driven.pause(_RESTYLED_S)
                longest.append(max(heart.pauses_ms))
                own.append(max(heart.own_ms))
            blocks = Sample(tuple(longest))
            spread = f"{blocks.spread} of {_RESTYLED}; own work of a turn at most {max(own):.3g}"
            note = f"{len(driven.application.allWidgets())} widgets; the longest block of each time, the median of all times"
            rows.append(measured(name, blocks.median, 100.0, spread=spread, note=note))
    return rows


def _floor_ms(bench: Bench, preset: str, n_target: int) -> float:
    return bench.rates.pass_ms(load_preset(preset).config, _N, n_target, os.cpu_count() or 1)


def _tell(bench: Bench, driven: Driven) -> None:
    size = driven.program.window.size()
    bench.note(f"Qt platform {driven.application.platformName()}, window {size.width()}×{size.height()}")
