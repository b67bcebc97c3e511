"""Changes inside a pass: what one costs, how soon the pencil is on screen, and all heads off beside TransformerLens."""

import os
import time
from functools import partial

import torch
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from explorer.app.pages.attention_page import AttentionPage
from explorer.engine.changing import Changing
from explorer.engine.experiments.ablations import heads_of
from explorer.engine.experiments.bench import Bench as Given
from explorer.engine.experiments.trials import Trials
from explorer.engine.recording.recorder import record
from explorer.foreign.card import card_of
from explorer.model.ids import ids_tensor
from explorer.state.intents import look_at
from explorer.tokens.token import Token
from explorer.trace.changes import Change
from explorer.trace.own_card import card_of as card_of_own
from explorer.trace.recorded_pass import Tokens
from explorer.views.pictures.heatmap import HeatmapView
from tests.bench.bench import Bench, Task
from tests.bench.engine_rows import model_of
from tests.bench.foreign_rows import opened_of
from tests.bench.peer import Peer
from tests.bench.peers.shapes import some_ids
from tests.bench.probe import SIXTEEN, Driven
from tests.bench.quiet import usual_threads
from tests.bench.row import Row, compared, measured
from tests.bench.timing import Pair, Sample, elapsed_ms, in_turn, paired

_ONE = "recorded pass with one change / without, translator, {n} + {n} tokens"
_LENGTHS = (16, 64)
_PENCIL = "pencil: pen to painted, translator, 16 tokens"
_HEADS = "ablation of all 144 heads / TransformerLens 4's loop, GPT-2 small, 16 tokens"
_N = 16
_ONE_GOAL, _PENCIL_GOAL_MS, _HEADS_GOAL = 1.05, 33.0, 0.5
_BUDGET_S, _LOOPS_S = 5.0, 60.0
_STROKES, _WARM_UP = 60, 5
_SETTLE_S = 0.02  # The threads of the side that has just run spin on for a while.
_CLOSE = 1e-3


def tasks() -> list[Task]:
    """The pass, the window, and both programs in turn."""
    ones = tuple(_ONE.format(n=n) for n in _LENGTHS)
    return [
        Task("change", ones, _one_change, apart=True),
        Task("change", (_PENCIL,), _pencil),
        Task("change", (_HEADS,), _all_heads, peers=True, apart=True),
    ]


def _one_change(_bench: Bench) -> list[Row]:
    """One head of the decoder switched off, as the menu does it."""
    model = model_of("translator")
    change = Change("decoder.layers.1.cross_attn.mixed", "scale", head=2, value=0.0)
    rows = []
    for n in _LENGTHS:
        torch.set_num_threads(usual_threads(card_of_own(model.config), n))
        source, target = ids_tensor(tuple(range(10, 10 + n))), ids_tensor(tuple(range(300, 300 + n)))

        def recorded(changes: tuple[Change, ...], source: torch.Tensor = source, target: torch.Tensor = target) -> None:
            with Changing(changes).inside_of_pass(model), record(model):
                model(source, target)

        with torch.inference_mode():
            pair = paired(partial(recorded, (change,)), partial(recorded, ()), budget_s=_BUDGET_S)
        rows.append(compared(_ONE.format(n=n), pair, _ONE_GOAL))
    return rows


def _pencil(_bench: Bench) -> list[Row]:
    """The pen goes down and closes a cell; what was drawn is taken back before the next stroke."""
    with Driven(SIXTEEN, "translator") as driven:
        window, session = driven.program.window, driven.program.session
        window.go("attention")
        session.ask(look_at(attention="decoder.cross_attn", layer=1, head=2))
        driven.wait(driven.settled)
        page = window.page_stack.page
        assert isinstance(page, AttentionPage)  # It has just been opened.
        page.pencil.setChecked(True)
        found = []
        for turn in range(_WARM_UP + _STROKES):
            cell = divmod(turn * 7 % (_N * _N), _N)
            ms = driven.painted_ms(partial(_stroke, page.map, *cell))
            if turn >= _WARM_UP:
                found.append(ms)
            window.actions_.by_name["undo"].trigger()
            driven.wait(driven.settled)
    strokes = Sample(tuple(found))
    note = "the first answer, greedily translated; each stroke closes another cell of a pass without changes"
    return [measured(_PENCIL, strokes.median, _PENCIL_GOAL_MS, spread=f"{strokes.spread} of {_STROKES}", note=note)]


def _stroke(view: HeatmapView, row: int, column: int) -> None:
    """Press and release over one cell of the map."""
    rows, columns = view.view.rows, view.view.columns
    place = view.cell_rect(row % rows, column % columns).center()
    button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        QApplication.sendEvent(view, QMouseEvent(kind, QPointF(place), view.mapToGlobal(place), button, button, none))


def _all_heads(bench: Bench) -> list[Row]:
    """Both give Δ log p of every next token for every head; that they agree is checked before they are timed."""
    assert bench.peers is not None  # The task asks for them.
    shape = "GPT-2 small"
    ids = tuple(Token(str(each), each, 0, 0, True) for each in some_ids(shape, _N)[0].tolist())
    opened = opened_of(shape)
    given = Given(opened.foreign, Tokens((), ids), (), lambda: False, card=card_of(opened, shape))
    with Peer(bench.peers, "bridges", shape, str(os.cpu_count())) as peer, torch.inference_mode():
        theirs = torch.tensor(peer.ask("heads", n=_N))  # [head of all layers, word] Δ log p
        ours = _effects(given)
        away = float((ours - theirs).abs().max())
        if not away < _CLOSE:
            raise RuntimeError(f"the effects differ by {away}: not the same ablation")

        def our_ms() -> float:
            time.sleep(_SETTLE_S)
            return elapsed_ms(partial(_effects, given))

        clocks = [our_ms, partial(peer.ask, "heads_ms", n=_N)]
        one, other = in_turn(clocks, budget_s=_LOOPS_S, least=3, most=20)
    note = f"the effects are theirs to {away:.1e}; {peer.about['versions']}; run_with_hooks for each head, hook_z zeroed"
    return [compared(_HEADS, Pair(one, other), _HEADS_GOAL, note=note)]


def _effects(given: Given) -> torch.Tensor:
    return Trials(given).effects([one.trial for one in heads_of(given.card)])
