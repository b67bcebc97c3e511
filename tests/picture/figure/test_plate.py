"""Figures for print have exactly the asked size and letters, and nothing is cut off."""

import re

import attrs
import numpy as np
import pytest

from explorer.errors import KnobNotANumber, KnobOutOfRange, NotAWidth, TooNarrow, TooWideForPaper
from explorer.picture.decoding_kinds import Branch, Tree
from explorer.picture.figure.plate import letter, render_print
from explorer.picture.figure.print import COLUMNS_MM, ON_SCREEN, Print, width_of
from explorer.picture.kinds import Caption, Heatmap, Picture, Strips
from explorer.picture.layout.arranged import Below, Beside
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.heatmaps import tap_heatmap
from explorer.picture.theme import DARK, LIGHT
from explorer.state.look import Look
from tests.golden.test_figures import PICTURES
from tests.picture.examples import LANGUAGES, example, words
from tests.picture.figure.printed import outside, read
from tests.sweeps import sweep

SIZES = [(88.0, 8.0), (180.0, 8.0), (180.0, 5.0), (88.0, 5.0), (120.0, 11.0)]


def _map(head: int = 0) -> Heatmap:
    return tap_heatmap(example(), "encoder.layers.0.self_attn.weights", Look(), words("en"), head)


def _prints(picture: Picture, **setting: object) -> str:
    return render_print(picture, Print(**setting), words())  # type: ignore[arg-type]  # the fields of Print by name


@pytest.mark.parametrize(("width_mm", "font_pt"), SIZES)
def test_a_figure_is_exactly_as_wide_as_asked_and_its_labels_are_as_large(width_mm: float, font_pt: float) -> None:
    """Read from the file: millimetres of the page, and points of the tokens beside and above the map."""
    printed = read(_prints(_map(), width_mm=width_mm, font_pt=font_pt))
    assert printed.wide_mm == pytest.approx(width_mm, abs=1e-3)
    assert printed.wide_mm / printed.high_mm == pytest.approx(printed.wide_px / printed.high_px, rel=1e-4)
    labels = [line.pt for line in printed.lines if line.text in ("我", "爱", "北京", "天安门")]
    assert len(labels) == 8
    assert labels == pytest.approx([font_pt] * 8, rel=1e-3)


@pytest.mark.parametrize("font_pt", sweep([5.0, 6.0, 8.0], telling=[5.0]))
@pytest.mark.parametrize("name", sorted(PICTURES))
def test_no_letter_is_smaller_than_five_points(name: str, font_pt: float) -> None:
    """Also those of indices, which are smaller than the labels."""
    printed = read(_prints(PICTURES[name], width_mm=600, font_pt=font_pt))
    assert min(line.pt for line in printed.lines) >= 5 - 1e-3


@pytest.mark.parametrize("language", sweep(LANGUAGES, telling=["en"]))
@pytest.mark.parametrize("name", sorted(PICTURES))
def test_every_kind_of_picture_keeps_to_the_page_or_says_how_wide_it_must_be(name: str, language: str) -> None:
    """Nothing is cut off at any size; where it would be, the width that the error names is enough."""
    for width_mm, font_pt in SIZES:
        try:
            printed = read(render_print(PICTURES[name], Print(width_mm=width_mm, font_pt=font_pt), words(language)))
        except TooNarrow as error:
            need = float(str(error.values["need_mm"]))
            assert need > width_mm
            printed = read(render_print(PICTURES[name], Print(width_mm=need, font_pt=font_pt), words(language)))
        assert not outside(printed)


def test_the_check_of_the_page_can_fail() -> None:
    """A page that is made narrower cuts off labels, and one without its first pixels does."""
    svg = _prints(_map())
    assert not outside(read(svg))
    printed = read(svg)
    assert outside(attrs.evolve(printed, wide_px=printed.wide_px / 2))
    assert outside(read(svg.replace('<g transform="translate(', '<g transform="translate(-', 1)))


def test_the_file_has_the_numbers_of_the_picture() -> None:
    """Every cell of a map with room for numbers has its own, as the picture on screen has it."""
    picture = _map(1)
    printed = read(_prints(picture, width_mm=180))
    inside = [line.text for line in printed.lines if line.pt == pytest.approx(8 * 11 / 12, rel=1e-3)]
    assert [float(text) for text in inside] == pytest.approx(np.round(picture.values, 2).ravel().tolist(), abs=1e-6)


def test_cells_become_smaller_and_letters_do_not() -> None:
    """The same map in a narrow column: its cells shrink until they fit."""
    wide, narrow = (_prints(_map(), width_mm=mm) for mm in (180, 36))
    sizes = [float(svg.split('<g class="cells">')[1].split('width="')[1].split('"')[0]) for svg in (wide, narrow)]
    assert sizes[0] == 44.0 and sizes[1] < 20
    assert {round(line.pt, 3) for line in read(narrow).lines if line.text == "北京"} == {8.0}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_caption_is_the_title_or_ones_own_or_none(language: str) -> None:
    """A long one goes on in further lines, each within the page, and the page grows by them."""
    said = words(language)
    picture = tap_heatmap(example(), "encoder.layers.0.self_attn.weights", Look(), said)
    usual, none = (read(render_print(picture, Print(caption=caption), said)) for caption in (None, ""))
    assert usual.lines[-1].text == picture.caption.title
    assert not any(line.text == picture.caption.title for line in none.lines)
    text = "注意力权重，第一层，" * 12 + "and more words of it " * 8
    own = read(render_print(picture, Print(caption=text), said))
    lines = [line for line in own.lines if line.y > usual.lines[-1].y - 1]
    assert len(lines) > 3 and not outside(own)
    assert "".join(line.text for line in lines).replace(" ", "") == text.replace(" ", "")
    assert none.high_mm < usual.high_mm < own.high_mm


def test_several_pictures_have_letters_in_the_order_of_reading() -> None:
    """Across a row, then down; the caption names each, and letters can be left out."""
    arranged = Below((Beside((_map(0), _map(1)), (0.5, 0.5)), _map(2)))
    printed = read(render_print(arranged, Print(width_mm=180), words("en")))
    places = {line.text: (round(line.left), round(line.y)) for line in printed.lines if line.text in ("(a)", "(b)", "(c)")}
    assert places["(a)"][1] == places["(b)"][1] < places["(c)"][1]
    assert places["(a)"][0] == places["(c)"][0] < places["(b)"][0]
    assert all(f"{each} Attention weights" in printed.lines[-1].text for each in places)
    bare = read(render_print(arranged, Print(width_mm=180, letters=False, caption=""), words("en")))
    assert not any(line.text.startswith("(") for line in bare.lines)
    assert letter(25) == "(z)" and letter(26) == "(aa)"


def test_what_has_no_room_beside_stands_below() -> None:
    """Three maps in a row of two columns; in one column they stand below each other, and keep their labels."""
    row = Beside(tuple(map(_map, range(3))), (1 / 3,) * 3)
    high = {}
    for width_mm in (180, 60):
        printed = read(render_print(row, Print(width_mm=width_mm, caption=""), words()))
        high[width_mm] = len({round(line.y) for line in printed.lines if line.text in ("(a)", "(b)", "(c)")})
        assert sum(line.text == "北京" for line in printed.lines) == 6
        assert not outside(printed)
    assert high == {180: 1, 60: 3}


def test_a_wall_names_its_layers_and_heads_in_one_column() -> None:
    """Eight heads would leave no room for tokens; their own names are there."""
    picture = head_wall(example(n_heads=8, d_model=64), Look(), words())
    printed = read(_prints(picture, width_mm=COLUMNS_MM["one_column"]))
    assert {f"H{head}" for head in range(8)} | {"L0", "L1"} <= {line.text for line in printed.lines}
    assert not outside(printed)


def test_a_title_with_marks_of_its_own_stays_a_title() -> None:
    """A question keeps its stop, and letters that XML reserves are escaped."""
    asking = attrs.evolve(_map(), caption=attrs.evolve(_map().caption, title="Why <&>?", note="Because."))
    assert "Why <&>? Because" in read(render_print(asking, Print(), words("en"))).lines[-1].text


def test_a_changed_pass_says_so_in_its_caption() -> None:
    """As every picture does."""
    changed = attrs.evolve(_map(), caption=attrs.evolve(_map().caption, changes=2))
    assert words("en")("change.badge_about", count=2) in read(render_print(changed, Print(), words("en"))).lines[-1].text


@pytest.mark.parametrize(
    ("told", "mm"), [("88mm", 88.0), ("3.5in", 88.9), ("250pt", 250 / 72 * 25.4), ("8.8 cm", 88.0), ("two-columns", 180.0)]
)
def test_a_width_is_told_with_its_unit(told: str, mm: float) -> None:
    """As a journal's instructions say it."""
    assert width_of(told) == pytest.approx(mm)


@pytest.mark.parametrize(
    ("told", "error"),
    [("wide", NotAWidth), ("88", NotAWidth), ("88 m", NotAWidth), ("5mm", KnobOutOfRange), ("9in9", NotAWidth)],
)
def test_what_is_no_width_is_refused(told: str, error: type[Exception]) -> None:
    """With one sentence."""
    with pytest.raises(error):
        width_of(told)


@pytest.mark.parametrize("setting", [{"width_mm": 19}, {"width_mm": 601}, {"font_pt": 4.9}, {"font_pt": 25}])
def test_sizes_out_of_range_are_refused(setting: dict[str, float]) -> None:
    """The error has the range."""
    with pytest.raises(KnobOutOfRange):
        Print(**setting)  # type: ignore[arg-type]  # the fields of Print by name
    with pytest.raises(KnobNotANumber):
        Print(width_mm="wide")  # type: ignore[arg-type]  # as a script could


def test_too_narrow_says_how_wide_it_must_be() -> None:
    """In one sentence, with both widths and the size of the letters."""
    long = attrs.evolve(_map(), rows=attrs.evolve(_map().rows, labels=("我" * 40, *_map().rows.labels[1:])))
    with pytest.raises(TooNarrow) as caught:
        render_print(long, Print(width_mm=88, font_pt=10), words("en"))
    assert words("en").error(caught.value).startswith('"Attention weights" needs')
    assert caught.value.values["room_mm"] == 88 and caught.value.values["font_pt"] == 10.0


def _chain(n_tokens: int) -> Tree:
    """What beam search tried, as a straight line that no room makes shorter."""
    branches = tuple(Branch(node=n, parent=n - 1, label="北京", log_p=-0.5, total=-1.0, state="best") for n in range(n_tokens))
    return Tree(branches=branches, caption=Caption(title=f"Chain of {n_tokens}", tap="search", shape=""))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_for_the_screen_becomes_as_wide_as_its_widest_picture(language: str) -> None:
    """Beside others or below them; the others are as large as on a page without it."""
    alone = read(render_print(Beside((_map(0), _map(1)), (0.5, 0.5)), ON_SCREEN, words(language)))
    assert alone.wide_mm == pytest.approx(ON_SCREEN.width_mm, abs=1e-3)
    for page in (Below((_map(), _chain(20))), Beside((_chain(20), _map()), (0.5, 0.5)), Below((_map(), _chain(60)))):
        svg = render_print(page, ON_SCREEN, words(language))
        printed = read(svg)
        assert printed.wide_mm > ON_SCREEN.width_mm and not outside(printed)
        assert printed.wide_px - 2 * ON_SCREEN.margin_px < max(line.right for line in printed.lines) + 10
        assert [line.pt for line in printed.lines if line.text == "爱"] == pytest.approx([ON_SCREEN.font_pt] * 2)
        assert svg.split('<g class="cells">')[1].split('width="')[1].startswith('44.00"')


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_refusal_of_a_page_names_a_width_that_is_enough_for_all_of_it(language: str) -> None:
    """Not only for the first picture that has no room; and one that no paper has room for is told of the other ways out."""
    page = Below((_chain(10), Beside((_chain(12), _map()), (0.5, 0.5))))
    with pytest.raises(TooNarrow) as caught:
        render_print(page, Print(width_mm=88), words(language))
    assert caught.value.values["title"] == "Chain of 12"
    need = float(str(caught.value.values["need_mm"]))
    assert not outside(read(render_print(page, Print(width_mm=need), words(language))))
    with pytest.raises(TooWideForPaper) as wide:
        render_print(Below((_map(), _chain(60))), Print(width_mm=180), words(language))
    assert "600 mm" in words(language).error(wide.value)


def test_nothing_ends_at_the_edge_of_the_paper() -> None:
    """The outline of the bar that was chosen, which stands first, and the letter at its left, have a margin."""
    chosen = attrs.evolve(PICTURES["bars_cut"], chosen=0)
    page = Below((chosen, chosen))
    svg = _prints(chosen, width_mm=88)
    top = min(float(each) for each in re.findall(r'<rect x="[^"]*" y="([-\d.]+)"[^>]* fill="none" stroke=', svg))
    moved = float(re.findall(r'<g transform="translate\([\d.]+ ([\d.]+)\)">', svg)[0])
    assert top + moved > 1
    printed = read(render_print(page, Print(width_mm=88), words("en")))
    assert min(line.left for line in printed.lines) >= 3


def test_paper_has_the_colours_of_its_own_ground() -> None:
    """A picture of a dark window has signed colours for a dark ground; on white paper it has those of a light one."""
    dark, light = (
        tap_heatmap(example(), "encoder.norm", Look(signed_colours=theme.signed_colours), words("en"))
        for theme in (DARK, LIGHT)
    )
    strips = Strips(bands=(dark, dark), caption=dark.caption), Strips(bands=(light, light), caption=light.caption)
    for of_dark, of_light in ((dark, light), strips):
        assert _prints(of_dark) == _prints(of_light)
        assert _prints(of_dark) != render_print(of_dark, Print(), words(), DARK)
    chosen = attrs.evolve(dark, scale=attrs.evolve(dark.scale, colours="cividis"))
    assert _prints(chosen) != _prints(light)
