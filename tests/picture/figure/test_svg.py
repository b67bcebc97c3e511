"""Figures as SVG: whole, legible, and of the very colours."""

import base64
import io
import re
from itertools import pairwise
from xml.etree import ElementTree

import attrs
import numpy as np
import pytest
from fontTools.ttLib import TTFont
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from explorer.export.choice import Choice, together
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.figure.decoding_figures import probability
from explorer.picture.figure.svg import render
from explorer.picture.figure.text import width
from explorer.picture.kinds import Bars, Caption, HeadGrid, Heatmap, Picture, Strips, TokenRow, Waves
from explorer.picture.layout.atlas import atlas
from explorer.picture.layout.sketch import runs
from explorer.picture.makers import attention, embedding, output, positions
from explorer.picture.makers.timeline import timeline
from explorer.picture.scales import CLOSED, GAP, LEVELS, Scale, hexadecimal, indices, palette, table
from explorer.picture.theme import DARK, LIGHT, THEMES, Theme
from explorer.state.look import Look
from explorer.tokens.token import Token
from tests.picture.examples import LANGUAGES, begun, example, heatmap, wall, words

pytestmark = pytest.mark.slow  # each figure makes its own fonts

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}href"
ZWJ_FAMILY = "👨\u200d👩\u200d👧"
HOSTILE = (
    "<b>&amp;",
    "\"'",
    "]]>",
    ZWJ_FAMILY,
    "שלום",
    "\u202eabc\u202c",
    "a\x00\x07b",
    "\ud800",
    "é" + "\u0301" * 4,
    " x ",
    "-->",
    "<![CDATA[",
    "{}",
    "%s",
    "龘",
)
MAKERS = {
    "head": lambda t, k, w: attention.head_map(t, k, w),
    "wall": lambda t, k, w: attention.head_wall(t, k, w),
    "mask": lambda t, k, w: attention.mask_map(t, k, w),
    "parts": lambda t, k, w: attention.part_strips(t, k, w),
    "embedding": lambda t, k, w: embedding.embedding_strips(t, k, w),
    "similarity": lambda t, k, w: embedding.similarity_map(t, k, w),
    "waves": lambda t, k, w: positions.waves(t, k, w),
    "bars": lambda t, k, w: output.top_bars(t, k, w),
    "top": lambda t, k, w: output.top_map(t, k, w),
    "tokens": lambda t, k, w: embedding.source_tokens(t, k, w),
    "cut bars": lambda t, k, w: output.top_bars(begun(t), attrs.evolve(k, top_k=5), w),
    "timeline": lambda t, k, w: timeline(begun(t), k, w),
    "step across": lambda t, k, w: attention.step_cross(begun(t), k, w),
    "step itself": lambda t, k, w: attention.step_self(begun(t), attrs.evolve(k, position=1), w),
}


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # our own text


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in parsed(svg).iter(f"{SVG}text")]


def rects(svg: str, size: str) -> list[ElementTree.Element]:
    """The cells: rectangles so wide."""
    return [rect for rect in parsed(svg).iter(f"{SVG}rect") if rect.get("width") == rect.get("height") == size]


def labels(picture: Picture) -> list[str]:
    """What must be read in a figure."""
    match picture:
        case Heatmap():
            return [*picture.rows.labels, *picture.columns.labels]
        case HeadGrid():
            return [f"L{i}" for i in picture.layers] + [f"H{i}" for i in range(picture.values.shape[1])]
        case Strips():
            return [*picture.bands[0].rows.labels, *(band.caption.title for band in picture.bands)]
        case Waves():
            return list(picture.names)
        case Bars():
            return list(picture.labels)
        case Timeline():
            return [*picture.labels, *(probability(float(value)) for value in picture.probabilities)]
        case TokenRow():
            return [part for chip in picture.chips for part in (chip.text, f"{chip.id} · {chip.start}–{chip.end}")]


def pixels(svg: str) -> np.ndarray:
    """[row, column, red green blue alpha] of the embedded image."""
    (image_,) = parsed(svg).iter(f"{SVG}image")
    data = base64.b64decode(image_.get(XLINK).removeprefix("data:image/png;base64,"))
    made = QImage.fromData(data, "PNG").convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(bytes(made.constBits()), np.uint8).reshape(made.height(), made.width(), 4)


@pytest.mark.parametrize("kind", sorted(MAKERS))
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("theme", sorted(THEMES))
def test_every_kind_of_picture_is_whole_and_labelled(kind: str, language: str, theme: str) -> None:
    """Well-formed, with title, tap, shape and every label as text."""
    picture = MAKERS[kind](example(), Look(attention="decoder.self_attn", side="decoder"), words(language))
    svg = render(picture, words(language), THEMES[theme])
    written = texts(svg)
    assert set(labels(picture)) <= set(written)
    assert picture.caption.title in written
    assert any(picture.caption.shape in line and picture.caption.tap in line for line in written)
    assert parsed(svg).find(f"{SVG}title").text == picture.caption.title
    background = parsed(svg).find(f"{SVG}rect")
    assert background.get("fill") == THEMES[theme].card
    assert not picture.caption.note or picture.caption.note in written


@pytest.mark.parametrize("kind", sorted(MAKERS))
@pytest.mark.parametrize("text", ["我爱北京天安门", "Internationalization WWWWWWWWMMMM " + "我们在图书馆里读书，" * 6])
def test_no_text_and_no_cell_is_cut_off(kind: str, text: str) -> None:
    """All that is drawn lies within the drawing, by the font's own widths."""
    svg = render(MAKERS[kind](example(text=text), Look(), words()), words())
    page = parsed(svg)
    limit = float(page.get("width")) - 24, float(page.get("height")) - 24
    group = page.find(f"{SVG}g")
    for element in group.iter(f"{SVG}text"):
        x, y, size = (float(element.get(name)) for name in ("x", "y", "font-size"))
        wide = width(element.text, size, int(element.get("font-weight", 400)))
        if element.get("transform"):  # turned upward
            assert y - wide >= -0.1 and x <= limit[0]
            continue
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[element.get("text-anchor")]
        assert left >= -0.1 and left + wide <= limit[0] + 0.6 and 0 < y <= limit[1]
    for element in (*group.iter(f"{SVG}rect"), *group.iter(f"{SVG}image")):
        x, y, wide, high = (float(element.get(name)) for name in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and x + wide <= limit[0] + 0.6 and y + high <= limit[1] + 0.6


@pytest.mark.parametrize("token", HOSTILE, ids=ascii)
def test_hostile_tokens_survive_or_become_boxes(token: str) -> None:
    """Markup is escaped, what cannot be printed is a box, all else is kept: in maps, token rows and titles."""
    shown = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", "□", token)
    picture = heatmap(np.eye(2, dtype=np.float32), (token, "b"))
    row = TokenRow(
        chips=(Token(text=token, id=7, start=0, end=1, known=False),),
        side="source",
        text=token,
        caption=Caption(title=token, tap="", shape="[position 1]"),
    )
    for made in (picture, row):
        svg = render(made, words())
        assert shown in texts(svg)
        assert svg.encode("utf-8")
    assert parsed(svg).find(f"{SVG}title").text == shown


def test_a_token_that_is_not_known_has_a_warning_edge() -> None:
    """The colour of the theme's warning."""
    chip = Token(text="x", id=1, start=0, end=1, known=False)
    row = TokenRow(
        chips=(chip, attrs.evolve(chip, known=True)), side="source", text="xx", caption=Caption(title="t", tap="", shape="")
    )
    edges = [rect.get("stroke") for rect in parsed(render(row, words(), DARK)).iter(f"{SVG}rect") if rect.get("stroke")]
    assert edges == [DARK.warning, DARK.hairline]


def test_a_long_row_of_tokens_goes_on_below() -> None:
    """A sentence of a hundred tokens makes no banner."""
    chips = tuple(Token(text="词元", id=1, start=i, end=i + 2, known=True) for i in range(100))
    page = parsed(render(TokenRow(chips=chips, side="source", text="", caption=Caption(title="t", tap="", shape="")), words()))
    assert float(page.get("width")) < 1200
    boxes = [tuple(float(rect.get(side)) for side in ("x", "y")) for rect in page.iter(f"{SVG}rect") if rect.get("stroke")]
    assert len(set(boxes)) == 100


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_every_cell_is_a_rectangle_of_its_tables_colour(theme: str) -> None:
    """As many as there are cells, each where it belongs; closed and unknown cells in the theme's colours."""
    values = np.linspace(0, 1, 24, dtype=np.float32).reshape(4, 6)
    values[1, 1] = np.nan
    closed = np.zeros((4, 6), bool)
    closed[2, 3] = True
    picture = heatmap(values, closed=closed, colours="viridis")
    cells = rects(render(picture, words(), THEMES[theme]), "44.00")
    assert len(cells) == values.size
    index = indices(values, picture.scale, closed)
    for cell, (row, column) in zip(cells, np.ndindex(values.shape), strict=True):
        fill = "#" + bytes(table("viridis")[min(index[row, column], LEVELS - 1)]).hex()
        if closed[row, column]:
            fill = THEMES[theme].closed
        elif np.isnan(values[row, column]):
            fill = THEMES[theme].unknown
        assert cell.get("fill") == fill
    places = np.array([[float(cell.get("y")), float(cell.get("x"))] for cell in cells]).reshape(4, 6, 2)
    assert (np.diff(places[:, :, 1], axis=1) == 44).all() and (np.diff(places[:, :, 0], axis=0) == 44).all()


def test_what_is_no_value_is_explained() -> None:
    """Closed cells with their reason, NaN by its name, and the axes' directions."""
    values = np.array([[np.nan, 1], [1, 1]], np.float32)
    plain = texts(render(heatmap(values[1:]), words()))
    both = texts(render(heatmap(values, closed=np.array([[False, True], [False, False]])), words()))
    unknown = words()("legend.nan")
    assert unknown not in plain and not any("because" in line for line in plain)
    assert unknown in both and words()("legend.because", name=words()("legend.closed"), reason="because") in both
    bare = attrs.evolve(heatmap(values, closed=np.array([[False, True], [False, False]])), reason="")
    assert words()("legend.closed") in texts(render(bare, words()))  # Without a reason there is no colon.
    assert "query ↓   key →" in plain


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("shape", [(256, 257), (3, 30000), (300, 300)])
def test_a_large_map_is_an_image_of_the_right_pixels(theme: str, shape: tuple[int, int]) -> None:
    """Above 65,536 cells a PNG: each cell a whole number of pixels of its colour, and no rectangle."""
    values = np.random.default_rng(0).random(shape, np.float32)
    values[0, :3] = np.nan
    picture = attrs.evolve(heatmap(values), columns=attrs.evolve(heatmap(values).columns, labels=()))
    made = pixels(render(picture, words(), THEMES[theme]))
    down, across = made.shape[0] // shape[0], made.shape[1] // shape[1]
    assert made.shape[:2] == (shape[0] * down, shape[1] * across)
    index = indices(values, picture.scale).repeat(down, axis=0).repeat(across, axis=1)
    np.testing.assert_array_equal(made, palette("cividis", THEMES[theme])[index])
    assert (made[..., 3] == 255).all()


def fills(svg: str, index: NDArray[np.uint8]) -> NDArray[np.object_]:
    """[row, column] the colour in the middle of each cell of the field that the shapes of an SVG make, None where none is."""
    (cells,) = [element for element in parsed(svg).iter(f"{SVG}g") if element.get("class") == "cells"]
    boxes: list[tuple[float, float, float, float, str]] = []
    for element in cells:
        if element.tag == f"{SVG}rect":
            boxes.append((*(float(element.get(key)) for key in ("x", "y", "width", "height")), element.get("fill")))
        else:
            runs_ = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", element.get("d"))
            assert len(runs_) == element.get("d").count("M")
            boxes += [(*map(float, run), element.get("fill")) for run in runs_]
    left, top, side = min(box[0] for box in boxes), min(box[1] for box in boxes), boxes[0][3]
    found = np.full(index.shape, None, object)
    for x, y, wide, high, fill in boxes:
        row, column = round((y - top) / side), round((x - left) / side)
        assert high == side and found[row, column] is None
        found[row, column : column + round(wide / side)] = fill
    return found


@pytest.mark.parametrize(("layers", "heads", "n"), [(2, 3, 5), (6, 8, 12)])
def test_the_wall_is_made_of_shapes_of_the_right_colours(layers: int, heads: int, n: int) -> None:
    """Heads, gaps between them, closed cells; each cell a shape that a drawing program can take up, and no image."""
    grid = wall(layers, heads, n)
    svg, index = render(grid, words()), atlas(grid).index
    assert "<image" not in svg
    found = fills(svg, index)
    assert np.array_equal(found == None, index == GAP)  # noqa: E711  cell by cell
    assert set(found[index == CLOSED]) <= {LIGHT.closed}
    wanted = np.array([hexadecimal(colour) for colour in table("viridis")])
    data = index < LEVELS
    assert (found[data] == wanted[index[data]]).all()


def test_the_tokens_of_a_wall_are_named_where_there_is_room() -> None:
    """At every head and layer of a small one, nowhere on a large one."""
    assert render(wall(2, 3, 5), words()).count(">t3<") == 3 + 2
    assert ">t3<" not in render(wall(6, 8, 40), words())


@pytest.mark.parametrize(("layers", "heads", "n"), [(64, 32, 4), (2, 64, 4), (6, 8, 40)])
def test_the_names_on_a_wall_do_not_touch(layers: int, heads: int, n: int) -> None:
    """Where there is no room for all, some are left out."""
    svg = render(wall(layers, heads, n), words())
    across, down = [], []
    for element in parsed(svg).iter(f"{SVG}text"):
        if re.fullmatch(r"H\d+", element.text):
            half = width(element.text, 12) / 2
            across += [(float(element.get("x")) - half, float(element.get("x")) + half)]
        if re.fullmatch(r"L\d+", element.text):
            down.append(float(element.get("y")))
    assert len(across) > 1 and all(end + 2 < start for (_, end), (start, _) in pairwise(across))
    assert len(down) > 1 and (np.diff(down) >= 11.5).all()


def test_many_strips_go_on_below() -> None:
    """Sixty-four heads make no banner, and none lies on another."""
    trace = example(n_heads=16)
    svg = render(together(trace, Choice("encoder.layers.0.self_attn.value", None, None), Look(), words()), words())
    page = parsed(svg)
    assert float(page.get("width")) < 1500
    places = [tuple(float(image.get(side)) for side in ("x", "y", "width", "height")) for image in page.iter(f"{SVG}image")]
    assert len(places) == 32
    for i, (x, y, wide, high) in enumerate(places):
        assert all(x + wide <= a or a + b <= x or y + high <= c or c + d <= y for a, c, b, d in places[i + 1 :])


@pytest.mark.parametrize("kind", ["head", "bars", "tokens"])
def test_the_font_in_the_figure_has_every_glyph(kind: str) -> None:
    """Regular for all text, bold for the title: no letter is left to the reader's machine."""
    svg = render(MAKERS[kind](example(), Look(), words()), words())
    faces = dict(re.findall(r"font-weight:(\d+);src:url\(data:font/otf;base64,([^)]*)\)", svg))
    assert set(faces) == {"400", "700"}
    for weight, data in faces.items():
        with TTFont(io.BytesIO(base64.b64decode(data))) as font:
            has = set(font.getBestCmap())
            glyphs = font.getGlyphSet()
            assert all(glyphs[font.getBestCmap()[ord(letter)]].width > 0 for letter in "我爱" if ord(letter) in has)
        used = {
            letter
            for element in parsed(svg).iter(f"{SVG}text")
            if element.get("font-weight", "400") == weight
            for letter in element.text
        }
        assert used and not {letter for letter in used if ord(letter) not in has}


def test_the_same_picture_is_the_same_file() -> None:
    """No time stamp, no random name: figures can be kept under version control."""
    picture = heatmap(np.eye(3, dtype=np.float32))
    assert render(picture, words()) == render(picture, words())


@pytest.mark.parametrize(
    ("rich", "expected"),
    [
        ("x", [("", "x")]),
        ("d<sub>head</sub>", [("", "d"), ("sub", "head")]),
        ("K<sup>T</sup> / √d<sub>k</sub> + M", [("", "K"), ("sup", "T"), ("", " / √d"), ("sub", "k"), ("", " + M")]),
        ("", []),
    ],
)
def test_a_formula_is_taken_apart(rich: str, expected: list[tuple[str, str]]) -> None:
    """Into what stands on the line, above and below."""
    assert runs(rich) == expected


def test_letters_of_no_width_take_none() -> None:
    """Joiners and accents stand on their letter; a letter that the font lacks is taken to be square."""
    assert width("e\u0301", 10) == width("e", 10)
    assert width(ZWJ_FAMILY, 10) == 30
    assert width("中", 10) == 10
    assert width("i", 10) < width("W", 10) < 10


@pytest.mark.parametrize("values", [[[0.0, 0.0]], [[np.nan, 0.5]]])
def test_bars_and_waves_of_nothing_are_drawn(values: list[list[float]]) -> None:
    """All zero, or not a number: the figure stays well-formed and free of NaN coordinates."""
    array = np.array(values, np.float32)
    caption = Caption(title="t", tap="", shape="")
    for made in (
        Bars(values=array[0], labels=("a", "b"), scale=Scale(0, 1, "cividis"), caption=caption),
        Waves(values=array, names=("f",), n_marked=1, caption=caption, x_name="p"),
    ):
        svg = render(made, words(), LIGHT)
        coordinates = [
            value
            for element in parsed(svg).iter()
            for name, value in element.attrib.items()
            if name in ("x", "y", "width", "points")
        ]
        assert not [value for value in coordinates if "nan" in value]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_cut_bars_have_no_data_colour_and_the_chosen_one_is_outlined(theme: Theme) -> None:
    """In the order of the bars: data colour, then the grey of what is closed; one outline, around its bar; both explained."""
    picture = Bars(
        values=np.array([0.5, 0.3, 0.2], np.float32),
        labels=("a", "b", "c"),
        scale=Scale(0, 0.5, "viridis"),
        cut=np.array([False, True, True]),
        ids=(4, 5, 6),
        chosen=1,
        caption=Caption(title="t", tap="", shape=""),
    )
    svg = render(picture, words(), theme)
    bars = rects_high(svg, 14.3)
    data = "#" + bytes(table("viridis")[LEVELS // 3]).hex()
    assert [bar.get("fill") for bar in bars] == [data, theme.closed, theme.closed]
    outline, _legend = (rect for rect in parsed(svg).iter(f"{SVG}rect") if rect.get("stroke") == theme.accent)
    assert float(outline.get("y")) < float(bars[1].get("y")) < float(outline.get("y")) + float(outline.get("height"))
    assert {words()("sampling.cut"), words()("sampling.chosen")} <= set(texts(svg))
    plain = render(attrs.evolve(picture, cut=None, chosen=None), words(), theme)
    assert [bar.get("fill") for bar in rects_high(plain, 14.3)] == [data] * 3
    assert not {words()("sampling.cut"), words()("sampling.chosen")} & set(texts(plain))


def rects_high(svg: str, size: float) -> list[ElementTree.Element]:
    return [rect for rect in parsed(svg).iter(f"{SVG}rect") if float(rect.attrib["height"]) == size]


def test_the_bars_of_a_timeline_are_as_long_as_its_probabilities() -> None:
    """The chosen chip alone in the accent; what comes after is faint; a long sentence goes on below."""
    values = np.array([1.0, 0.5, 0.25] * 40, np.float32)
    picture = Timeline(
        labels=("one", "two", "three") * 40, probabilities=values, chosen=1, caption=Caption(title="t", tap="", shape="")
    )
    svg = render(picture, words(), LIGHT)
    tracks, filled = rects_high(svg, 4.0)[::2], rects_high(svg, 4.0)[1::2]
    shares = [float(bar.get("width")) / float(track.get("width")) for bar, track in zip(filled, tracks, strict=True)]
    np.testing.assert_allclose(shares, values, atol=0.01)
    chips = [rect for rect in parsed(svg).iter(f"{SVG}rect") if rect.get("rx") == "4"]
    assert [place for place, chip in enumerate(chips) if chip.get("stroke") == LIGHT.accent] == [1]
    inks = [element.get("fill") for element in parsed(svg).iter(f"{SVG}text") if element.text in picture.labels]
    assert inks == [LIGHT.text] * 2 + [LIGHT.faint] * 118
    assert float(parsed(svg).get("width")) < 1200
    assert len({(chip.get("x"), chip.get("y")) for chip in chips}) == 120


def test_a_timeline_without_probabilities_has_no_bars() -> None:
    """NaN is not zero."""
    picture = Timeline(
        labels=("a", "b"), probabilities=np.full(2, np.nan, np.float32), chosen=0, caption=Caption(title="t", tap="", shape="")
    )
    assert not rects_high(render(picture, words(), LIGHT), "4")
