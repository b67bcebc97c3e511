"""What can be done with a picture in the window is said there, and in no file."""

import re
from pathlib import Path
from typing import Any

import attrs
import pytest

from explorer.export.web.drawing import WebDrawing, draw_web_river
from explorer.lang import Words
from explorer.picture.causal_kinds import Account
from explorer.picture.figure.plate import render_print
from explorer.picture.figure.print import Print
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Caption
from explorer.picture.layout.account import account
from explorer.picture.layout.sketch import Sketch
from explorer.picture.makers.river import river
from explorer.picture.marks import Label, Marks, Rect
from explorer.picture.river.draw import draw_over, draw_river
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside import draw_inside_over
from explorer.picture.river.inside_grid import lay_out_inside
from explorer.picture.river.pointing import usual
from explorer.picture.sums import Sums
from explorer.picture.theme import LIGHT
from explorer.state.look import Look
from tests.golden.test_figures import PICTURES
from tests.picture.examples import example, words
from tests.sweeps import every_nth, sweep

MAKERS = sorted((Path(__file__).parents[2] / "explorer" / "picture" / "makers").rglob("*.py"))
IN_FILES = re.compile(r"""\b(?:note|said)\s*=\s*words\(\s*f?"([\w.]+)" """.strip())
ASKING = re.compile(r"\bclick|\bdrag|\bslider|\bto go on\b|点一|点开|拖动", re.IGNORECASE)
HINT = "hint-of-the-window"


@pytest.mark.parametrize("name", sweep(sorted(PICTURES), telling=every_nth(sorted(PICTURES), 3)))
def test_no_figure_has_the_hint_of_its_caption(name: str) -> None:
    """But the note, where the caption is drawn at all: a card to be passed on has none."""
    picture = attrs.evolve(PICTURES[name], caption=attrs.evolve(PICTURES[name].caption, note="note-of-all", hint=HINT))
    for svg in (render(picture, words()), render_print(picture, Print(width_mm=600), words())):
        assert HINT not in svg and ("note-of-all" in svg or name == "postcard")
    assert picture.caption.told == f"note-of-all {HINT}"


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", ["account", "account_opened"])
def test_an_account_says_what_a_click_does_where_it_can_be_clicked(name: str, language: str) -> None:
    """A waterfall and an opened list."""
    picture, said = PICTURES[name], Words.load(language)
    assert isinstance(picture, Account)
    sums = attrs.evolve(picture.sums, hint=HINT) if picture.sums.terms else picture.sums
    hints = [said(f"why.{each}") for each in ("hint", "short_hint", "open_hint", "back")] + [HINT]
    live, filed = (_letters(sums, said, answers=answers) for answers in (True, False))
    assert any(hint in live for hint in hints) and not any(hint in filed for hint in hints)
    assert (said("why.segments") in filed) == (not sums.terms)  # What segments are is said in either.


def _letters(sums: Sums, said: Words, *, answers: bool) -> str:
    sketch = Sketch(LIGHT, LIGHT.signed_colours, lambda text, size, _bold: 0.6 * size * len(text), answers=answers)
    account(sketch, sums, said, Rect(0, 0, 900, 600))
    return "\n".join(mark.text for mark in sketch.marks if isinstance(mark, Label))


def _written(scene: Marks) -> set[str]:
    return {item.text for item in scene if isinstance(item, Label)}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("fields", [{}, {"aligned": "layer"}, {"unit": "words"}, {"opened": "attention"}], ids=str)
def test_a_river_in_a_file_has_no_buttons(fields: dict[str, Any], language: str) -> None:
    """Alone as on paper, and on a page for a browser. What its bands show is said as text."""
    said, trace = Words.load(language), example()
    picture = river(trace, Look(layer=1, head=2, **fields).fitted(trace), said)
    buttons = [said(key) for key in ("heads.unit_words", "river.pools.layer", "river.pools.layer_max", "river.inside.back")]
    buttons += [said(f"river.bands.{key}") for key in ("name", "weights", "contributions")]
    shown = said("river.bands.told", name=said("river.bands.name"), shown=said("river.bands.weights"))
    filed = [render(picture, said), render_print(picture, Print(width_mm=300), said)]
    if not fields.get("opened"):
        drawing = WebDrawing(said, signed_by_theme=True)
        draw_web_river(drawing, picture, 0)
        filed.append("\n".join(drawing.body))
    for svg in filed:
        assert not any(f">{button}<" in svg for button in buttons)
        assert (f">{shown}<" in svg) == (not fields.get("opened"))
        assert said("river.tell.candidate", step=1, word="", share="|").partition("|")[2] not in svg
    colours = Colours(picture.unit_colours, picture.signed_colours)
    if fields.get("opened"):
        live = _written(draw_inside_over(picture, lay_out_inside(picture, 1172, 716), said, colours, usual(picture)).scene)
    else:
        grid = lay_out(picture, 1172, 716)
        drawn = (draw_river(picture, grid, said, colours), draw_over(picture, grid, said, usual(picture)))
        live = set().union(*(_written(each.scene) for each in drawn))
    assert live & set(buttons)  # The window has them.


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_note_asks_for_a_click(language: str) -> None:
    """Notes and sentences that files have too ask for nothing that only a window can do."""
    said = Words.load(language)
    keys = {key for path in MAKERS for key in IN_FILES.findall(path.read_text(encoding="utf-8"))}
    assert len(keys) > 20 and "change.nothing_yet" in keys
    assert [key for key in sorted(keys) if key in said and ASKING.search(said.without_values(key))] == []
    assert ASKING.search(said("change.nothing_hint")) and ASKING.search(said("steering.nothing_hint"))  # so that it can fail


def test_sentences_follow_each_other() -> None:
    """With a blank in English alone."""
    made = attrs.evolve(Caption(title="", tap="", shape=""), note="还没有干预。", hint="左边点一下。")
    assert made.told == "还没有干预。左边点一下。"
    assert attrs.evolve(made, note="Nothing yet.", hint="Click.").told == "Nothing yet. Click."
    assert attrs.evolve(made, hint="").told == "还没有干预。" and attrs.evolve(made, note="").told == "左边点一下。"
