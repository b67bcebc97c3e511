"""48 labelled heat maps as PNG files, as the program exports them, and as matplotlib saves them."""

from functools import partial

import numpy as np
from PySide6.QtGui import QImage

from explorer.app.main import make_application
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.export.choice import Choice
from explorer.export.job import Export
from explorer.lang import Words
from tests.bench.bench import Bench, Task
from tests.bench.peer import figures
from tests.bench.probe import SIXTEEN
from tests.bench.row import Row, compared
from tests.bench.timing import Pair, elapsed_ms, in_turn

_NAME = "48 labelled heat maps to PNG: matplotlib / ours"
_TAP = "encoder.layers.0.self_attn.weights"


def tasks() -> list[Task]:
    """One row."""
    return [Task("export", (_NAME,), _beside, peers=True)]


def _beside(bench: Bench) -> list[Row]:
    assert bench.peers is not None  # the task asks for them
    make_application()
    trace = Computer()(Request.from_preset("paper-base", SIXTEEN)).trace
    choice, folder, file = Choice(_TAP, None, None), bench.folder / "ours", bench.folder / "maps.npy"
    job = Export(trace=trace, out=folder, format="png", words=Words.load("zh"), choice=choice, one_each=True)
    first_ms = elapsed_ms(lambda: list(job.run()))
    written = sorted(folder.glob("*.png"))
    size = QImage(str(written[0])).size()
    np.save(file, np.concatenate([trace[tap] for tap in choice.taps(trace)]))
    labels = [token.text for token in trace.tokens.source]
    theirs = bench.folder / "theirs"
    theirs.mkdir()
    with figures(bench.peers) as peer:
        save = partial(
            peer.ask,
            "save maps",
            file=str(file),
            labels=labels,
            folder=str(theirs),
            wide_px=size.width(),
            high_px=size.height(),
        )
        save(most=2)  # it looks for its fonts first
        pair = Pair(*in_turn([lambda: elapsed_ms(lambda: list(job.run())), save], budget_s=20.0, least=3, most=9, warm_up=0))
        bench.note(str(peer.about))
    if not len(written) == len(list(theirs.glob("*.png"))) == 48:
        raise RuntimeError(f"{len(written)} files of ours")
    note = (
        f"{size.width()}×{size.height()} pixels each on both sides, {len(labels)} tokens on both axes, a number in each cell, "
        "colour bar; "
        f"our first export in a process takes {first_ms:.0f} ms"
    )
    return [compared(_NAME, pair, 10.0, better="higher", note=note)]
