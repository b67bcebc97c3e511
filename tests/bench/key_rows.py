"""A key on every page: what the river's row says of the first page, for all of them, and for a text of some hundred tokens.

And keys of sentences that are typed through, as a user types: each a moment behind the last one that was painted.
"""

from collections.abc import Iterator
from functools import partial

import attrs

from explorer.page_list import KEYS
from tests.bench.bench import Bench, Task
from tests.bench.probe import SIXTEEN, Driven
from tests.bench.row import Row, measured
from tests.bench.timing import Sample
from tests.bench.window_rows import Key, typed

_ASKING = ("effects", "patching", "saliency", "steering")
"""Pages that try hundreds of passes for what they show: of a long text for minutes."""
_WARM_UP = 4
_SENTENCES = (
    "昨天晚上我和朋友在图书馆里看了一本关于中国历史的书。",
    "我们明天早上八点在学校门口见面，然后一起坐公共汽车去博物馆参观。",
)
_GAPS_MS = (30, 120, 350)
_TYPED = "a sentence typed through, {gap} ms behind the last key painted: event to everything painted, translator"
_TYPED_ON = (
    "a sentence typed through on the page {page}, {gap} ms behind the last key painted: event to everything painted, translator"
)
_GAP_ON_MS, _TYPED_PAGES = 120, (*_ASKING, "change")


@attrs.frozen
class Case:
    """A preset, how often it is given the sentence of sixteen tokens, the pages, the goal (ms) and how many keys count."""

    preset: str
    times: int
    pages: tuple[str, ...]
    goal: float
    n_keys: int

    def name(self, page: str) -> str:
        return f"a key on the page {page}: event to everything painted, {self.preset}, {16 * self.times} tokens"


_CASES = (Case("translator", 1, KEYS, 28.0, 20), Case("tiny", 20, tuple(key for key in KEYS if key not in _ASKING), 60.0, 8))


def tasks() -> list[Task]:
    """Takes minutes, so it has to be asked for: `--only "a key on"`."""
    pages = [Task("keys", tuple(map(case.name, case.pages)), partial(_pages, case=case), asked=True) for case in _CASES]
    through = Task("keys", tuple(_TYPED.format(gap=gap) for gap in _GAPS_MS), _typed_through, asked=True)
    on_pages = tuple(_TYPED_ON.format(page=page, gap=_GAP_ON_MS) for page in _TYPED_PAGES)
    return [*pages, through, Task("keys", on_pages, _typed_on_pages, asked=True)]


def _typed_through(bench: Bench) -> list[Row]:
    with Driven("我", "translator") as driven:
        return [_sentences(driven, _TYPED.format(gap=gap), gap) for gap in _GAPS_MS]


def _typed_on_pages(bench: Bench) -> list[Row]:
    """On pages that begin a long work behind each answer, which the next key interrupts."""
    rows = []
    with Driven("我", "translator") as driven:
        for page in _TYPED_PAGES:
            driven.program.window.go(page)
            _come_to_rest(driven)
            driven.program.window.sentences.source_edit.setFocus()
            rows.append(_sentences(driven, _TYPED_ON.format(page=page, gap=_GAP_ON_MS), _GAP_ON_MS))
    return rows


def _sentences(driven: Driven, name: str, gap_ms: int) -> Row:
    """The first time each sentence is typed the machine and the program warm up."""
    found: list[float] = []
    for turn in range(3):
        for sentence in _SENTENCES:
            driven.program.window.sentences.source_edit.selectAll()
            keys = [driven.painted_ms(partial(driven.type, character)) for character in _paced(driven, sentence, gap_ms)]
            found += keys if turn else ()
    typed_ms = Sample(tuple(found))
    told = f"90 % within {typed_ms.quantile(0.9):.3g} ms, 99 % within {typed_ms.quantile(0.99):.3g}"
    return measured(name, typed_ms.median, 28.0, spread=f"of {len(found)}", note=told)


def _paced(driven: Driven, sentence: str, gap_ms: int) -> Iterator[str]:
    """The characters, each when nothing has happened for a moment; the picture before may still be searched widely."""
    for character in sentence:
        driven.pause(gap_ms / 1e3)
        yield character


def _pages(bench: Bench, case: Case) -> list[Row]:
    """The page is open and has found out what it shows; so it has before each further key."""
    rows = []
    with Driven(SIXTEEN * case.times, case.preset) as driven:
        for page in case.pages:
            driven.program.window.go(page)
            _come_to_rest(driven)
            driven.program.window.sentences.source_edit.setFocus()
            found = []
            for turn in range(_WARM_UP + case.n_keys):
                key = typed(driven)
                if turn >= _WARM_UP:
                    found.append(key)
                _come_to_rest(driven)
                driven.take_back()
                _come_to_rest(driven)
            rows.append(_row(case.name(page), found, case.goal))
    return rows


def _come_to_rest(driven: Driven) -> None:
    driven.wait(driven.settled)
    driven.wait(lambda: not driven.program.window.page_stack.page.awaits)


def _row(name: str, keys: list[Key], goal: float) -> Row:
    parts = {part: Sample(tuple(getattr(key, part) for key in keys)).median for part in ("cut", "model", "pictures", "window")}
    whole = Sample(tuple(key.ms for key in keys))
    told = ", ".join(f"{part} {ms:.3g}" for part, ms in parts.items())
    return measured(name, whole.median, goal, spread=f"longest {max(whole.values):.3g}", note=f"medians: {told} ms")
