"""The card of a changed translation, and loops told by how often they go round."""

import html
import math
import re

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard, Reworded
from explorer.picture.figure.kinds import tables
from explorer.picture.figure.svg import render
from explorer.picture.figure.text import BOLD, REGULAR, width
from explorer.picture.layout.postcard import HIGH_PX, WIDE_PX
from explorer.picture.makers.changed import unlooped
from explorer.picture.makers.postcard import model_name, postcard
from explorer.picture.theme import DARK, LIGHT
from explorer.state.look import Look
from explorer.trace.changes import Change
from explorer.trace.found.consequences import Break, Breaks
from explorer.trace.trace import Trace
from tests.kept import kept_for_the_file

pytestmark = pytest.mark.slow  # passes of the trained model

SENTENCE = "她给了我一本书。"
LONG = "我们昨天下午在学校的图书馆里看了一本很有意思的书，然后回家了。"
HIDE = tuple(Change(f"decoder.layers.{layer}.cross_attn.masked", "close", columns=(0,)) for layer in range(3))
_TEXT = re.compile(r'<text x="([\d.-]+)"([^>]*?)font-size="([\d.]+)"([^>]*)>([^<]*)<')
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}


@pytest.fixture(scope="module")
def computer() -> Computer:
    return Computer()


@kept_for_the_file  # The same passes serve every language and theme.
def traced(computer: Computer, text: str = SENTENCE, changes: tuple[Change, ...] = (), **knobs: object) -> Trace:
    request = Request.from_preset("translator", text, **knobs).wishing(changes=changes)
    return computer(request.asking(experiments=frozenset({"unchanged"}))).trace


def made(trace: Trace, language: str = "zh", breaks: Breaks | None = None) -> Postcard:
    found = postcard(trace, Look().fitted(trace), Words.load(language), breaks)
    assert found is not None
    return found


def test_the_card_says_what_two_passes_recorded(computer: Computer) -> None:
    """Words, probabilities and weights are those of the pass without and of the pass with the change."""
    trace = traced(computer, position="none")
    card, beside = made(trace, "en"), trace.experiments["unchanged"]
    assert [(each.before, each.after) for each in card.words] == [
        *(("She", "I"), ("gave", "gave"), ("me", "her"), ("a", "a"), ("book", "book"), (".", "."))
    ]
    both = [each["generator.probabilities"][0, trace.symbols.index("␣She")] for each in (beside.trace, beside.fed)]
    assert card.hit == f"p(She): {both[0]:.3f} → {both[1]:.3f}"
    head = card.map_after.head
    assert head is not None and card.map_before is not None
    tap = "encoder.layers.1.self_attn.weights"
    assert np.array_equal(card.map_after.values, beside.fed[tap][head])
    assert np.array_equal(card.map_before.values, beside.trace[tap][head])
    assert card.changes == "No positional encoding" and "position = none" in card.model and SENTENCE in card.sentence
    assert [table.name for table in tables(card)] == ["log_p.changed", "weights.before", "weights.after"]


def test_the_card_names_a_folder_and_not_where_it_is(computer: Computer) -> None:
    """It is sent to others, who have no business in somebody's folders; a preset keeps its name."""
    trace = traced(computer, position="none")
    assert made(trace).model.endswith(" · translator")
    for path, name in (("/home/ann/models/gpt2", "gpt2"), ("/x/models--a--b/snapshots/1f", "a/b")):
        assert name == model_name(attrs.evolve(trace, preset=path, config=None), Words.load("en"))


def test_the_share_is_told_where_somebody_has_searched(computer: Computer) -> None:
    """And that this sentence was picked, if it was."""
    trace = traced(computer, position="none")
    one = Break(SENTENCE, "a", "b", 3.0, -0.1, -0.1, 0.0)
    others = attrs.evolve(one, source="x", after="a")
    assert made(trace).rate == ""
    picked = made(trace, "en", Breaks((one, others, others, others))).rate
    assert "1 of 4" in picked and "25 %" in picked and "selected" in picked
    plain = made(trace, "en", Breaks((attrs.evolve(one, source="y"), others))).rate
    assert "50 %" in plain and "selected" not in plain


def test_without_a_change_or_before_it_is_known_there_is_no_card(computer: Computer) -> None:
    """Nor where the model writes nothing."""
    words, look = Words.load("en"), Look()
    plain = traced(computer)
    assert postcard(plain, look.fitted(plain), words) is None
    waits = attrs.evolve(traced(computer, position="none"), experiments={})
    assert postcard(waits, look.fitted(waits), words) is None
    tiny = Computer()(Request.from_preset("tiny", SENTENCE, architecture="encoder-only", position="none")).trace
    assert postcard(tiny, look.fitted(tiny), words) is None


def _reach(x: str, first: str, size: str, second: str, content: str) -> tuple[float, float]:
    """From where to where a text of the drawing stands (px)."""
    about = first + second
    weight = BOLD if f'font-weight="{BOLD}"' in about else REGULAR
    wide = width(html.unescape(content), float(size), weight)
    anchor = next((name for name in ("middle", "end") if f'text-anchor="{name}"' in about), "start")
    left = float(x) - _BEFORE[anchor] * wide
    return left, left + wide


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_nothing_leaves_the_sheet(computer: Computer, language: str, theme: object) -> None:
    """A long sentence with a long change takes smaller letters and further lines."""
    for trace in (traced(computer, LONG, HIDE), traced(computer, residual=False), traced(computer, LONG * 3, HIDE)):
        svg = render(made(trace, language), Words.load(language), theme)  # type: ignore[arg-type]  # It is a Theme.
        assert f'width="{WIDE_PX:.0f}" height="{HIGH_PX:.0f}"' in svg
        found = [_reach(*groups) for groups in _TEXT.findall(svg)]
        assert len(found) > 10
        assert min(left for left, _right in found) >= 63 and max(right for _left, right in found) <= WIDE_PX - 63


def test_a_loop_stands_once_with_its_number(computer: Computer) -> None:
    """In the columns of the words before it; four times is no loop, and a pause begins anew."""
    card = made(traced(computer, residual=False))
    said = [each.after for each in card.words if each.after]
    assert len(said) == 1 and said[0].endswith("×34")
    assert [each.before for each in card.words] == ["She", "gave", "me", "a", "book", "."]
    row = [Reworded("", "no")] * 4
    assert unlooped(row) == tuple(row)
    assert unlooped([*row, Reworded("x", ""), Reworded("y", "no", -1, -2)]) == (
        *(Reworded("", "no ×5"), Reworded("x", ""), Reworded("y", "", -1, -2)),
    )


def test_what_is_no_number_is_told_as_such(computer: Computer) -> None:
    """And a search without a single sentence has no share."""
    assert math.isnan(Breaks().share) and repr(Breaks()).startswith("0 of 0")
    nan = Break("a", "b", "c", math.nan, -0.1, -0.1, 0.0)
    assert not nan.kept and nan.to_dict()["changed"] is True
    trace = traced(computer, changes=(Change("decoder.layers.2.feed_forward.output", "set", value=3e38),))
    assert "NaN" in made(trace, "en").hit
