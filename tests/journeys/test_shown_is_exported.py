"""What a page shows equals what it exports, card by card, in every format of numbers; and no number is made up."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication
from safetensors.numpy import load_file

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.export.job import Export
from explorer.lang import Words
from explorer.picture.causal_kinds import Account, EffectMap, LensMap, Postcard, Removals, Rewording
from explorer.picture.cut_kinds import CutRows
from explorer.picture.decoding_kinds import Timeline, Tree
from explorer.picture.kinds import Alignment, Bars, Follow, HeadGrid, Heatmap, Strips, TokenRow, VectorMap, Waves
from explorer.picture.river.river import Half, River
from explorer.picture.training_kinds import Answers, HeadDiary, StepCurves
from explorer.state.comparing_intents import Compare
from explorer.state.intents import SetKnob, SetText, look_at
from explorer.trace.found.lens import Agreement
from explorer.trace.trace import Trace
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

Numbers = NDArray[np.floating]


def shown(card: Card) -> list[Numbers]:
    """The numbers that a card's view draws from, NaN where a mask closed a cell."""
    match card.picture:
        case Alignment(overlaid=heads) if heads:
            return [each.values for each in heads]
        case Heatmap() | Waves() | Alignment() as one:
            return [one.values]
        case Strips() as strips:
            return [band.values for band in strips.bands]
        case HeadGrid() as grid:
            return [*grid.values, *(() if grid.measured is None else (grid.measured.values,))]
        case Bars() as bars:
            return [bars.values[:, None]]
        case Follow(followed=followed):
            return [
                np.stack([followed.query, followed.key, followed.products], axis=1),
                np.stack([followed.scores, followed.scaled], axis=1),
            ]
        case Timeline() as steps:
            return [steps.probabilities[:, None]]
        case TokenRow() as row:
            return [np.array([[chip.id, chip.start, chip.end] for chip in row.chips], np.float64).reshape(-1, 3)]
        case Tree() as tree:
            return [np.array([[b.parent] for b in tree.branches], np.float64).reshape(-1, 1)]
        case EffectMap() as effects:
            return [effects.values, effects.whole[:, None]]
        case Account() as account:
            terms = account.sums.terms or [term for group in account.sums.groups for row in group.rows for term in row.terms]
            return [np.array([[term.value, *(term.factors or ())] for term in terms])]
        case Removals() as removals:
            return [np.stack([removals.shares, removals.costs], axis=1)]
        case LensMap(lens=lens) as layers:
            flat = lens.ids.shape[0] * lens.ids.shape[1]
            return [
                lens.probabilities[:, :, 0],
                lens.written_p,
                lens.ranks.astype(float),
                lens.ids.reshape(flat, -1).astype(float),
                lens.probabilities.reshape(flat, -1),
                *(() if layers.agreement is None else (both_shares(layers.agreement),)),
            ]
        case Rewording() as rewording:
            rows = [(each.log_p, each.log_p_after, each.difference) for each in rewording.words]
            return [np.array([[np.nan if value is None else value for value in row] for row in rows])]
        case Postcard(words=row, map_before=before, map_after=after):
            cells = [(each.log_p, each.log_p_after, each.difference) for each in row]
            made = np.array([[np.nan if value is None else value for value in row] for row in cells])
            return [made, *(each.values for each in (before, after) if each is not None)]
        case VectorMap(cloud=cloud, path=path):
            return [cloud, *path]
        case CutRows(rows=rows):
            return [
                numbers
                for row in rows
                for numbers in (
                    np.array([[token.id, token.start, token.end, token.known] for token in row.tokens], np.float64),
                    row.values,
                    row.difference,
                )
                if numbers is not None and len(numbers)
            ]
        case River() as river:
            return [
                *(values for half in river.halves for values in (half.scaled, half.positions, half.output, lengths(half))),
                *(block.weights for block in river.blocks() if block.weights is not None),
                *(() if river.contributions is None else river.contributions.values.values()),
                river.written.probabilities[:, None],
                np.array([p for _name, p, _id in river.written.candidates], np.float32)[:, None],
            ]
        case StepCurves(curves=curves):
            return [curve.values[:, None] for curve in curves]
        case HeadDiary(strips=strips):
            return [weights for strip in strips for weights in strip.maps]
        case Answers() as said:
            return [
                np.array(
                    [[step, np.nan if right is None else right] for step, right in zip(said.steps, said.right, strict=True)]
                )
            ]
        case other:
            raise AssertionError(type(other).__name__)


def both_shares(agreement: Agreement) -> Numbers:
    """[layer, lens] what was measured on held-out sentences."""
    return np.array([agreement.lens, agreement.jacobian]).T / agreement.places


def lengths(half: Half) -> Numbers:
    """[lane, place] how thick a lane is at each place."""
    return np.stack([half.length, *(block.length for layer in half.layers for block in layer), half.last], axis=1)


def closed(card: Card) -> list[NDArray[np.bool_] | None]:
    match card.picture:
        case Heatmap(closed=mask):
            return [mask]
        case Strips(bands=bands):
            return [band.closed for band in bands]
        case HeadGrid(closed=mask, values=values):
            masks = [None if mask is None else np.broadcast_to(mask, values.shape[1:])] * len(values)
            return [*masks, None][: len(shown(card))]
        case Alignment():
            return [np.isnan(values) for values in shown(card)]
        case River():
            return [np.isnan(values) for values in shown(card)]
        case LensMap():
            return [None] * 5
        case VectorMap(path=path):
            return [None] * (1 + len(path))
        case CutRows() | StepCurves():
            return [None] * len(shown(card))
        case HeadDiary():
            return [np.isnan(weights) for weights in shown(card)]
        case Follow() | EffectMap():
            return [None, None]
        case _:
            return [None]


def exported(card: Card, window: Window, folder: Path) -> dict[str, dict[str, Numbers]]:
    """By format, what the files hold under each name."""
    trace, look = window.session.frame.trace, window.session.state.look
    found: dict[str, dict[str, Numbers]] = {}
    for format_ in ("npz", "safetensors", "csv"):
        path = folder / f"a.{format_}"
        list(
            Export(
                trace=trace, out=path, format=format_, words=Words.load("zh"), look=look, picture=card.in_english(trace, look)
            ).run()
        )
        found[format_] = read(path)
    return found


def read(path: Path) -> dict[str, Numbers]:
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as kept:
            return dict(kept)
    return load_file(path) if path.suffix == ".safetensors" else from_csv(path)


def from_csv(path: Path) -> dict[str, Numbers]:
    """Name to [row, column], or to [head, row, column] where a name has several heads."""
    maps: dict[str, dict[str, list[list[float]]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.reader(file):
            if line[:2] != ["tap", "head"]:
                maps.setdefault(line[0], {}).setdefault(line[1], []).append([float(value) for value in line[4:]])
    return {
        name: np.array(next(iter(heads.values())) if len(heads) == 1 else list(heads.values())) for name, heads in maps.items()
    }


def check(card: Card, files: dict[str, dict[str, Numbers]], trace: Trace) -> None:
    """Each number on the card is in each file, and a file that names a tap holds what it recorded."""
    wanted, masks = shown(card), closed(card)
    for format_, arrays in files.items():
        assert len(arrays) == len(wanted), (card.title.text(), format_, list(arrays))
        if format_ == "safetensors":  # it sorts its names
            arrays = {name: arrays[name] for name in files["npz"]}
        for values, mask, (name, kept) in zip(wanted, masks, arrays.items(), strict=True):
            kept = kept.reshape(values.shape) if kept.size == values.size else kept[..., : values.shape[-1]]
            same = (kept.astype(np.float32) == values.astype(np.float32)) | (np.isnan(kept) & np.isnan(values))
            assert (same if mask is None else same | mask).all(), (card.title.text(), format_, name)
    for name, kept in files["npz"].items():
        if name in trace:
            both = [each for each in (trace, trace.compared_with) if each is not None and name in each]
            assert any(holds(each[name], kept) for each in both), (card.title.text(), name)


def holds(recorded: Numbers, kept: Numbers) -> bool:
    """Whether what was kept is this tensor or one of its heads."""
    parts = recorded if recorded.ndim > kept.ndim else [recorded]
    return any(np.array_equal(part, kept, equal_nan=True) for part in parts)


@pytest.mark.parametrize("preset", sweep(["translator", "tiny", "tutorial-c"], telling=["tiny"]))
def test_every_card_exports_what_it_shows(journey: Journey, tmp_path: Path, preset: str) -> None:
    """Of a trained model, an untrained one, and one with a decoder alone; beside another state on the compare page."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(Compare("now"))
        window.session.ask(SetText("他在图书馆看书。" if preset == "translator" else "狗爱北京天安门"))
        window.session.ask(SetKnob("temperature", 0.8))
        drawn = "lines" if preset == "tiny" else "map"
        window.session.ask(look_at(unit="words" if preset == "translator" else "tokens"))
        aligned = "head" if preset == "tutorial-c" else "layer_max"
        overlaid = (0, 1) if preset == "tutorial-c" else ()
        drawn = "arcs" if preset == "tutorial-c" else drawn
        window.session.ask(look_at(measure="entropy", head_order="measure", aligned=aligned, drawn=drawn, threshold=0.1))
        window.session.ask(look_at(head=1, overlaid=overlaid))
        journey.settle(window)
        n_checked = 0
        for key in page_list.KEYS:
            window.go(key)
            journey.settle(window)
            for card in window.page_stack.page.cards:
                if card.isVisibleTo(window.page_stack.page) and card.picture is not None:
                    check(card, exported(card, window, tmp_path), window.session.frame.trace)
                    n_checked += 1
        assert n_checked > 30

    journey.run(script, "--preset", preset)


def test_the_difference_is_exported_as_a_difference(journey: Journey, tmp_path: Path) -> None:
    """By the dialog, as a user does it: the numbers are now minus aside, and the JSON names both states."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(Compare("now"))
        window.session.ask(SetKnob("temperature", 0.5))
        window.go("compare")
        journey.settle(window)
        window.page_stack.page.maps[2].touched.emit(window.page_stack.page.maps[2])  # type: ignore[attr-defined]  # the difference
        window.saving.export()
        dialog = next(each for each in window.findChildren(ExportDialog) if each.isVisible())
        trace, look = window.session.frame.trace, window.session.state.look
        tap = look.attention_tap()
        wanted = trace[tap][look.head] - trace.compared_with[tap][look.head]
        assert np.abs(wanted).max() > 1e-3
        for format_ in ("csv", "npz", "safetensors"):
            path = tmp_path / f"difference.{format_}"
            dialog.format.setCurrentText(format_)
            dialog.path.setText(str(path))
            dialog.start()
            journey.wait(lambda: not dialog.running and dialog.begin.isEnabled())
            QApplication.processEvents()
            ((name, values),) = read(path).items()
            assert name == f"{tap}.difference_now_pinned"
            np.testing.assert_array_equal(values.astype(np.float32), wanted)
            about = json.loads(path.with_name(path.name + ".json").read_text("utf-8"))
            assert (about["config"]["temperature"], about["beside"]["config"]["temperature"]) == (0.5, 1.0)
            assert about["origin"] == "computed"
        dialog.reject()

    journey.run(script)


def test_the_state_put_aside_exports_its_own_numbers(journey: Journey, tmp_path: Path) -> None:
    """Not those of now under its title: so that the check can fail, the two differ."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(Compare("now"))
        window.session.ask(SetKnob("temperature", 0.5))
        window.go("compare")
        journey.settle(window)
        trace, look = window.session.frame.trace, window.session.state.look
        aside = window.page_stack.page.maps[0]  # type: ignore[attr-defined]  # the compare page's
        ((_name, kept),) = exported(aside, window, tmp_path)["npz"].items()
        tap = look.attention_tap()
        np.testing.assert_array_equal(kept, trace.compared_with[tap][look.head])
        assert not np.array_equal(kept, trace[tap][look.head])
        files = {"npz": {tap: trace[tap][look.head]}}
        with pytest.raises(AssertionError):
            check(aside, files, trace)

    journey.run(script)
