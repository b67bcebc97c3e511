"""Pictures of parameters: what their rows and columns are called, and which one is shown first."""

import attrs
import numpy as np
import pytest

from explorer.lang import Words
from explorer.picture.makers.parameters import default_parameter, parameter_histogram, parameter_map, parameter_rows
from explorer.state.look import Look
from explorer.trace.found.parameters import Parameter, ParameterList, ParameterNumbers
from explorer.trace.measures.measures import summary
from explorer.trace.measures.streamed import Streamed

WORDS = Words.load("en")
QUERY = Parameter("encoder.layers.0.self_attn.project_query.weight", (4, 6), ("out", "in"), "float32")
CIRCUITS = tuple(
    Parameter(f"{block}.{kind}", (2, 6, 6), ("head", "feature", "feature"), "float32")
    for block in ("encoder.layers.0.self_attn", "decoder.layers.1.cross_attn")
    for kind in ("qk_circuit", "ov_circuit")
)


def read(parameter: Parameter, **more: object) -> ParameterNumbers:
    """A parameter with some numbers."""
    values = np.random.default_rng(0).normal(size=parameter.matrix).astype(np.float32)
    counted = Streamed()
    counted.take(values)
    counted.count(values)
    made = ParameterNumbers(parameter, 1 if parameter.n_matrices > 1 else 0, summary(values), counted.histogram(), values)
    return attrs.evolve(made, **more)  # type: ignore[arg-type]


def test_a_matrix_is_called_as_torch_keeps_it() -> None:
    """Rows are what comes out, so the letter of the paper is transposed; no change of the pass acts on it."""
    made = parameter_map(read(QUERY), Look(), WORDS)
    assert (made.rows.name, made.columns.name) == ("output feature", "input feature")
    assert made.caption.formula == "W<sub>Q</sub><sup>T</sup>"
    assert (made.caption.title, made.caption.shape, made.caption.origin) == (QUERY.name, "[out 4, in 6]", "parameter")
    assert made.head is None and made.recorded is made.values


def test_a_circuit_says_what_its_two_sides_are() -> None:
    """By its name in the field, with the place of its head."""
    titles = []
    for circuit in CIRCUITS[2:]:
        made = parameter_map(read(circuit), Look(), WORDS)
        titles.append((made.caption.title, made.rows.name, made.columns.name))
        assert (made.caption.origin, made.head) == ("product", 1)
    assert titles == [
        ("QK circuit · L1 H1", "feature that the query reads", "feature that the key reads"),
        ("OV circuit · L1 H1", "feature that the value reads", "feature that is added"),
    ]


def test_a_cell_of_blocks_says_which_rows_it_stands_for() -> None:
    """The last block is smaller; a vocabulary's rows are tokens where each has its own."""
    table = Parameter("embed.weight", (5, 6), ("vocab", "feature"), "float32", ("head.weight",))
    blocks = parameter_map(read(table, values=np.ones((3, 3), np.float32), block=2), Look(), WORDS)
    assert blocks.rows.labels == ("0–1", "2–3", "4–4")
    assert "2×2 numbers" in blocks.caption.note and "head.weight" in blocks.caption.note
    assert blocks.recorded is None
    tokens = tuple("abcde")
    assert parameter_map(read(table, labels=tokens), Look(), WORDS).rows.labels == tokens


def test_a_weight_of_several_layers_says_that_an_edit_acts_in_all_of_them() -> None:
    """With the first and the last of the other names."""
    shared = Parameter("layers.0.weight", (4, 6), ("out", "in"), "float32", tuple(f"layers.{n}.weight" for n in range(1, 12)))
    note = parameter_map(read(shared), Look(), WORDS).caption.note
    assert "11 other parameters, layers.1.weight to layers.11.weight," in note and "an edit changes all of them" in note


def test_the_distribution_says_how_many_there_are_and_what_they_are() -> None:
    """Count, type, mean and deviation; the curve has as many numbers as the matrix."""
    found = read(QUERY)
    made = parameter_histogram(found, WORDS)
    assert int(made.values.sum()) == 24 and made.x is not None and len(made.x) == made.values.shape[1]
    assert made.caption.note.startswith("24 numbers, float32 · mean ") and f"{found.summary.deviation:.3g}" in made.caption.note
    assert "beyond 5 SD" not in made.caption.note


@pytest.mark.parametrize(("kind", "name"), [("parameters", QUERY.name), ("circuits", "decoder.layers.1.cross_attn.qk_circuit")])
def test_until_somebody_chooses_the_attention_that_is_looked_at_is_shown(kind: str, name: str) -> None:
    """Its first circuit; of parameters the first one."""
    listed = ParameterList((QUERY, *CIRCUITS))
    found = default_parameter(listed, kind, Look(attention="decoder.cross_attn", layer=1))  # type: ignore[arg-type]
    assert found is not None and found.name == name
    assert default_parameter(ParameterList(()), kind, Look()) is None  # type: ignore[arg-type]
    assert parameter_rows(listed, "parameters").sizes == ("4×6",)
