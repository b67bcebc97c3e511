"""How each page's making and painting grow with the text: what is drawn of new numbers, on the GUI thread, by itself.

Thread time, so that what other threads and programs do is not in it. Exponents are slopes of log(ms) over log(tokens); one
above 1 between the last two sizes would be a page whose cost grows faster than what it shows.
"""

import time
from collections.abc import Mapping
from functools import partial

import numpy as np

from explorer.app.pages.page import Page
from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.page_list import KEYS
from explorer.state.intents import OpenPage
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from tests.bench.bench import Bench, Task
from tests.bench.probe import SIXTEEN, Driven
from tests.bench.row import Row, aligned, figure

_SIZES = (16, 64, 256, 1024)
_TEXT = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
_CONFIG = Config(n_layers=2, n_heads=4, d_model=64, d_ff=128, max_len=1024, tokenizer="characters")
_TRACES = 3  # of each size, each drawn once: what a Trace has made before is not made again


def tasks() -> list[Task]:
    """Takes minutes, so it has to be asked for; gives a table of its own and no rows."""
    return [Task("pages", ("pages",), _pages, asked=True)]


def _pages(bench: Bench) -> list[Row]:
    words, found = Words.load("en"), {key: dict[int, float]() for key in KEYS}
    with Driven(SIXTEEN, "tiny") as driven:
        for n in _SIZES:
            traces = _traces(n)
            for key in KEYS:
                driven.program.session.ask(OpenPage(key))
                driven.wait(driven.settled)
                page, look = driven.program.window.page_stack.page, driven.program.session.state.look
                found[key][n] = _drawn_ms(page, traces, look, words)
    bench.tables.append(_table(found))
    return []


def _traces(n: int) -> list[Trace]:
    """Passes over texts of `n` tokens."""
    computer = Computer()
    texts = [(_TEXT[turn:] + _TEXT * n)[:n] for turn in range(_TRACES + 1)]
    return [computer(Request(wish=Wish(text=text, config=_CONFIG, preset="tiny"))).trace for text in texts]


def _drawn_ms(page: Page, traces: list[Trace], look: Look, words: Words) -> float:
    """The median time of the GUI thread from new numbers to painted; the first Trace lays the page out."""
    times = []
    for trace in traces:
        start = time.thread_time()
        page.draw(trace, look.fitted(trace), words)
        page.grab()
        times.append((time.thread_time() - start) * 1e3)
    return float(np.median(times[1:]))


def _table(found: Mapping[str, Mapping[int, float]]) -> str:
    cells = [("page", *(f"{n} tokens, ms" for n in _SIZES), "exponent", "of the last step")]
    for key, costs in found.items():
        slope = partial(_exponent, costs)
        cells.append((key, *(figure(costs[n]) for n in _SIZES), f"{slope(_SIZES):.2f}", f"{slope(_SIZES[-2:]):.2f}"))
    return f"Growth of each page, made and painted:\n\n{aligned(cells)}\n"


def _exponent(costs: Mapping[int, float], sizes: tuple[int, ...]) -> float:
    """The slope of log(cost) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log([max(costs[n], 1e-3) for n in sizes]), 1)[0])
