"""A page: one file that needs no other, of a size that can be mailed, with the very numbers of the Trace."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

import explorer
from explorer.export.web.drawing import WEB, variables
from explorer.export.web.page import page
from explorer.export.web.whole import opening_look, pictures_of
from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Picture
from explorer.picture.makers.river import river
from explorer.picture.theme import DARK, LIGHT
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.export.web.browser import needs_browser, report
from tests.golden.test_figures import PICTURES
from tests.picture.examples import example, words

LONG = "春天来了花都开了我们去公园看花吧"
WEIGHTS = "encoder.layers.1.self_attn.weights"


def figures(document: str) -> list[dict[str, Any]]:
    """What a browser unpacks."""
    packed = re.search(r'id="packed">([^<]*)<', document)
    assert packed
    return json.loads(zlib.decompress(base64.b64decode(packed[1])))


def whole(trace: Trace, language: str = "en") -> str:
    """The page of a whole pass."""
    spoken = Words.load(language)
    return page(pictures_of(trace, opening_look(trace), spoken), trace, spoken)


def values(place: dict[str, Any]) -> np.ndarray:
    """The numbers of a place [row, column]."""
    flat = np.frombuffer(base64.b64decode(place["values"]), "<f4")
    return flat.reshape(place["rows"]["n"], place["columns"]["n"])


def test_the_cells_hold_the_recorded_numbers() -> None:
    """Every thumbnail of every wall, to the last bit; a closed cell is NaN and says why."""
    trace = example()
    found = [place for each in figures(whole(trace)) for place in each["places"]]
    by_name = {(place["tap"], place["title"]): place for place in found}

    for attention in ("encoder.layers.{}.self_attn", "decoder.layers.{}.self_attn", "decoder.layers.{}.cross_attn"):
        for layer in range(2):
            tap = f"{attention.format(layer)}.weights"
            for head in range(4):
                place = by_name[tap, f"L{layer} H{head}"]
                closed = trace.map(tap).closed
                told = np.where(False if closed is None else closed, np.nan, trace[tap][head])
                assert np.array_equal(values(place), told.astype(np.float32), equal_nan=True)
                assert place["rows"]["side"] == ("source" if tap.startswith("encoder") else "target")
    masked = by_name["decoder.layers.0.self_attn.weights", "L0 H0"]
    assert np.isnan(values(masked)[0, 1]) and masked["reason"]


def test_it_needs_nothing_else() -> None:
    """No address, no file, no further style or script; texts that look like HTML are texts."""
    trace = attrs.evolve(example(), source="</script><b>&", target='"x"')
    document = whole(trace)
    unpacked = json.dumps(figures(document))

    for text in (document, unpacked):
        assert not re.search(r"""\b(src|href)=["']?(?!["']?data:)""", text.replace('\\"', '"'))
        assert not re.search(r"url\((?!data:)|@import|<link|<iframe", text)
        assert set(re.findall(r"https?://[^\"'\s)]*", text)) <= {"http://www.w3.org/2000/svg"}  # the name of SVG, no address
    assert "<title>&lt;/script&gt;&lt;b&gt;&amp; → &quot;x&quot;</title>" in document
    assert document.count("</script>") == 2


@pytest.mark.parametrize("architecture", ["encoder-only", "decoder-only"])
def test_it_can_be_mailed(architecture: str) -> None:
    """At most 300 KB for sixteen tokens and forty-eight heads: the river and all maps, with all their numbers."""
    knobs = {"architecture": architecture, "n_layers": 6, "n_heads": 8, "tokenizer": "characters"}
    trace = explorer.explore(LONG, preset="tiny", **knobs)
    document = whole(trace)

    assert len(trace.side("generator.logits")) == 16
    assert len(figures(document)[1]["places"]) == 48
    assert len(document.encode("utf-8")) < 300_000


def test_light_and_dark_have_the_same_variables() -> None:
    """Each is a colour of the program's own theme."""
    names = re.findall(r"--([a-z-]+):", variables(LIGHT))
    assert names == re.findall(r"--([a-z-]+):", variables(DARK))
    assert f"--accent:{DARK.accent};" in variables(DARK)
    used = {value[6:-1] for value in attrs.asdict(WEB).values() if str(value).startswith("var(")}
    assert used == set(names)


@pytest.mark.parametrize("name", PICTURES)
def test_every_kind_of_picture_has_a_page(name: str) -> None:
    """With all the words of its SVG; no colour of the light theme is left where a variable should stand."""
    picture: Picture = PICTURES[name]
    (figure,) = figures(page([picture], example(), words()))
    letters = "".join(re.sub(r"<[^>]*>", "", figure["svg"]).split())

    drawn = re.sub(r"<(style|title)>.*?</\1>", "", render(picture, words()), flags=re.DOTALL)
    assert letters == "".join(re.sub(r"<[^>]*>", "", drawn).split())
    assert "None" not in figure["svg"] and "xlink" not in figure["svg"]
    assert not re.search(rf'(fill|stroke)="({LIGHT.faint}|{LIGHT.hairline}|{LIGHT.accent})"', figure["svg"])


def test_overlaid_heads_have_a_variable_each() -> None:
    """In light and in dark the colours of the theme; the lines of heads 0 and 9 use two of them."""
    drawn = json.dumps(figures(page([PICTURES["alignment_overlaid"]], example(), words("en"))))
    assert "var(--head-0)" in drawn and "var(--head-1)" in drawn and "var(--head-2)" not in drawn
    for theme in (LIGHT, DARK):
        for place, colour in enumerate(theme.heads):
            assert f"--head-{place}:{colour};" in variables(theme)


def test_a_river_has_what_stands_out_for_each_token() -> None:
    """Of the encoder and of the decoder; nothing that would need a click is drawn."""
    trace = example()
    shown = river(trace, opening_look(trace), words())
    (figure,) = figures(page([shown], trace, words()))

    tokens = {f"{side}:{place}" for side in ("source", "target") for place in range(4)}
    assert set(figure["overs"]) == {"", *tokens}
    assert len(set(figure["overs"].values())) == len(tokens) + 1
    assert tokens <= set(re.findall(r'data-token="([^"]*)"', figure["svg"]))
    assert words()("river.bands.contributions") not in figure["svg"]
    assert 'data-say="' in figure["svg"]


def test_a_long_text_has_a_page_of_what_was_kept() -> None:
    """Its walls say no single values, since only blocks were kept."""
    trace = explorer.explore("一" * 600, preset="tiny", tokenizer="characters", max_len=1024, memory_budget=16, n_layers=1)
    found = figures(whole(trace))
    assert found and all(place["rows"]["n"] * place["columns"]["n"] <= 2**16 for each in found for place in each["places"])


def test_changes_and_other_programs_are_told() -> None:
    """In the line below the sentence, and with every figure."""
    changed = explorer.explore(
        "我爱你", preset="tiny", changes=[explorer.Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)]
    )
    document = whole(changed)
    badge = Words.load("en")("change.badge_about", count=1)
    assert badge in document
    assert all(badge in each["svg"] for each in figures(document))
    assert "engine 1.2" in whole(attrs.evolve(changed, recorded_by="engine 1.2"))


_POINT = """
const { figures, tip } = page, each = figures[FIGURE], place = each.places[PLACE];
const at = (column, row) => {
  const x = place.x + (column + 0.5) * place.w, y = place.y + (row + 0.5) * place.h;
  const p = new DOMPoint(x, y).matrixTransform(each.svg.getScreenCTM());
  each.svg.dispatchEvent(new PointerEvent("pointermove", { clientX: p.x, clientY: p.y, bubbles: true }));
  return { tip: tip.textContent, seen: getComputedStyle(tip).visibility, marks: document.querySelectorAll(".mark").length };
};
"""


@needs_browser
@pytest.mark.slow  # a browser starts
def test_a_browser_says_the_values_and_lets_tokens_stand_out(tmp_path: Path) -> None:
    """Every cell of a head says what the window says; its row and column are framed in all maps with these tokens."""
    trace = example()
    file = tmp_path / "page.html"
    file.write_text(whole(trace), encoding="utf-8")
    place = next(
        i
        for i, each in enumerate(figures(file.read_text("utf-8"))[1]["places"])
        if (each["tap"], each["title"]) == (WEIGHTS, "L1 H2")
    )
    script = _POINT.replace("FIGURE", "1").replace("PLACE", str(place))
    told = report(file, script + "return [0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((column) => at(column, row)));")

    labels = [token.text for token in trace.tokens.source]
    for row, cells in enumerate(told):
        for column, cell in enumerate(cells):
            value = number(float(trace[WEIGHTS][2, row, column]))
            assert cell["tip"].startswith(f"{value}  ") or cell["tip"].startswith(value)
            assert f"{labels[row]} ({row}) → {labels[column]} ({column})" in cell["tip"]
            assert WEIGHTS in cell["tip"] and cell["seen"] == "visible"
            assert cell["marks"] >= 2 * 8  # the eight heads of this wall, each with a row and a column


@needs_browser
@pytest.mark.slow  # a browser starts
def test_a_browser_shows_the_lane_of_a_token(tmp_path: Path) -> None:
    """What stands out is replaced while a token is pointed at, and comes back."""
    trace = example()
    file = tmp_path / "page.html"
    file.write_text(whole(trace), encoding="utf-8")
    script = """
const { figures, tip } = page, { svg, overs } = figures[0], over = svg.querySelector(".over");
const usual = over.innerHTML, hit = svg.querySelector('.hit[data-token="source:2"]');
hit.dispatchEvent(new PointerEvent("pointermove", { clientX: -9, clientY: -9, bubbles: true }));
const pointed = over.dataset.token;
const differs = over.innerHTML !== usual;
const head = svg.querySelector(".hit[data-say]");
head.dispatchEvent(new PointerEvent("pointermove", { clientX: -9, clientY: -9, bubbles: true }));
const said = [tip.textContent, head.dataset.say];
svg.dispatchEvent(new PointerEvent("pointerleave"));
return { pointed, differs, said, after: over.dataset.token, back: over.innerHTML === usual, seen: tip.style.visibility };
"""
    told = report(file, script)

    assert told["pointed"] == "source:2" and told["differs"]
    assert told["said"][0] == told["said"][1] != ""
    assert (told["after"], told["back"], told["seen"]) == ("", True, "hidden")


@needs_browser
@pytest.mark.slow  # a browser starts
def test_a_browser_shows_light_and_dark(tmp_path: Path) -> None:
    """By the reader's system: the colours of the page, and which of two images of each map is seen."""
    file = tmp_path / "page.html"
    file.write_text(whole(example()), encoding="utf-8")
    script = """
const seen = (name) => getComputedStyle(document.querySelector(`image.${name}`)).display;
return { ground: getComputedStyle(document.body).backgroundColor, light: seen("light"), dark: seen("dark") };
"""
    for theme, flags in (
        (LIGHT, ("--blink-settings=preferredColorScheme=1",)),
        (DARK, ("--blink-settings=preferredColorScheme=0",)),
    ):
        told = report(file, script, *flags)
        rgb = ", ".join(str(int(theme.window[place : place + 2], 16)) for place in (1, 3, 5))
        assert told["ground"] == f"rgb({rgb})"
        assert (told["light"] != "none", told["dark"] != "none") == (theme is LIGHT, theme is DARK)


@needs_browser
@pytest.mark.slow  # a browser starts
def test_a_browser_writes_numbers_as_the_window_does(tmp_path: Path) -> None:
    """Large, small, negative, whole, and those that are no numbers."""
    numbers = [0.0, 1.0, -1.0, 0.5, 1 / 3, 0.99999, 1e-4, 9.9e-5, -1.23456e-7, 12345.678, 99999.0, 123456.0, 1e20, 2.5e-30]
    numbers += [float("nan"), float("inf"), float("-inf"), 1000.0, 10000.0, 0.00012345]
    file = tmp_path / "page.html"
    trace = example()
    file.write_text(page([PICTURES["heatmap"]], trace, words()), encoding="utf-8")
    asked = ", ".join({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(each), repr(each)) for each in numbers)

    assert report(file, f"return [{asked}].map(figure);") == [number(each) for each in numbers]


@needs_browser
@pytest.mark.slow  # a browser starts
def test_a_browser_that_cannot_unpack_says_what_is_needed(tmp_path: Path) -> None:
    """A sentence, and no empty page."""
    file = tmp_path / "page.html"
    whole_page = whole(example())
    file.write_text(whole_page.replace('"use strict";', '"use strict"; delete window.DecompressionStream;'), encoding="utf-8")

    assert report(file, 'return getComputedStyle(document.getElementById("needs")).display;') == "block"
    file.write_text(whole_page, encoding="utf-8")
    assert report(file, 'return getComputedStyle(document.getElementById("needs")).display;') == "none"


def test_the_opening_look_is_measured_on_trained_weights_alone() -> None:
    """As in the window; random weights have nothing to show there."""
    trace = example()
    assert opening_look(trace) == Look().fitted(trace)


def test_every_letter_of_the_page_is_in_its_font() -> None:
    """The sentence, the line below it, and what cells say; so it looks alike on a machine without Chinese fonts."""
    from io import BytesIO

    from fontTools.ttLib import TTFont

    trace = attrs.evolve(example(), source="龘 Q", recorded_by="ß")
    document = page(pictures_of(trace, opening_look(trace), words()), trace, words())
    regular, bold = (
        set(map(chr, TTFont(BytesIO(base64.b64decode(data))).getBestCmap()))
        for data in re.findall(r"data:font/otf;base64,([^)]*)\)", document)
    )
    head = re.findall(r"<(h1|p)>([^<]*)<", document)
    assert set("龘 Q→0.−∞") & regular <= bold  # The font has no letter for some characters.
    assert set("".join(text for kind, text in head if kind == "p")) - {" "} <= regular | {" "}
    assert set("".join(label for place in figures(document)[1]["places"] for label in place["rows"]["labels"])) <= regular


def test_nothing_is_said_of_a_model_that_nobody_knows() -> None:
    """Of a module of one's own neither that it is trained nor how many parameters it has; of ours both."""
    import torch

    own = explorer.record(torch.nn.TransformerEncoderLayer(8, 2, batch_first=True), torch.zeros(1, 3, 8))
    english = Words.load("en")
    for trace, known in ((own, False), (example(), True)):
        (line,) = re.findall(r"</h1>\n<p>([^<]*)<", whole(trace))
        assert (english("status.untrained", seed=0) in line) == known
        assert not line.endswith(f" · {english('status.trained')}")
        assert (f"{trace.parameters:,} parameters" in line) == bool(trace.parameters)
