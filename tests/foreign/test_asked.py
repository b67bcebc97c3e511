"""What command line and pages show of somebody's model, and the one line, or sentence, where it lacks something."""

import json
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.pages.change_page import ChangePage
from explorer.app.pages.effects_page import EffectsPage
from explorer.app.pages.saliency_page import SaliencyPage
from explorer.app.pages.why_page import WhyPage
from explorer.cli import main as cli
from explorer.engine.compute import Computer
from explorer.engine.errand import Errand, TryAll
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.state.look import Look
from explorer.state.other_sentences import suggested_for
from explorer.trace.found.consequences import Consequence
from explorer.trace.found.why import symbol_text

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
Folder = Callable[[str], Path]
REASON = "could not be followed"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()  # What was written while the model was made.
    assert cli.main([*arguments, "--language", "en"]) == code
    out, err = capsys.readouterr()
    assert bool(err) == bool(code)
    assert code == 0 or err.count("\n") == 1
    return err if code else out


def test_the_command_line_says_what_the_library_says(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """In JSON, number for number."""
    path = str(folder("gpt2"))
    preset = ("--preset", path, "--json")
    effects = json.loads(said(capsys, "ablation", TEXT, *preset))
    np.testing.assert_allclose(effects["heads"], explorer.ablate(TEXT, preset=path).heads, atol=1e-6)
    cells = json.loads(said(capsys, "ablation", TEXT, "--edges", "decoder.self_attn.1.2", *preset))
    assert cells["edges"]["attention"] == "decoder.self_attn"
    why, parts = json.loads(said(capsys, "attribution", TEXT, "--step", "3", *preset)), explorer.attribute(TEXT, 3, preset=path)
    assert sum(row["value"] for row in why["parts"]) == pytest.approx(parts.difference, abs=1e-4)
    lens, found = json.loads(said(capsys, "lens", TEXT, *preset)), explorer.lens(TEXT, preset=path)
    assert tuple(row["tap"] for row in lens["rows"]) == found.taps if "rows" in lens else len(lens) > 0
    saliency = json.loads(said(capsys, "saliency", TEXT, *preset))
    np.testing.assert_allclose(
        saliency["integrated"]["decoder"], explorer.saliency(TEXT, preset=path).integrated["decoder"], atol=1e-4
    )
    patched = json.loads(said(capsys, "patching", TEXT, "the dog and 我爱", *preset))
    assert {each["kind"] for each in patched["maps"]} == {"stream", "head", "feed_forward"}


def test_the_command_line_draws_the_effects(folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the page does; without rows for feed-forwards that are not seen."""
    said(capsys, "ablation", TEXT, "--preset", str(folder("t5")), "--target", "the dog", "--out", str(tmp_path / "x.svg"))
    assert (tmp_path / "x.svg").stat().st_size > 1000
    out = said(capsys, "ablation", TEXT, "--preset", str(folder("xlm")))
    assert "nan" not in out
    assert "feed_forward" not in out
    assert "self_attn    L1" in out


@pytest.mark.parametrize(
    ("command", "name", "told"),
    [
        (("saliency", TEXT), "xlm", REASON),
        (("patching", TEXT, "the dog and 我爱"), "xlm", REASON),
        (("ablation", TEXT), "bert without an output", "no output over a vocabulary"),
        (("ablation", TEXT, "--edges", "encoder.self_attn.0.0"), "bert without an output", "no output over a vocabulary"),
        (("lens", TEXT), "bert", "has no decoder"),
    ],
)
def test_what_it_lacks_is_one_line(
    command: tuple[str, ...], name: str, told: str, folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, with exit status 2."""
    assert told in said(capsys, *command, "--preset", str(folder(name)), code=2)


def test_pages_say_what_a_model_lacks_and_show_the_next_one(folder: Folder, qtbot: QtBot) -> None:
    """A card has the sentence in the place of its picture; with the next model, the picture is there again."""
    experiments = ("why", "lens", "saliency", "effects", "costs")
    traces = {name: explorer.explore(TEXT, preset=folder(name), experiments=experiments) for name in ("gpt2", "xlm")}
    words = Words.load("en")
    why, saliency, effects = WhyPage(), SaliencyPage(), EffectsPage()
    for page in (why, saliency, effects):
        qtbot.addWidget(page)
        page.speak(words)
        page.resize(1100, 700)
        with qtbot.waitExposed(page):
            page.show()
    for name in ("gpt2", "xlm", "gpt2"):
        for page in (why, saliency, effects):
            page.draw(traces[name], Look().fitted(traces[name]), words)
        seen = name == "gpt2"
        assert ("input and output of its softmax" in why.asked.note.text()) != seen
        assert why.sum.isVisible() == why.lens.isVisible() == seen
        card = saliency.maps["decoder"]
        assert card.view.isVisible() == seen
        assert (REASON in card.note.text()) != seen
        assert effects.heads.picture is not None
        assert len(effects.heads.picture.rows) == (4 if seen else 2)


def test_another_sentence_is_suggested_with_its_blanks(folder: Folder) -> None:
    """Word by word, without the special tokens of the model."""
    trace = explorer.explore("the fox and the dog", preset=folder("gpt2"))
    assert suggested_for(trace)[0] == "the fox and the cat"
    assert all(len(each.split()) == 5 for each in suggested_for(trace))
    assert not any("[" in each for each in suggested_for(explorer.explore("我爱", preset=folder("gpt2"))))


def test_the_change_page_asks_what_rows_would_do(folder: Folder, qtbot: QtBot) -> None:
    """As soon as the trace on screen answers the wish; with what only our own translators have left out."""
    words, computer = Words.load("en"), Computer()
    request = Request.from_preset(str(folder("gpt2")), TEXT)
    trace = computer(request).trace
    page = ChangePage()
    qtbot.addWidget(page)
    page.speak(words)
    sent: list[Errand] = []
    page.sent.connect(sent.append)
    with qtbot.waitExposed(page):
        page.show()
    page.put(request.wish)
    page.draw(trace, Look().fitted(trace), words)
    assert not page.find_button.isVisible()
    assert not page.save_button.isVisible()
    errand = sent[-1]
    assert isinstance(errand, TryAll)
    assert len(errand.tries) >= 3
    for number in range(errand.n_pieces):
        assert isinstance(computer.piece(errand, number, lambda: False).found, Consequence)
    sent.clear()
    page.put(Request.from_preset(str(folder("gpt2")), TEXT, temperature=2.0).wish)
    page.draw(trace, Look().fitted(trace), words)
    assert not sent


def test_a_row_of_the_output_without_a_symbol_has_its_number(folder: Folder) -> None:
    """A vocabulary may be shorter than the model's output."""
    trace = explorer.explore(TEXT, preset=folder("gpt2"))
    short = attrs.evolve(trace, symbols=(*trace.symbols[:-1], ""))
    assert symbol_text(short, 39) == "#39"
    assert symbol_text(short, 4) == "the"
