"""Neighbours and the map of the vocabulary of somebody's model: against its own table, whole and streamed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.engine.experiments import vectors as module
from explorer.errors import LacksTap, UnknownTap
from explorer.foreign import folder as folder_room
from explorer.foreign import thin
from explorer.foreign.stores import InFile
from explorer.lang import Words
from explorer.picture.makers.vectors import neighbours, vector_map
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.trace.vectors import SideVectors, Vectors
from tests.foreign.models import families, fresh, write_tokenizer

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
Folder = Callable[[str], Path]
EN = Words.load("en")


def looked_into(preset: Path, **given: Any) -> tuple[Trace, dict[str, SideVectors]]:
    trace = explorer.explore(TEXT, preset=preset, experiments=["vectors"], **given)
    found = trace.experiments["vectors"]
    assert isinstance(found, Vectors)
    return trace, dict(found.sides)


def own_tables(name: str, sides: tuple[str, ...]) -> dict[str, np.ndarray]:
    """[symbol, feature] by side, of the model as its library makes it."""
    model = fresh(name)
    both = [getattr(model.base_model, side, None) for side in sides]
    inputs = [(each or model).get_input_embeddings() for each in (both if len(sides) > 1 else [model])]
    return {side: each.weight.detach().double().numpy() for side, each in zip(sides, inputs, strict=True)}


def assert_nearest(found: SideVectors, table: np.ndarray) -> None:
    """The cosines are those of the nearest rows, the token itself left out."""
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    for position, own in enumerate(found.ids):
        every = directions @ directions[own]
        every[own] = -np.inf
        assert found.cosines[position] == pytest.approx(np.sort(every)[::-1][: found.cosines.shape[1]], abs=1e-5)
        assert every[found.nearest[position]] == pytest.approx(found.cosines[position], abs=1e-5)


@pytest.mark.parametrize("name", families(["gpt2", "llama", "bert", "bert without an output", "t5", "marian", "modernbert"]))
def test_neighbours_are_the_nearest_rows_of_the_models_own_table(
    name: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every side, part after part; the symbols are those of the folder's vocabulary."""
    monkeypatch.setattr(module, "AT_ONCE", 7)
    trace, sides = looked_into(folder(name), **({"target": "the dog"} if name in ("t5", "marian") else {}))
    names = tuple(side.name for side in trace.card.sides)
    assert tuple(sides) == names
    for side, table in own_tables(name, names).items():
        assert_nearest(sides[side], table)
        assert sides[side].n_symbols == 40 and sides[side].n_features == 32
        assert {"the", "##able"} <= set(sides[side].names.values())
        with pytest.raises(AssertionError):  # Rows of another table are not taken for these.
            assert_nearest(sides[side], table[::-1])


def test_the_way_of_each_token_goes_through_the_recorded_stream(folder: Folder) -> None:
    """From the input to behind the last layer, on the plane on which the vocabulary is."""
    trace, sides = looked_into(folder("gpt2"))
    found = sides["decoder"]
    assert found.taps == ("decoder.embedding.output", "decoder.layers.0.residual2", "decoder.layers.1.residual2")
    look = Look().fitted(trace)
    assert vector_map(trace, look, EN) is not None
    bars = neighbours(trace, look, EN)
    assert bars is not None and bars.caption.shape == "[vocab 40, feature 32]"


def test_without_a_stream_there_are_neighbours_and_a_sentence(folder: Folder) -> None:
    """Nothing is known of the stream of such a model, so it has no map; its neighbours are there."""
    trace, sides = looked_into(folder("xlm"))
    look = Look().fitted(trace)
    assert sides["decoder"].taps == ()
    assert neighbours(trace, look, EN) is not None
    with pytest.raises(UnknownTap):
        vector_map(trace, look, EN)


def test_vectors_of_another_width_are_on_no_plane_with_the_stream(tmp_path: Path) -> None:
    """ELECTRA's vocabulary may be narrower than its stream."""
    import transformers

    values = {"vocab_size": 40, "hidden_size": 32, "embedding_size": 16, "num_hidden_layers": 1, "num_attention_heads": 4}
    model = transformers.ElectraForMaskedLM(transformers.ElectraConfig(**values, intermediate_size=48))
    model.save_pretrained(tmp_path / "narrow")
    write_tokenizer(tmp_path / "narrow")
    trace, sides = looked_into(tmp_path / "narrow")
    assert sides["encoder"].n_features == 16 and sides["encoder"].taps == ()
    with pytest.raises(LacksTap) as caught:
        vector_map(trace, Look().fitted(trace), EN)
    assert caught.value.values["why"] == "absent.other_width"


@pytest.mark.parametrize("held", ["bfloat16", "streamed"])
def test_a_lent_table_is_read_part_after_part(
    held: str, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A streamed one gives the very same neighbours and plane, and no more rows than asked for are ever read."""
    monkeypatch.setattr(module, "AT_ONCE", 7)
    whole = looked_into(folder("llama"))[1]["decoder"]
    monkeypatch.setattr(thin, "SMALL", 64)
    monkeypatch.setattr(folder_room, "way_to_hold", lambda *_given: held)
    longest: list[int] = []
    read = InFile.span

    def spans(store: InFile, first: int, end: int) -> Any:
        longest.append(end - first)
        return read(store, first, end)

    monkeypatch.setattr(InFile, "span", spans)
    copied = shutil.copytree(folder("llama"), tmp_path / "m")  # The other one is open already, and whole.
    found = looked_into(copied)[1]["decoder"]
    if held == "streamed":
        assert max(longest) == 7 and len(longest) == 6
        assert (found.nearest == whole.nearest).all() and (found.cosines == whole.cosines).all()
        assert (found.cloud == whole.cloud).all()
    else:
        assert abs(found.cosines - whole.cosines).max() < 0.02
    assert found.n_symbols == 40
