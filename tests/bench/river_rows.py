"""The river by itself: from a new Trace, or a pointing, until its image is handed to the screen."""

import time
from functools import partial

import explorer
from explorer.app.main import make_application
from explorer.lang import Words
from explorer.picture.makers.river import river
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.pictures.river import RiverView
from tests.bench.bench import Bench, Task
from tests.bench.row import Row, measured
from tests.bench.timing import repeated

_SIZE = 1172, 716  # px of the page in a window of 1440 × 900
_SHORT = "他在图书馆看书。", "她在图书馆看书。", "他在图书馆看报。", "他在学校看书。"
_LONG = tuple(
    f"昨天晚上我和我的朋友在学校的图书馆里一起看了一本关于中国历史的书，然后我们去饭馆吃{meal}，他告诉我他明年想去{city}。"
    for meal, city in (("晚饭", "北京"), ("午饭", "上海"), ("早饭", "南京"))
)
_CASES = (("5 + 8 tokens", _SHORT, 6.0), ("long, 36 + 44 tokens", _LONG, 12.0))
_NAME, _HOVER = "river of {}: drawn and painted", "river of {}: pointing at the next token to painted"
_OTHER = "river of {}: that of another sentence drawn and painted"
_BUDGET_S = 4.0
_FRAME_MS = 16.7


def tasks() -> list[Task]:
    """A whole river, and what follows the mouse."""
    return [
        Task(
            "river",
            tuple(row.format(name) for row in (_NAME, _OTHER, _HOVER)),
            partial(_measure, name=name, texts=texts, goal=goal),
        )
        for name, texts, goal in _CASES
    ]


def _measure(bench: Bench, name: str, texts: tuple[str, ...], goal: float) -> list[Row]:
    traces = [explorer.explore(text, preset="translator") for text in texts]
    trace, words = traces[0], Words.load("zh")
    looks = [
        Look(attention="decoder.cross_attn", layer=1, head=head).fitted(trace) for head in range(trace.card.sides[0].n_heads)
    ]
    application, view = make_application(), RiverView()
    view.resize(*_SIZE)
    view.show()
    application.processEvents()  # From now on it is really painted.
    turn = iter(range(10**9))

    def painted(shown: Trace, look: Look) -> float:
        start = time.perf_counter()
        view.draw(river(shown, look, words), words)
        view.repaint()
        return (time.perf_counter() - start) * 1e3

    def draw() -> float:
        return painted(trace, looks[next(turn) % len(looks)])

    def draw_another() -> float:
        return painted(traces[next(turn) % len(traces)], looks[0])

    def point() -> float:
        side, place = "source", next(turn) % len(trace.tokens.source)
        start = time.perf_counter()
        view.light(frozenset({(side, place)}))
        view.repaint()
        return (time.perf_counter() - start) * 1e3

    try:
        drawn, another = repeated(draw, budget_s=_BUDGET_S), repeated(draw_another, budget_s=_BUDGET_S)
        view.draw(river(trace, looks[0], words), words)
        pointed = repeated(point, budget_s=_BUDGET_S / 2)
    finally:
        view.hide()
        view.deleteLater()
        application.processEvents()
    return [
        measured(_NAME.format(name), drawn.median, goal, spread=str(drawn.spread), note="the next head of one sentence"),
        measured(
            _OTHER.format(name), another.median, goal, spread=str(another.spread), note="nothing is known of it, as for a key"
        ),
        measured(_HOVER.format(name), pointed.median, _FRAME_MS, spread=str(pointed.spread)),
    ]
