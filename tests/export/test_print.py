"""Figures for print as files: their size in every format, the note beside them, from Python and from the command line."""

import json
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QImageReader
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from explorer.cli.main import main
from explorer.errors import KnobOutOfRange, TooNarrow
from explorer.export import raster
from explorer.export.job import Export
from explorer.picture.figure.outlines import outlined
from explorer.picture.figure.plate import render_print
from explorer.picture.figure.print import ON_SCREEN, Print
from explorer.picture.figure.svg import render
from explorer.picture.layout.arranged import Beside
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.heatmaps import tap_heatmap
from explorer.state.look import Look
from tests.golden.test_figures import PICTURES
from tests.picture.examples import SENTENCE, example, words
from tests.picture.figure.printed import read

WEIGHTS = "encoder.layers.0.self_attn.weights"


def _export(out: Path, **more: object) -> None:
    pictures = tap_heatmap(example(), WEIGHTS, Look(), words(), 1), head_wall(example(), Look(), words())
    fields = {"several": Beside(pictures, (0.4, 0.6)), "printed": Print(width_mm=180), **more}
    job = Export(trace=example(), out=out, format=out.suffix[1:], words=words(), **fields)  # type: ignore[arg-type]  # by name
    assert list(job.run())[-1] == (1, 1)


def test_the_files_of_one_figure_have_its_size(qapp: QApplication, tmp_path: Path) -> None:
    """SVG in millimetres, PNG in pixels by its resolution, PDF in points; a height follows from the width."""
    for suffix in ("svg", "png", "pdf"):
        _export(tmp_path / f"a.{suffix}", dpi=300.0)
    printed = read((tmp_path / "a.svg").read_text("utf-8"))
    assert printed.wide_mm == pytest.approx(180, abs=1e-3)
    size = QImageReader(str(tmp_path / "a.png")).size()
    assert size == QSize(round(180 / 25.4 * 300), round(printed.high_mm / 25.4 * 300))
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", (tmp_path / "a.pdf").read_bytes())
    assert box is not None
    assert [float(each) for each in box.groups()] == pytest.approx([180 / 25.4 * 72, printed.high_mm / 25.4 * 72], abs=1.0)


def test_the_note_beside_it_lists_each_picture(qapp: QApplication, tmp_path: Path) -> None:
    """With its letter, title and tap, and how the figure is set."""
    _export(tmp_path / "a.svg", outlines=True)
    about = json.loads((tmp_path / "a.svg.json").read_text("utf-8"))
    assert [(each["letter"], each["tap"]) for each in about["pictures"]] == [
        ("(a)", WEIGHTS),
        ("(b)", "encoder.layers.*.self_attn.weights"),
    ]
    assert about["pictures"][0]["head"] == 1 and about["pictures"][0]["title"] and about["source"] == SENTENCE
    assert about["print"] == {"width_mm": 180.0, "font_pt": 8.0, "caption": None, "letters": True, "grows": False}
    assert about["text_as_paths"] is True
    assert "<text" not in (tmp_path / "a.svg").read_text("utf-8")


def test_several_pictures_for_the_screen_have_the_window_s_size(qapp: QApplication, tmp_path: Path) -> None:
    """1190 px, which are 315 mm at 96 dpi."""
    _export(tmp_path / "a.png", dpi=96.0, printed=None)
    assert QImageReader(str(tmp_path / "a.png")).size().width() == round(ON_SCREEN.width_mm / 25.4 * 96)


def test_a_figure_in_python_is_set_by_naming_a_size(qapp: QApplication, tmp_path: Path) -> None:
    """Without one it is as ever; letters as paths go with both."""
    figure = example().figure(WEIGHTS, head=0)
    figure.save(tmp_path / "a.svg")
    assert 'mm"' not in (tmp_path / "a.svg").read_text("utf-8").split("\n")[0]
    figure.save(tmp_path / "b.svg", width_mm=88, font_pt=7, caption="Mine.")
    printed = read((tmp_path / "b.svg").read_text("utf-8"))
    assert printed.wide_mm == pytest.approx(88, abs=1e-3) and printed.lines[-1].text == "Mine."
    assert printed.lines[-1].pt == pytest.approx(7, rel=1e-3)
    figure.save(tmp_path / "c.svg", outlines=True)
    assert "<text" not in (tmp_path / "c.svg").read_text("utf-8")
    with pytest.raises(KnobOutOfRange):
        figure.save(tmp_path / "d.svg", width_mm=5)
    with pytest.raises(TooNarrow):
        figure.save(tmp_path / "d.svg", width_mm=20, font_pt=24)
    assert not (tmp_path / "d.svg").exists()


def _run(*arguments: str) -> int:
    return main(["export", SENTENCE, "--preset", "tiny", "--language", "en", *arguments])


def test_the_command_line_sets_a_figure(tmp_path: Path) -> None:
    """A width with a unit, the size of letters, a caption, and letters as paths."""
    out = tmp_path / "a.svg"
    asked = ("--tap", WEIGHTS, "--head", "0", "--out", str(out))
    assert _run(*asked, "--width", "3.5in", "--font-size", "7", "--caption", "Mine") == 0
    printed = read(out.read_text("utf-8"))
    assert printed.wide_mm == pytest.approx(88.9, abs=1e-3)
    assert printed.lines[-1].text == "Mine" and printed.lines[-1].pt == pytest.approx(7, rel=1e-3)
    assert _run(*asked, "--width", "one-column", "--text-as-paths") == 0
    assert "<text" not in out.read_text("utf-8")


def test_the_command_line_writes_a_page(tmp_path: Path, qapp: QApplication) -> None:
    """All pictures of the attention page as the window arranges them; into a folder under the page's name."""
    assert _run("--page", "attention", "--width", "two-columns", "--out", f"{tmp_path}/", "--format", "svg") == 0
    printed = read((tmp_path / "attention.svg").read_text("utf-8"))
    assert {"(a)", "(b)", "(c)"} <= {line.text for line in printed.lines}
    about = json.loads((tmp_path / "attention.svg.json").read_text("utf-8"))
    assert [each["letter"] for each in about["pictures"]] == ["(a)", "(b)", "(c)"]
    assert _run("--page", "attention", "--no-letters", "--width", "180mm", "--out", str(tmp_path / "b.svg")) == 0
    assert "(a)" not in {line.text for line in read((tmp_path / "b.svg").read_text("utf-8")).lines}


def test_a_page_from_the_command_line_is_for_the_screen_until_a_size_is_named(tmp_path: Path, qapp: QApplication) -> None:
    """With a caption of one's own and without letters, too."""
    out = tmp_path / "a.svg"
    assert _run("--page", "attention", "--caption", "Mine", "--no-letters", "--out", str(out)) == 0
    printed = read(out.read_text("utf-8"))
    assert printed.wide_mm == pytest.approx(ON_SCREEN.width_mm, abs=1e-3) and printed.lines[-1].text == "Mine"
    assert "(a)" not in {line.text for line in printed.lines}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--width", "wide", "--tap", WEIGHTS), "is not a width"),
        (("--width", "5mm", "--tap", WEIGHTS), "must be from 20.0 to 600.0"),
        (("--width", "7", "--tap", WEIGHTS), "--width must be from 16 to 20000, not 7."),
        (("--font-size", "3", "--tap", WEIGHTS), "--font-size must be from 5.0 to 24.0, not 3."),
        (("--page", "nowhere"), "--page must be one of overview"),
        (("--page", "attention", "--tap", WEIGHTS), "--tap and --page cannot be combined."),
        (("--page", "overview", "--width", "88mm"), "choose a greater width or a smaller font"),
    ],
)
def test_what_cannot_be_set_is_told_in_one_sentence(
    flags: tuple[str, ...], said: str, tmp_path: Path, qapp: QApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is written."""
    assert _run(*flags, "--out", str(tmp_path / "a.svg")) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_all_ways_to_draw_a_figure_give_the_same_image(name: str, qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of images draws without Python's lock; where it has no room, a painter draws in parts, as into a PDF.

    Pixel for pixel, however small the parts are.
    """
    raster.add_fonts()

    def painted(svg: str, most: int) -> QImage:
        with monkeypatch.context() as small:
            small.setattr(raster, "_PART", most)
            small.setattr(QImageReader, "allocationLimit", lambda: 0.001)
            parts: list[object] = []
            small.setattr(raster, "QSvgRenderer", lambda part: parts.append(part) or QSvgRenderer(part))
            made = raster.image(svg, 50.0)
            assert len(parts) == 1 if most == len(svg) else len(parts) > 1
            return made

    for svg in (render_print(PICTURES[name], Print(width_mm=600), words()), render(PICTURES[name], words())):
        for each in (svg, outlined(svg)):
            assert raster.image(each, 50.0) == painted(each, len(each)) == painted(each, 60)
    lacking = "\n".join(line for line in svg.splitlines() if not line.startswith("<text"))
    assert raster.image(lacking, 50.0) != raster.image(svg, 50.0)
