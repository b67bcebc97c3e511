"""The widget of a notebook: the figures of the page, which tell Python what is clicked, in a browser and in a real notebook."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.errors import ExtraMissing, UnknownTap
from explorer.picture.cell_text import number
from explorer.trace.tap_names import Cell
from tests.export.web.browser import needs_browser, report
from tests.export.web.test_page import figures, values
from tests.picture.examples import example

WALL = "decoder.layers.*.cross_attn.weights"
TAP = "decoder.layers.1.cross_attn.weights"


def shown(widget: Any) -> dict[str, Any]:
    """The one figure that a browser unpacks."""
    (figure,) = figures(f'id="packed">{widget.figures}<')
    return figure


def test_its_numbers_are_those_of_the_trace() -> None:
    """Each map says whose numbers it has, as what is selected in it will say."""
    trace = example()
    found = {tuple(place["of"]): place for place in shown(trace.widget(WALL))["places"]}
    for layer in range(2):
        for head in range(4):
            place = found["decoder", layer, head]
            assert np.array_equal(values(place), trace[WALL.replace("*", str(layer))][head])
            assert place["tap"] == WALL.replace("*", str(layer))


def test_what_is_clicked_is_told_to_python() -> None:
    """As (side, layer, head, query, key), and as a Cell that has the number."""
    trace, heard = example(), []
    widget = trace.widget(WALL)
    widget.observe(lambda change: heard.append(change["new"]), "selected")
    assert widget.selected is None and widget.cell is None

    widget.set_state({"tap": TAP, "selected": ["decoder", 1, 3, 2, 0]})  # what a browser sends
    assert heard == [("decoder", 1, 3, 2, 0)]
    assert widget.cell == Cell("decoder.cross_attn", 1, 3, 2, 0)
    assert trace[TAP][3, 2, 0] == trace[widget.cell.tap("weights")][widget.cell.head, widget.cell.query, widget.cell.key]


def test_a_head_that_is_clicked_is_drawn_in_the_river() -> None:
    """Its map stands where that of another head stood; a cell that is clicked changes no picture."""
    trace = example()
    widget = trace.widget(language="en")
    widget.set_state({"tap": TAP, "selected": ["decoder", 1, 3, None, None]})
    (place,) = shown(widget)["places"]
    assert place["of"] == ["decoder", 1, 3] and np.array_equal(values(place), trace[TAP][3])
    assert "head 3" in widget.name

    drawn = widget.figures
    widget.set_state({"tap": TAP, "selected": ["decoder", 1, 3, 0, 0]})
    assert widget.figures == drawn


def test_what_there_is_none_of_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tap of another name; and without anywidget, the line that installs it."""
    with pytest.raises(UnknownTap):
        example().widget("encoder.nrom")
    monkeypatch.delitem(sys.modules, "explorer.export.web.pass_widget", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ExtraMissing, match="notebook"):
        example().widget()


_PAGE = """<!doctype html><meta charset="utf-8"><body style="background: BACKGROUND"><p id="needs" hidden></p>
<figure><svg></svg></figure><div id="here"></div></body>"""
_RENDER = """
const told = TOLD, sent = [], called = {};
const model = {
  get: (name) => told[name], set: (found) => Object.assign(told, found), save_changes: () => sent.push({ ...told }),
  on: (name, call) => { called[name] = call; }, off: (name) => { delete called[name]; },
};
const module = await import(URL.createObjectURL(new Blob([ESM], { type: "text/javascript" })));
const here = document.getElementById("here");
const end = await module.default.render({ model, el: here });
const root = here.shadowRoot, svg = root.querySelector("svg"), place = JSON.parse(PLACE);
const send = (kind, column, row) => {
  const x = place.x + (column + 0.5) * place.w, y = place.y + (row + 0.5) * place.h;
  const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
  svg.dispatchEvent(new MouseEvent(kind, { clientX: at.x, clientY: at.y, bubbles: true }));
};
send("pointermove", 1, 2);
const tip = root.getElementById("tip").textContent, dark = root.querySelector(".widget").classList.contains("is-dark");
send("click", 1, 2);
called["change:selected"]();
const framed = root.querySelectorAll(".selected").length;
told.selected = null;
called["change:selected"]();
const unframed = root.querySelectorAll(".selected").length;
end();
return { tip, dark, framed, unframed, left: Object.keys(called), sent: sent.map(({ tap, selected }) => ({ tap, selected })) };
"""


@needs_browser
@pytest.mark.slow  # a browser starts
@pytest.mark.parametrize(("background", "dark"), [("#ffffff", False), ("#111111", True)])
def test_a_browser_tells_the_cell_that_is_clicked(background: str, dark: bool, tmp_path: Path) -> None:
    """It says the value under the mouse, frames the cell that is selected, and is dark on a dark page."""
    trace = example()
    widget = trace.widget(WALL)
    place = next(each for each in shown(widget)["places"] if each["of"] == ["decoder", 1, 3])
    told = {name: getattr(widget, name) for name in ("figures", "fonts", "sheet", "name", "tap", "selected")}
    script = _RENDER.replace("TOLD", json.dumps(told)).replace("ESM", json.dumps(str(widget._esm)))
    script = script.replace("PLACE", json.dumps(json.dumps({key: place[key] for key in "xywh"}))).replace("</", "<\\/")
    file = tmp_path / "widget.html"
    file.write_text(_PAGE.replace("BACKGROUND", background), encoding="utf-8")
    found = report(file, script)

    assert found["tip"].startswith(number(float(trace[TAP][3, 2, 1])))
    assert found["sent"] == [{"tap": TAP, "selected": ["decoder", 1, 3, 2, 1]}]
    assert (found["framed"], found["unframed"], found["left"], found["dark"]) == (1, 0, [], dark)


def test_an_error_of_the_program_is_one_line_in_a_notebook() -> None:
    """Without the calls of the program, in which there is no fault."""
    with pytest.raises(UnknownTap) as caught:
        explorer.explore("我", preset="tiny")["encoder.nrom"]
    (line,) = caught.value._render_traceback_()
    assert line == f"UnknownTap: {caught.value}" and "encoder.norm" in line
