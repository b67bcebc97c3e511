"""One export: which files, what is in them, and what stands beside them."""

import csv
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from safetensors.numpy import load_file

import explorer
from explorer.errors import CannotCreate, CannotWrite, DiskFull, UnknownFormat, UnknownHead, UnknownLayer, UnknownTap
from explorer.export import formats
from explorer.export import job as export_room
from explorer.export.choice import Choice
from explorer.export.job import Export
from explorer.picture.makers.embedding import source_tokens
from explorer.picture.theme import DARK
from explorer.state.look import Look
from tests.picture.examples import example, words

pytestmark = pytest.mark.slow  # files of every head

FORMATS = formats.names()
OF_A_PASS = tuple(each.name for each in formats.formats_of(figure=False, numbers=True, page=True))
WEIGHTS = "encoder.layers.0.self_attn.weights"


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> None:
    """Drawing needs one, and Qt allows only one in a process."""


def export(
    out: Path, format_: str, tap: str | None = WEIGHTS, head: int | None = None, layer: int | None = -1, **more: object
) -> list[tuple[int, int]]:
    choice = None if tap is None else Choice(tap, head, layer)
    return list(Export(trace=more.pop("trace", example()), out=out, format=format_, words=words(), choice=choice, **more).run())


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("format_", FORMATS)
def test_a_folder_gets_a_file_for_each_head_and_layer(format_: str, tmp_path: Path) -> None:
    """With one JSON that lists them; a step is told before each and at the end."""
    steps = export(tmp_path / "heads", format_, layer=None, one_each=True)
    files = {f"encoder.layers.{layer}.self_attn.weights.head{head}.{format_}" for layer in (0, 1) for head in range(4)}
    about = f"{WEIGHTS}.{format_}.json"
    assert names(tmp_path / "heads") == files | {about}
    assert (len(steps), steps[0], steps[-1], steps) == (9, (0, 8), (8, 8), sorted(steps))
    assert set(json.loads((tmp_path / "heads" / about).read_text("utf-8"))["files"]) == files


@pytest.mark.parametrize("format_", FORMATS)
def test_a_file_gets_all_of_it_together(format_: str, tmp_path: Path) -> None:
    """One figure or one table, and a JSON beside it."""
    assert export(tmp_path / f"new/all.{format_}", format_, layer=None) == [(0, 1), (1, 1)]
    assert names(tmp_path / "new") == {f"all.{format_}", f"all.{format_}.json"}
    assert (tmp_path / f"new/all.{format_}").stat().st_size > 500


def test_the_figures_are_of_the_format_they_say(tmp_path: Path) -> None:
    """A wall of two by four heads as SVG names them all; PNG and PDF are what they are called."""
    for format_, magic in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        export(tmp_path / f"a.{format_}", format_, layer=None)
        assert (tmp_path / f"a.{format_}").read_bytes().startswith(magic)
    svg = (tmp_path / "a.svg").read_text("utf-8")
    assert set(re.findall(r">([LH]\d)<", svg)) == {"L0", "L1", "H0", "H1", "H2", "H3"}


def test_the_json_says_what_it_is_made_from(tmp_path: Path) -> None:
    """Text, tokens, all knobs, preset, tap, head, shapes and versions."""
    trace = example(target="I love Beijing")
    export(tmp_path / "a.npz", "npz", head=2, trace=trace)
    about = json.loads((tmp_path / "a.npz.json").read_text("utf-8"))
    assert (about["source"], about["target"], about["preset"]) == ("我爱北京天安门", "I love Beijing", "tiny")
    assert about["tokens"] == {"source": ["我", "爱", "北京", "天安门"], "target": ["I", "love", "Beijing"]}
    assert about["config"] == trace.config.values()
    assert (about["tap"], about["head"], about["format"], about["files"]) == (WEIGHTS, 2, "npz", ["a.npz"])
    assert about["shapes"] == {WEIGHTS: [4, 4, 4]}
    assert about["versions"]["transformer-explorer"] == explorer.__version__
    assert set(about["versions"]) == {"transformer-explorer", "python", "torch", "numpy", "jieba"}


@pytest.mark.parametrize("format_", ["npz", "safetensors"])
def test_all_taps_are_the_tensors_of_explore(format_: str, tmp_path: Path) -> None:
    """The very numbers that a notebook gets."""
    trace = explorer.explore("我爱北京天安门", preset="tiny")
    export(tmp_path / "all", format_, None, trace=trace)
    kept = dict(np.load(tmp_path / "all", allow_pickle=False)) if format_ == "npz" else load_file(tmp_path / "all")
    again = explorer.explore("我爱北京天安门", preset="tiny")
    assert set(kept) == set(again.names())
    for name, values in kept.items():
        np.testing.assert_array_equal(values, again[name])


@pytest.mark.parametrize("head", [None, 1])
def test_a_csv_holds_layers_below_each_other(head: int | None, tmp_path: Path) -> None:
    """All layers in one file, cut down to the wanted head; the numbers are the trace's."""
    export(tmp_path / "a.csv", "csv", "decoder.layers.0.self_attn.masked", head, None)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = [line for line in csv.reader(file) if line[0] != "tap"]
    trace = example()
    taps = [f"decoder.layers.{layer}.self_attn.masked" for layer in (0, 1)]
    arrays = [trace[tap] if head is None else trace[tap][head] for tap in taps]
    assert [row[0] for row in rows] == [tap for tap in taps for _ in range(len(rows) // 2)]
    back = np.array([[np.float32(value) for value in row[4:]] for row in rows])
    np.testing.assert_array_equal(back, np.concatenate([array.reshape(-1, 4) for array in arrays]))


def test_all_taps_as_csv_are_quick(tmp_path: Path) -> None:
    """Some hundred thousand numbers in a few seconds at most."""
    begin = time.perf_counter()
    export(tmp_path / "a.csv", "csv", None)
    assert time.perf_counter() - begin < 10
    assert len((tmp_path / "a.csv").read_text("utf-8").splitlines()) > 500


def test_a_given_picture_is_written_as_it_is(tmp_path: Path) -> None:
    """What is on screen, a row of tokens too, which is no tap."""
    picture = source_tokens(example(), Look(), words())
    export(tmp_path / "a.svg", "svg", None, picture=picture)
    assert "天安门" in (tmp_path / "a.svg").read_text("utf-8")
    assert json.loads((tmp_path / "a.svg.json").read_text("utf-8"))["shapes"] == {}


@pytest.mark.parametrize(("dpi", "width_px"), [(96.0, None), (300.0, None), (192.0, 500)])
def test_dpi_and_width_reach_the_png(dpi: float, width_px: int | None, tmp_path: Path) -> None:
    """And so does the theme."""
    export(tmp_path / "a.svg", "svg", head=0)
    export(tmp_path / "a.png", "png", head=0, dpi=dpi, width_px=width_px, theme=DARK)
    wide = int(re.search(r'width="(\d+)"', (tmp_path / "a.svg").read_text("utf-8"))[1])
    image = QImage(str(tmp_path / "a.png"))
    assert image.width() == (width_px or round(wide * dpi / 96))
    assert image.pixelColor(0, 0).name() == DARK.card


@pytest.mark.parametrize("format_", ["png", "svg", "pdf"])
def test_eight_thousand_columns_make_a_sensible_figure(format_: str, tmp_path: Path) -> None:
    """The probabilities of the whole vocabulary: not a rectangle for each, and not a banner."""
    export(tmp_path / f"a.{format_}", format_, "generator.probabilities")
    assert (tmp_path / f"a.{format_}").stat().st_size < 500_000
    if format_ == "png":
        assert 1000 < QImage(str(tmp_path / "a.png")).width() < 4000


def test_sixty_four_heads_are_told_one_by_one(tmp_path: Path) -> None:
    """A caller can show how far it is, and the figures come in seconds."""
    trace = example(n_heads=64)
    seen: list[int] = []
    begin = time.perf_counter()
    job = Export(trace=trace, out=tmp_path, format="png", words=words(), choice=Choice(WEIGHTS), one_each=True)
    for done, total in job.run():
        assert total == 64
        assert len(list(tmp_path.glob("*.png"))) >= done
        seen.append(done)
    assert seen == sorted(seen)
    assert (len(seen), seen[0], seen[-1], len(list(tmp_path.glob("*.png")))) == (65, 0, 64, 64)
    assert time.perf_counter() - begin < 30


def test_a_caller_can_stop_between_two_files(tmp_path: Path) -> None:
    """What is written stays, nothing half-written is left."""
    steps: Iterator[tuple[int, int]] = Export(
        trace=example(), out=tmp_path, format="svg", words=words(), choice=Choice(WEIGHTS), one_each=True
    ).run()
    for done, _total in steps:
        if done == 2:
            break
    steps.close()
    assert names(tmp_path) == {f"{WEIGHTS}.head{head}.svg" for head in (0, 1)}


@pytest.mark.parametrize(
    ("change", "error", "values"),
    [
        ({"format_": "gif"}, UnknownFormat, {"name": "gif", "known": ", ".join(FORMATS)}),
        ({"tap": None, "format_": "png"}, UnknownFormat, {"name": "png", "known": ", ".join(OF_A_PASS)}),
        ({"tap": "encoder.nrom"}, UnknownTap, {"name": "encoder.nrom", "nearest": "encoder.norm"}),
        ({"head": 9}, UnknownHead, {"got": 9, "last": 3}),
        ({"layer": 9}, UnknownLayer, {"got": 9, "last": 1}),
    ],
)
@pytest.mark.parametrize("one_each", [False, True])
def test_what_is_not_there_is_refused_before_anything_is_written(
    change: dict[str, object], error: type, values: dict[str, object], one_each: bool, tmp_path: Path
) -> None:
    """By name, with what there is instead."""
    with pytest.raises(error) as raised:
        export(tmp_path / "new", **{"format_": "svg", "one_each": one_each, **change})
    assert raised.value.values == values
    assert not list(tmp_path.rglob("*.*"))


@pytest.mark.parametrize("format_", FORMATS)
def test_a_folder_below_a_file_cannot_be_made(format_: str, tmp_path: Path) -> None:
    """The reason is in the error, the file is untouched."""
    (tmp_path / "file").write_text("old")
    with pytest.raises(CannotCreate):
        export(tmp_path / "file" / f"a.{format_}", format_)
    with pytest.raises(CannotCreate):
        export(tmp_path / "file", format_, one_each=True)
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize("format_", FORMATS)
def test_a_folder_in_the_place_of_the_file_is_the_users_error(format_: str, tmp_path: Path) -> None:
    """It is not replaced, and nothing half-written is left."""
    (tmp_path / "a").mkdir()
    with pytest.raises(CannotWrite):
        export(tmp_path / "a", format_)
    assert names(tmp_path) == {"a"}


@pytest.mark.parametrize("format_", FORMATS)
def test_a_full_disk_leaves_the_old_files(format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any format: the figure or the numbers first, the JSON never without them."""

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_text("old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DiskFull):
        export(tmp_path / "a", format_)
    assert names(tmp_path) == {"a"} and (tmp_path / "a").read_text() == "old"


def test_a_name_that_is_no_utf8_still_gets_its_json(tmp_path: Path) -> None:
    """Linux allows any bytes in a name."""
    export(tmp_path / "a\udcff.csv", "csv")
    (about,) = tmp_path.glob("*.json")
    assert json.loads(about.read_text("utf-8"))["files"] == ["a\udcff.csv"]


def test_versions_are_those_of_the_installed_packages() -> None:
    """Read from their metadata: torch itself is not imported for it."""
    assert export_room.versions(example())["numpy"] == np.__version__


def test_the_json_beside_it_tells_what_was_changed(tmp_path: Path) -> None:
    """In a form from which the change can be made again; of the state beside, too."""
    change = explorer.Change("encoder.layers.0.self_attn.masked", "close", head=1, rows=[2], columns=[0])
    trace = explorer.explore("我爱北京天安门", preset="tiny", changes=[change])
    plain = explorer.explore("我爱北京天安门", preset="tiny")
    export(tmp_path / "a.csv", "csv", trace=attrs.evolve(trace, compared_with=plain))
    about = json.loads((tmp_path / "a.csv.json").read_text("utf-8"))

    assert [explorer.Change.from_dict(row) for row in about["changes"]] == [change]
    assert about["beside"]["changes"] == []


def test_a_page_holds_a_whole_pass_or_what_was_chosen(tmp_path: Path) -> None:
    """Without a choice the river and three walls; of one head its map; of all taps into a folder a page each."""
    export(tmp_path / "whole.html", "html", None)
    export(tmp_path / "one.html", "html", head=2)
    export(tmp_path / "each", "html", None, one_each=True)

    assert (tmp_path / "whole.html").read_text("utf-8").count("<figure") == 4
    assert (tmp_path / "one.html").read_text("utf-8").count("<figure") == 1
    assert len(list((tmp_path / "each").glob("*.html"))) == len(example().names())
    about = json.loads((tmp_path / "whole.html.json").read_text("utf-8"))
    assert (about["format"], about["files"], about["source"]) == ("html", ["whole.html"], "我爱北京天安门")
