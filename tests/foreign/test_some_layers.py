"""Models in which only some layers have attention, and one whose vectors are widened: every experiment and view holds."""

from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import explorer
from explorer import Change
from explorer.errors import ExplorerError
from explorer.lang import LANGUAGES, Words
from explorer.picture.card_text import lacking
from explorer.picture.layout.strip_names import Names
from explorer.picture.makers.attention import head_wall
from explorer.state.look import Look
from explorer.trace.architecture import architecture_of
from explorer.trace.measures.head_measures import head_values
from explorer.trace.trace import Trace
from explorer.views.pictures.head_grid import HeadGridView
from tests.foreign.models import SOME_LAYERS

pytestmark = pytest.mark.slow
TEXT, OTHER = "the fox and the dog", "the dog and the fox"
Folder = Callable[[str], Path]


def traced(folder: Folder, name: str) -> Trace:
    return explorer.explore(TEXT, preset=folder(name))


@pytest.mark.parametrize("name", SOME_LAYERS)
def test_the_card_counts_all_layers_and_names_those_with_attention(name: str, folder: Folder) -> None:
    """Also where the last layer has none."""
    card = traced(folder, name).card

    assert card.with_attention == (1, 3)
    assert card.sides[0].n_layers == 2 + card.bare_layers == (5 if name == "jamba" else 4)
    assert card.attention_layers("decoder.self_attn") == (1, 3)


@pytest.mark.parametrize("name", SOME_LAYERS)
def test_ablation_goes_over_the_layers_that_have_attention(name: str, folder: Folder) -> None:
    """Each number is the difference that a pass with that head off makes; of other layers there is none."""
    found = explorer.ablate(TEXT, preset=folder(name))
    plain = traced(folder, name)
    off = explorer.explore(
        TEXT, preset=folder(name), changes=[Change("decoder.layers.3.self_attn.mixed", "scale", head=1, value=0.0)]
    )
    word = found.word_ids[0]
    log_p = [np.log(each["generator.probabilities"][0, word]) for each in (plain, off)]

    assert found.heads[0, 3, 1, 0] == pytest.approx(log_p[1] - log_p[0], abs=1e-4)
    bare = [layer for layer in range(plain.card.sides[0].n_layers) if layer not in (1, 3)]
    assert np.isnan(found.heads[0, bare]).all()
    assert np.isfinite(found.heads[0, [1, 3]]).all()


@pytest.mark.parametrize("name", [*SOME_LAYERS, "electra of two widths"])
def test_every_experiment_is_made_or_says_why_not(name: str, folder: Folder) -> None:
    """In a sentence of a user's error; none of them ends in a bug."""
    path = folder(name)
    asked: dict[str, Callable[[], object]] = {
        "effects": lambda: explorer.ablate(TEXT, preset=path),
        "why": lambda: explorer.attribute(TEXT, preset=path),
        "lens": lambda: explorer.lens(TEXT, preset=path),
        "patching": lambda: explorer.patching(TEXT, OTHER, preset=path),
        "saliency": lambda: explorer.saliency(TEXT, preset=path),
        "generate": lambda: explorer.generate(TEXT, preset=path),
        "cloze": lambda: explorer.cloze("the [MASK] and", preset=path),
        "scan": lambda: explorer.scan([TEXT, OTHER], preset=path),
    }
    made = set()
    for key, ask in asked.items():
        try:
            ask()
            made.add(key)
        except ExplorerError as error:
            assert len(str(error)) > 20

    assert {"effects", "scan"} <= made
    assert {"patching", "saliency"} <= made and ({"why", "lens"} <= made) == (name in SOME_LAYERS)


def test_saliency_of_widened_vectors_adds_up(folder: Folder) -> None:
    """To what the model says with the sentence and without it, as for all others."""
    found = explorer.saliency(TEXT, preset=folder("electra of two widths"))
    told = found.integrated["encoder"].sum(axis=-1) - found.errors

    np.testing.assert_allclose(told, found.log_p - found.baseline_log_p, atol=1e-4)


@pytest.mark.parametrize("name", SOME_LAYERS)
def test_the_wall_shows_the_layers_with_attention_and_the_look_goes_to_one(name: str, folder: Folder) -> None:
    """The first Look is at layer 0, which has none."""
    trace = traced(folder, name)
    look = attrs.evolve(Look(), attention="decoder.self_attn", layer=0).fitted(trace)
    wall = head_wall(trace, look, Words.load("en"))

    assert look.layer == 1
    assert wall.layers == (1, 3)
    assert np.array_equal(np.nan_to_num(wall.values[1, 0]), trace["decoder.layers.3.self_attn.weights"][0])
    assert np.isnan(head_values(trace, "decoder.self_attn", "entropy")[[0, 2]]).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_layer_of_another_kind_is_not_called_masked(language: str, folder: Folder) -> None:
    """The strip names it so, and a tap that it lacks is told with the layers that have it."""
    words, card = Words.load(language), traced(folder, "qwen3_next").card
    made = architecture_of(card)
    names = Names(made, words, lambda text, _px: float(len(text)))
    kinds = {block.layer: (block.kind, names.block(block)) for block in reversed(made.blocks) if block.layer is not None}

    assert kinds[0] == kinds[2] == ("other", words("strip.long.other"))
    assert kinds[1] == kinds[3] == ("self_attn", words("strip.long.masked"))
    assert "1, 3" in lacking(card, "decoder.layers.0.self_attn.weights", words)


def test_a_recording_of_such_a_model_by_another_program_is_shown(tmp_path: Path) -> None:
    """Attention in the layers that have it, and all else in each."""
    rng = np.random.default_rng(0)
    weights = rng.random((2, 3, 3), dtype=np.float32)
    arrays = {f"decoder.layers.{layer}.self_attn.weights": weights for layer in (1, 3)}
    arrays |= {f"decoder.layers.{layer}.residual2": rng.random((3, 8), dtype=np.float32) for layer in range(4)}
    path = tmp_path / "pass.npz"
    np.savez(path, **arrays)
    trace = Trace.load(path)

    assert (trace.card.sides[0].n_layers, trace.card.with_attention) == (4, (1, 3))
    assert head_wall(trace, Look().fitted(trace), Words.load("en")).layers == (1, 3)
    assert "decoder.layers.0" not in lacking(trace.card, "decoder.layers.0.self_attn.weights", Words.load("en"))


def test_a_click_on_the_wall_chooses_the_layer_that_is_named_there(qtbot: QtBot, folder: Folder) -> None:
    """The second row of the wall is layer 3, which its label, its outline and its click say."""
    trace, words = traced(folder, "qwen3_next"), Words.load("en")
    look = attrs.evolve(Look(), attention="decoder.self_attn", layer=3, head=2).fitted(trace)
    wall = head_wall(trace, look, words)
    view = HeadGridView()
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.draw(wall, words)
    chosen: list[tuple[int, int]] = []
    view.chosen.connect(lambda layer, head: chosen.append((layer, head)))

    assert wall.chosen_place == (1, 2)
    n_rows = wall.shape[0]
    view.chosen_at(n_rows + 4, 0)  # Below the first row of thumbnails and the gap behind it.
    assert chosen == [(3, 0)]
